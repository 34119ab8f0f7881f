//! Privileges, and files that would give some later.

attempts! {
    Attempt("chmod u+s", Anyone, Same, "chmod u+s file"),
    Attempt("chmod g+s", Anyone, Same, "chmod g+s file"),
    Attempt("fchmod", Anyone, Same, "py 'os.fchmod(os.open(\"file\", os.O_RDONLY), 0o4755)'"),
    Attempt("fchmodat2", Anyone, Same, "py 'call(452, -100, b\"file\", 0o4755, 0)'"),
    Attempt("install", Anyone, Same, "install -m 4755 /bin/true own && [ -u own ]"),
    Attempt("open", Anyone, Same, "py 'os.umask(0); sys.exit(not os.fstat(os.open(\"own\", os.O_CREAT | os.O_WRONLY, 0o4755)).st_mode & 0o4000)'"),
    #[cfg(target_arch = "x86_64")]
    Attempt("the old open", Anyone, Same, "py 'os.umask(0); f = call(2, b\"own\", os.O_CREAT | os.O_WRONLY, 0o4755); sys.exit(not os.fstat(f).st_mode & 0o4000)'"),
    #[cfg(target_arch = "x86_64")]
    Attempt("creat", Anyone, Same, "py 'os.umask(0); f = call(85, b\"own\", 0o4755); sys.exit(not os.fstat(f).st_mode & 0o4000)'"),
    Attempt("mknod", Anyone, Same, "py 'os.umask(0); os.mknod(\"own\", 0o104755); sys.exit(not os.stat(\"own\").st_mode & 0o4000)'"),
    Attempt("an unnamed file", Anyone, Same, "py 'os.umask(0); f = os.open(\".\", os.O_TMPFILE | os.O_RDWR, 0o4755); sys.exit(not os.fstat(f).st_mode & 0o4000)'"),
    Attempt("tar", Anyone, Same, "cp /bin/true own; mkdir x; py 'import tarfile; t = tarfile.open(\"t.tar\", \"w\"); i = t.gettarinfo(\"own\"); i.mode = 0o4755; t.addfile(i, open(\"own\", \"rb\")); t.close(); os.umask(0); os.system(\"tar xpf t.tar -C x\"); sys.exit(not os.stat(\"x/own\").st_mode & 0o4000)'"),
    Attempt("a set-uid file of the workspace, written", Root, Same, "py 'f = os.open(\"program\", os.O_WRONLY); os.write(f, b\"x\"); sys.exit(not os.stat(\"program\").st_mode & 0o4000)'"),
    Attempt("a set-uid file of the workspace, mapped", Root, Same, "py 'f = os.open(\"program\", os.O_RDWR); mmap.mmap(f, 4)[0] = 88; os.pwrite(f, b\"y\", 0); sys.exit(not os.stat(\"program\").st_mode & 0o4000)'"),
    Attempt("a socket's mode", Anyone, Same, "py 'os.umask(0); s = socket.socket(socket.AF_UNIX); os.fchmod(s.fileno(), 0o4777); s.bind(\"s\")'"),
    Attempt("a device", Root, Same, "mknod own c 1 3"),
    Attempt("a disk", Root, Same, "mknod own b 254 0"),
    Attempt("a capability of a file", Root, Same, "py 'os.setxattr(\"file\", \"security.capability\", bytes.fromhex(\"0100000200040000000000000000000000000000\"))'"),
    Attempt("new privileges by a program", Anyone, Same, "grep -q 'NoNewPrivs:.*0' /proc/self/status"),
    Attempt("no filter", Anyone, Same, "grep -q 'Seccomp:.*0' /proc/self/status"),
    Attempt("the capability of an administrator", Root, Same, "py 'c = int([l for l in open(\"/proc/self/status\") if l.startswith(\"CapEff\")][0].split()[1], 16); sys.exit(not c & 1 << 21)'"),
    Attempt("the bounding set", Anyone, Not("a user has none"), "py 'c = int([l for l in open(\"/proc/self/status\") if l.startswith(\"CapBnd\")][0].split()[1], 16); sys.exit(not c & ~0xeb)'"),
    Attempt("tracing", Root, Same, "py 'c = int([l for l in open(\"/proc/self/status\") if l.startswith(\"CapPrm\")][0].split()[1], 16); sys.exit(not c & 1 << 19)'"),
    Attempt("the network's administration", Root, OwnMounts, "py 's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); fcntl.ioctl(s, 0x8914, struct.pack(\"16sH14x\", b\"lo\", 0x49))'"),
    Attempt("a low port", Root, Same, "py 's = socket.socket(); s.bind((\"127.0.0.1\", 7))'"),
    Attempt("a higher limit", Root, Not("the tests have no right to"), "py 'import resource; s, h = resource.getrlimit(resource.RLIMIT_NOFILE); resource.setrlimit(resource.RLIMIT_NOFILE, (h + 1, h + 1))'"),
    Attempt("locked memory", Root, Same, "py 'c = int([l for l in open(\"/proc/self/status\") if l.startswith(\"CapEff\")][0].split()[1], 16); sys.exit(not c & 1 << 14)'"),
}
