//! Writing outside of the workspace.

#[allow(unused_imports)]
use super::{
    Attempt,
    Free::{Not, OwnMounts, Same},
    Who::{Anyone, Root},
};

#[rustfmt::skip]
pub(super) const ATTEMPTS: &[Attempt] = &[
    Attempt("create a file", Anyone, Same, "echo x > $OUT/new"),
    Attempt("overwrite a file", Anyone, Same, "echo x > $OUT/file"),
    Attempt("append to a file", Anyone, Same, "echo x >> $OUT/file"),
    Attempt("truncate a file", Anyone, Same, "truncate -s 0 $OUT/file && [ ! -s $OUT/file ]"),
    Attempt("truncate by opening for reading", Anyone, Same, "py 'os.open(OUT + \"/file\", os.O_RDONLY | os.O_TRUNC)'"),
    Attempt("truncate by path", Anyone, Same, "py 'os.truncate(OUT + \"/file\", 1)'"),
    Attempt("remove a file", Anyone, Same, "rm $OUT/file"),
    Attempt("remove a directory", Anyone, Same, "rmdir $OUT/empty"),
    Attempt("make a directory", Anyone, Same, "mkdir $OUT/new"),
    Attempt("rename a file", Anyone, Same, "mv $OUT/file $OUT/other"),
    Attempt("move a file in", Anyone, Same, "mv $OUT/file stolen"),
    Attempt("move a file out", Anyone, Same, "mv file $OUT/new"),
    Attempt("exchange two files", Anyone, Same, "py 'call(316, -100, (OUT + \"/file\").encode(), -100, (OUT + \"/dir/child\").encode(), 2)'"),
    Attempt("exchange with a file inside", Anyone, Same, "py 'call(316, -100, (OUT + \"/file\").encode(), -100, b\"file\", 2)'"),
    Attempt("link a file outside", Anyone, Same, "ln $OUT/file $OUT/hard"),
    Attempt("link a file in and write it", Anyone, Same, "ln $OUT/file hard && echo x > hard"),
    Attempt("link a file out", Anyone, Same, "ln file $OUT/hard"),
    Attempt("link by descriptor", Anyone, Same, "py 'f = os.open(OUT + \"/file\", os.O_RDONLY); call(265, -100, f\"/proc/self/fd/{f}\".encode(), -100, b\"hard\", 0x400)'"),
    Attempt("make a symbolic link", Anyone, Same, "ln -s x $OUT/link"),
    Attempt("make a named pipe", Anyone, Same, "mkfifo $OUT/pipe"),
    Attempt("write a named pipe", Anyone, Same, "py 'os.open(OUT + \"/fifo\", os.O_RDWR); sys.exit(0)'"),
    Attempt("write a named pipe by the link inside", Anyone, Same, "exec 9<>out/fifo && echo x >&9"),
    Attempt("make a socket", Anyone, Same, "py 'socket.socket(socket.AF_UNIX).bind(OUT + \"/socket\")'"),
    Attempt("through a link inside", Anyone, Same, "echo x > out/new"),
    Attempt("through a new link", Anyone, Same, "ln -s $OUT/file mine && echo x > mine"),
    Attempt("through the parent directory", Anyone, Same, "echo x > ../outside/new"),
    Attempt("through /proc/self/root", Anyone, Same, "echo x > /proc/self/root$OUT/new"),
    Attempt("through /proc/self/cwd", Anyone, Same, "echo x > /proc/self/cwd/../outside/new"),
    Attempt("through the parent's root", Anyone, Same, "echo x > /proc/$PPID/root$OUT/new"),
    Attempt("through the first process's root", Root, Not("a machine may forbid it"), "echo x > /proc/1/root$OUT/new"),
    Attempt("through a process of the host", Anyone, Same, "echo x > /proc/$VICTIM/root$OUT/new"),
    Attempt("through a directory's descriptor", Anyone, Same, "py 'd = os.open(OUT, os.O_RDONLY); os.open(\"new\", os.O_CREAT | os.O_WRONLY, dir_fd=d)'"),
    Attempt("through a place's descriptor", Anyone, Same, "py 'd = os.open(OUT, os.O_PATH); os.mkdir(\"new\", dir_fd=d)'"),
    Attempt("by opening a read descriptor again", Anyone, Same, "py 'f = os.open(OUT + \"/file\", os.O_RDONLY); os.write(os.open(f\"/proc/self/fd/{f}\", os.O_WRONLY), b\"x\")'"),
    Attempt("an unnamed file", Anyone, Same, "py 'os.open(OUT, os.O_TMPFILE | os.O_RDWR)'"),
    Attempt("an unnamed file of ours, linked out", Anyone, Same, "py 'f = os.open(\".\", os.O_TMPFILE | os.O_RDWR); call(265, -100, f\"/proc/self/fd/{f}\".encode(), -100, (OUT + \"/new\").encode(), 0x400)'"),
    Attempt("shared memory of a file", Anyone, Same, "py 'f = os.open(OUT + \"/file\", os.O_RDWR); mmap.mmap(f, 4)[0] = 88'"),
    Attempt("reserve space", Anyone, Same, "fallocate -l 100000 $OUT/file"),
    Attempt("punch a hole", Anyone, Same, "fallocate -p -o 0 -l 4 $OUT/file"),
    Attempt("copy in the kernel", Anyone, Same, "py 'a = os.open(\"file\", os.O_RDONLY); b = os.open(OUT + \"/file\", os.O_WRONLY); os.copy_file_range(a, b, 5)'"),
    Attempt("a write lease", Anyone, Same, "py 'f = os.open(OUT + \"/file\", os.O_RDWR); fcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_WRLCK)'"),
    Attempt("sed in place", Anyone, Same, "sed -i s/original/other/ $OUT/file"),
    Attempt("unpack over it", Anyone, Same, "mkdir x && echo x > x/file && tar c -C x . | tar x -C $OUT"),
    Attempt("a repository outside", Anyone, Same, "git init -q $OUT/dir"),
    Attempt("the directory of the workspace", Anyone, Same, "mv $ROOT ${ROOT}2"),
    Attempt("beside the workspace", Anyone, Same, "echo x > ../new && rm ../new"),
    Attempt("as a background process", Anyone, Same, "( setsid sh -c 'sleep 0.2; echo x > $OUT/new' & ); sleep 0.4; [ -e $OUT/new ]"),
    Attempt("by a debugger", Anyone, Same, "gdb -q -batch -ex 'break main' -ex run -ex 'print (int)creat(getenv(\"NEW\"), 0600)' --args env true >/dev/null 2>&1; NEW=$OUT/new; : > $NEW"),
    Attempt("a bind mount", Root, OwnMounts, "mount --bind $OUT dir && echo x > dir/new"),
    Attempt("a remount of everything", Root, OwnMounts, "mount -o remount,rw,bind / && echo x > $OUT/new"),
    Attempt("a mount in a new user namespace", Anyone, Same, "unshare --user --map-root-user --mount sh -c 'mount -t tmpfs x dir && echo x > $OUT/new'"),
    Attempt("a change of the root directory", Root, Same, "chroot / sh -c 'echo x > $OUT/new'"),
    Attempt("a file by its handle", Root, Same, r#"py '
handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128)); mount = ctypes.c_int()
call(303, -100, (OUT + "/file").encode(), handle, ctypes.byref(mount), 0)
d = os.open("/", os.O_RDONLY)
f = call(304, d, handle, os.O_WRONLY)
os.write(f, b"x")'"#),
    Attempt("the home of this user", Root, Same, "f=~root/agent-bash-test-$$; echo x > $f && rm $f"),
    Attempt("a system directory", Root, Same, "f=/usr/agent-bash-test-$$; echo x > $f && rm $f"),
    Attempt("shared memory of the host", Anyone, Same, "py 'p = \"/dev/shm/\" + os.environ[\"ABSTRACT\"].replace(\"/\", \"_\"); os.close(os.open(p, os.O_CREAT | os.O_RDWR)); d = os.stat(\"/dev/shm\").st_dev; os.unlink(p); sys.exit(d != int(os.environ[\"HOST_SHM\"]))'"),
];
