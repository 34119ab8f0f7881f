//! Modes, owners, times and attributes outside of the workspace.

#[allow(unused_imports)]
use super::{
    Attempt,
    Free::{Not, OwnDevices, OwnMounts, Same},
    Who::{Anyone, Root},
};

#[rustfmt::skip]
pub(super) const ATTEMPTS: &[Attempt] = &[
    Attempt("a mode", Anyone, Same, "chmod 600 $OUT/file"),
    Attempt("a mode of a directory", Anyone, Same, "chmod 700 $OUT/dir"),
    Attempt("a mode by a read descriptor", Anyone, Same, "py 'os.fchmod(os.open(OUT + \"/file\", os.O_RDONLY), 0o600)'"),
    Attempt("a mode by the name of a descriptor", Anyone, Same, "py 'f = os.open(OUT + \"/file\", os.O_PATH); os.chmod(f\"/proc/self/fd/{f}\", 0o600)'"),
    Attempt("a mode by a place's descriptor", Anyone, Same, "py 'f = os.open(OUT + \"/file\", os.O_PATH); call(452, f, b\"\", 0o600, 0x1000)'"),
    Attempt("a mode by a directory's descriptor", Anyone, Same, "py 'd = os.open(OUT, os.O_RDONLY); os.chmod(\"file\", 0o600, dir_fd=d)'"),
    Attempt("a mode through a link", Anyone, Same, "chmod 600 out/file"),
    Attempt("a time", Anyone, Same, "touch -d 2001-01-01 $OUT/file"),
    Attempt("the time now", Anyone, Same, "touch -c $OUT/file"),
    Attempt("a time by a read descriptor", Anyone, Same, "py 'os.utime(os.open(OUT + \"/file\", os.O_RDONLY), (1, 1))'"),
    Attempt("a time of a link", Anyone, Same, "touch -h -d 2001-01-01 $OUT/fifo"),
    #[cfg(target_arch = "x86_64")]
    Attempt("the old call for times", Anyone, Same, "py 'call(132, (OUT + \"/file\").encode(), 0)'"),
    Attempt("an owner", Root, Same, "chown 1:1 $OUT/file"),
    Attempt("the same owner", Anyone, Same, "py 'os.chown(OUT + \"/file\", os.getuid(), -1)'"),
    Attempt("an owner by a read descriptor", Anyone, Same, "py 'os.fchown(os.open(OUT + \"/file\", os.O_RDONLY), os.getuid(), -1)'"),
    Attempt("an attribute", Anyone, Same, "py 'os.setxattr(OUT + \"/file\", \"user.x\", b\"x\")'"),
    Attempt("an attribute by a read descriptor", Anyone, Same, "py 'os.setxattr(os.open(OUT + \"/file\", os.O_RDONLY), \"user.x\", b\"x\")'"),
    Attempt("an attribute of the system", Root, Same, "py 'os.setxattr(OUT + \"/file\", \"trusted.x\", b\"x\")'"),
    Attempt("an access list", Anyone, Same, "py 'os.setxattr(OUT + \"/file\", \"system.posix_acl_access\", bytes.fromhex(\"0200000001000600ffffffff04000400ffffffff20000400ffffffff\"))'"),
    Attempt("a flag of the inode", Anyone, Same, "chattr +d $OUT/file"),
    Attempt("an immutable file", Root, Same, "chattr +i $OUT/file"),
    Attempt("a flag by a read descriptor", Anyone, Same, "py 'fcntl.ioctl(os.open(OUT + \"/file\", os.O_RDONLY), 0x40086602, struct.pack(\"l\", 0x40))'"),
    Attempt("a project by a read descriptor", Anyone, Same, "py 'f = os.open(OUT + \"/file\", os.O_RDONLY); b = bytearray(28); fcntl.ioctl(f, 0x801c581f, b); fcntl.ioctl(f, 0x401c5820, bytes(b))'"),
    Attempt("the mode of a device", Root, OwnDevices, "chmod 666 /dev/null"),
    Attempt("the owner of a device", Root, OwnDevices, "chown 0:0 /dev/urandom"),
    Attempt("the time of a device", Root, OwnDevices, "touch /dev/zero"),
    Attempt("the mode of standard input", Root, OwnDevices, "py 'os.fchmod(0, 0o666)'"),
    Attempt("the owner of standard input", Root, OwnDevices, "py 'os.fchown(0, 0, 0)'"),
    Attempt("the time of standard input", Root, OwnDevices, "py 'os.utime(0)'"),
    Attempt("an attribute of standard input", Root, OwnDevices, "py 'os.setxattr(0, \"security.x\", b\"x\")'"),
    Attempt("the mode by another thread's name", Anyone, Same, "chmod 600 /proc/thread-self/root$OUT/file"),
    Attempt("the attributes by the newest call", Anyone, Not("kernels before 6.17 have no such call"), "py 'b = bytes(24); call(468, -100, (OUT + \"/file\").encode(), b, 24, 0); call(469, -100, (OUT + \"/file\").encode(), b, 24, 0)'"),
    Attempt("an attribute by a directory's descriptor", Anyone, Not("kernels before 6.13 have no such call"), "py 'd = os.open(OUT, os.O_RDONLY); v = b\"x\"; a = ctypes.create_string_buffer(v); call(463, d, b\"file\", 0, b\"user.x\", struct.pack(\"QII\", ctypes.addressof(a), 1, 0), 16)'"),
    Attempt("the mode of the workspace's parent", Anyone, Same, "chmod 755 .."),
];
