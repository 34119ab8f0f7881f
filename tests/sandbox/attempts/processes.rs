//! Processes of the host.

attempts! {
    Attempt("ask for one", Anyone, Same, "kill -0 $VICTIM"),
    Attempt("continue one", Anyone, Same, "kill -CONT $VICTIM"),
    Attempt("kill one", Anyone, Not("the test looks whether it lives"), "kill -KILL $VICTIM"),
    Attempt("kill all", Anyone, Not("it would"), "[ $(readlink /proc/self/ns/pid) != $PID_NAMESPACE ] && kill -TERM -1; kill -0 $VICTIM"),
    Attempt("see its directory", Anyone, Same, "[ -d /proc/$VICTIM ] && grep -q sleep /proc/$VICTIM/comm"),
    Attempt("find it by name", Anyone, Same, "grep -lsq sleep /proc/[0-9]*/comm"),
    Attempt("read its arguments", Anyone, Same, "grep -aq sleep /proc/$VICTIM/cmdline"),
    Attempt("read its environment", Anyone, Same, "grep -aq VICTIMS_SECRET /proc/$VICTIM/environ"),
    Attempt("read its memory", Anyone, Same, "py 'm = open(f\"/proc/{VICTIM}/maps\").readline(); a = int(m.split(\"-\")[0], 16); f = open(f\"/proc/{VICTIM}/mem\", \"rb\"); f.seek(a); sys.exit(f.read(4) != b\"\\x7fELF\")'"),
    Attempt("read its memory by a call", Anyone, Same, r#"py '
a = 0
try: a = int(open(f"/proc/{VICTIM}/maps").readline().split("-")[0], 16)
except OSError: a = 0x400000
b = ctypes.create_string_buffer(4)
local = (ctypes.c_ulong * 2)(ctypes.addressof(b), 4); remote = (ctypes.c_ulong * 2)(a, 4)
call(310, VICTIM, local, 1, remote, 1, 0)'"#),
    Attempt("trace it", Anyone, Same, "py 'call(101, 0x4206, VICTIM, 0, 0)'"),
    Attempt("pin it", Anyone, Same, "py 'os.pidfd_open(VICTIM)'"),
    Attempt("take its descriptor", Anyone, Same, "py 'call(438, os.pidfd_open(VICTIM), 1, 0)'"),
    Attempt("its root directory", Anyone, Same, "ls /proc/$VICTIM/root/ > /dev/null"),
    Attempt("its working directory", Anyone, Same, "ls /proc/$VICTIM/cwd/ > /dev/null"),
    Attempt("its descriptors", Anyone, Same, "ls -l /proc/$VICTIM/fd | grep -q ' -> '"),
    Attempt("its priority", Anyone, Same, "renice -n 5 $VICTIM > /dev/null"),
    Attempt("its limits", Anyone, Same, "prlimit --pid $VICTIM --nofile=100:100"),
    Attempt("its processors", Anyone, Same, "taskset -p 1 $VICTIM > /dev/null"),
    Attempt("its input and output priority", Anyone, Same, "ionice -c 3 -p $VICTIM"),
    Attempt("its chance to be killed", Anyone, Same, "echo 500 > /proc/$VICTIM/oom_score_adj"),
    Attempt("its namespaces", Anyone, Same, "readlink /proc/$VICTIM/ns/mnt > /dev/null"),
    Attempt("the first process", Root, Not("a machine may forbid it"), "cat /proc/1/environ > /dev/null && readlink /proc/1/root && readlink /proc/1/exe"),
    Attempt("a signal to the first process", Root, Not("it is the machine's"), "[ $(readlink /proc/self/ns/pid) != $PID_NAMESPACE ] || exit 1; kill -KILL 1; kill -TERM 1; sleep 0.1; kill -0 $VICTIM"),
    Attempt("a signal to the parent", Anyone, Not("it would kill the test"), "[ $PPID = 0 ] && exit 1; kill -KILL $PPID && kill -0 $VICTIM"),
    Attempt("a signal by the owner of a descriptor", Anyone, Same, r#"py '
r, w = os.pipe()
fcntl.fcntl(r, 10, signal.SIGSTOP); fcntl.fcntl(r, fcntl.F_SETOWN, VICTIM); fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC)
os.write(w, b"x"); time.sleep(0.1)
sys.exit(open(f"/proc/{VICTIM}/stat").read().split(")")[1].split()[0] != "T")'"#),
    Attempt("its time on a processor", Anyone, Same, "py 'import resource; resource.prlimit(VICTIM, resource.RLIMIT_CPU, (1000000, 1000000))'"),
    Attempt("queues of messages", Anyone, Same, "py 'i = libc.msgget(VICTIM, 0o1600); libc.msgctl(i, 0, 0); sys.exit(i == -1 or os.readlink(\"/proc/self/ns/ipc\") != os.environ[\"IPC_NAMESPACE\"])'"),
    Attempt("shared memory segments", Anyone, Same, "py 'k = VICTIM; i = libc.shmget(k, 4096, 0o1600); libc.shmctl(i, 0, 0); sys.exit(i == -1 or os.readlink(\"/proc/self/ns/ipc\") != os.environ[\"IPC_NAMESPACE\"])'"),
}
