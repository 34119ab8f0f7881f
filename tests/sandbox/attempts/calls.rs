//! Rare system calls, and rare ways to use the usual ones.

attempts! {
    Attempt("link a descriptor in", Root, Same, "py 'f = os.open(OUT + \"/file\", os.O_RDONLY); call(265, f, b\"\", -100, b\"hard\", 0x1000); open(\"hard\", \"w\").write(\"x\")'"),
    Attempt("link an unnamed file out by its descriptor", Root, Same, "py 'f = os.open(\".\", os.O_TMPFILE | os.O_RDWR); call(265, f, b\"\", -100, (OUT + \"/new\").encode(), 0x1000)'"),
    Attempt("an unnamed file in a protected directory", Anyone, Same, "py 'os.open(\"memo\", os.O_TMPFILE | os.O_RDWR)'"),
    Attempt("an unnamed file linked into a protected directory", Anyone, Same, "py 'f = os.open(\".\", os.O_TMPFILE | os.O_RDWR); call(265, -100, f\"/proc/self/fd/{f}\".encode(), -100, b\"memo/new\", 0x400)'"),
    Attempt("a whiteout for a protected file", Root, Same, "py 'call(316, -100, b\"a/b/kept\", -100, b\"new\", 4)'"),
    Attempt("exchange a hidden directory and ours", Anyone, Same, "py 'call(316, -100, b\"private\", -100, b\"dir\", 2); sys.exit(not os.path.exists(\"dir/key\"))'"),
    Attempt("truncate a protected file by path", Anyone, Same, "py 'os.truncate(\"a/b/kept\", 1)'"),
    Attempt("the time of a protected directory by descriptor", Anyone, Same, "py 'os.utime(os.open(\"memo\", os.O_RDONLY), (1, 1))'"),
    Attempt("a protected file by a program in memory", Anyone, Same, "py 'f = os.memfd_create(\"x\"); os.write(f, b\"#!/bin/sh\\necho x > a/b/kept\\n\"); os.set_inheritable(f, True); os.execve(f, [\"x\"], os.environ)'"),
    Attempt("splice a pipe into a file outside", Anyone, Same, "py 'r, w = os.pipe(); os.write(w, b\"x\"); f = os.open(OUT + \"/file\", os.O_WRONLY); os.splice(r, f, 1)'"),
    Attempt("an asynchronous write", Anyone, Same, r#"py '
f = os.open(OUT + "/file", os.O_RDWR); context = ctypes.c_ulong()
call(206, 1, ctypes.byref(context))
data = ctypes.create_string_buffer(b"x")
block = ctypes.create_string_buffer(struct.pack("QIIHhIQQqQII", 0, 0, 0, 1, 0, f, ctypes.addressof(data), 1, 0, 0, 0, 0))
blocks = (ctypes.c_void_p * 1)(ctypes.addressof(block))
sys.exit(call(209, context, 1, blocks) != 1)'"#),
    Attempt("the size of a hidden file", Anyone, Same, "[ $(stat -c %s secret) = 9 ]"),
    Attempt("the owner of a hidden key", Anyone, Same, "stat -c %u private/key"),
    Attempt("a hidden file as a script", Anyone, Same, "bash -x secret 2>&1 | grep -q original"),
    Attempt("write another process's memory", Anyone, Same, r#"py '
row = [l for l in open(f"/proc/{VICTIM}/maps") if " rw-p " in l][0]
a = int(row.split("-")[0], 16); b = ctypes.create_string_buffer(1)
local = (ctypes.c_ulong * 2)(ctypes.addressof(b), 1); remote = (ctypes.c_ulong * 2)(a, 1)
call(310, VICTIM, local, 1, remote, 1, 0)
sys.exit(call(311, VICTIM, local, 1, remote, 1, 0) != 1)'"#),
    Attempt("write another process's memory by its file", Anyone, Same, "py 'a = int([l for l in open(f\"/proc/{VICTIM}/maps\") if \" rw-p \" in l][0].split(\"-\")[0], 16); m = os.open(f\"/proc/{VICTIM}/mem\", os.O_RDWR); os.pwrite(m, os.pread(m, 1, a), a)'"),
    Attempt("where another process's pages are", Anyone, Same, "py 'call(279, VICTIM, 0, 0, 0, 0, 0)'"),
    Attempt("another process's list of locks", Anyone, Same, "py 'h = ctypes.c_ulong(); call(274, VICTIM, ctypes.byref(h), ctypes.byref(h))'"),
    Attempt("another process's policy", Anyone, Same, "chrt -b -p 0 $VICTIM"),
    Attempt("a signal to a thread", Anyone, Same, "py 'call(234, VICTIM, VICTIM, 0)'"),
    Attempt("a signal by a pidfd", Anyone, Same, "py 'call(424, os.pidfd_open(VICTIM), 0, 0, 0)'"),
    Attempt("a signal to the group", Anyone, Same, "py 'os.killpg(os.getpgid(VICTIM), 0)'"),
    Attempt("a namespace by a pidfd", Root, Same, "py 'call(308, os.pidfd_open(VICTIM), 0x04000000)'"),
    Attempt("quotas by a descriptor", Anyone, Same, "py 'reaches(443, -1, 0, 0, 0)'"),
    Attempt("a process that memory pressure spares", Root, Not("root of a container can not"), "echo -900 > /proc/self/oom_score_adj"),
    Attempt("a priority above others", Root, Same, "renice -n -5 $$ > /dev/null"),
    Attempt("a processor of its own", Root, Same, "chrt -f 1 true"),
    Attempt("a higher limit", Root, Not("root of a container can not"), "n=$(ulimit -Hn); ulimit -Hn $((n + 1))"),
    Attempt("input and output before others", Root, Same, "ionice -c 1 true"),
    Attempt("a child of the monitor", Anyone, Not("there is none"), "py 'p = libc.syscall(ctypes.c_long(here(56)), 0x8000 | 17, 0, 0, 0, 0)\nif p == 0:\n    try: open(OUT + \"/new\", \"w\")\n    finally: os._exit(0)\ntime.sleep(0.3); sys.exit(not os.path.exists(OUT + \"/new\"))'"),
    Attempt("the monitor's memory", Anyone, Not("there is none"), "[ $PPID = 0 ] && for p in /proc/[0-9]*; do [ $p = /proc/$$ ] || exec 9<>$p/mem; done && true <&9"),
    Attempt("the first process by its descriptors", Anyone, Not("it is the machine's"), "[ $(readlink /proc/self/ns/pid) != $PID_NAMESPACE ] && ls /proc/1/fd | grep -q ."),
}
