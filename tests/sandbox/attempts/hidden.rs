//! Hidden paths: `secret` and `private`.

#[allow(unused_imports)]
use super::{
    Attempt,
    Free::{Not, OwnDevices, OwnMounts, Same},
    Who::{Anyone, Root},
};

#[rustfmt::skip]
pub(super) const ATTEMPTS: &[Attempt] = &[
    Attempt("read a file", Anyone, Same, "grep -q original secret"),
    Attempt("read a file below", Anyone, Same, "grep -q original private/key"),
    Attempt("list a directory", Anyone, Same, "ls private | grep -q key"),
    Attempt("through a link", Anyone, Same, "grep -q original to-secret"),
    Attempt("through a new link", Anyone, Same, "ln -s secret mine && grep -q original mine"),
    Attempt("by another name", Anyone, Same, "ln secret name && grep -q original name"),
    Attempt("by moving it", Anyone, Same, "mv secret name && grep -q original name"),
    Attempt("by moving its directory", Anyone, Same, "mv private name && grep -q original name/key"),
    Attempt("by exchanging it", Anyone, Same, "py 'call(316, -100, b\"secret\", -100, b\"file\", 2); sys.exit(open(\"file\").read() != \"original\\n\")'"),
    Attempt("by copying it", Anyone, Same, "cp secret copy && grep -q original copy"),
    Attempt("by packing it", Anyone, Same, "tar c private | grep -aq original"),
    Attempt("through /proc/self/root", Anyone, Same, "grep -q original /proc/self/root$ROOT/secret"),
    Attempt("through /proc/self/cwd", Anyone, Same, "grep -q original /proc/self/cwd/private/key"),
    Attempt("through the place outside", Anyone, Same, "grep -q original out/../root/secret"),
    Attempt("by opening a place again", Anyone, Same, "py 'f = os.open(\"secret\", os.O_PATH); sys.exit(open(f\"/proc/self/fd/{f}\").read() != \"original\\n\")'"),
    Attempt("by mapping it", Anyone, Same, "py 'f = os.open(\"secret\", os.O_RDONLY); sys.exit(mmap.mmap(f, 8, prot=mmap.PROT_READ)[:8] != b\"original\")'"),
    Attempt("by sending it", Anyone, Same, "py 'f = os.open(\"secret\", os.O_RDONLY); o = os.open(\"copy\", os.O_CREAT | os.O_RDWR); os.sendfile(o, f, 0, 8); sys.exit(os.pread(o, 8, 0) != b\"original\")'"),
    Attempt("by a process of the host", Anyone, Same, "grep -q original /proc/$VICTIM/root$ROOT/secret"),
    Attempt("after its mode", Anyone, Same, "chmod 644 secret; grep -q original secret"),
    Attempt("after unmounting it", Root, Not("nothing is mounted"), "umount secret; umount private; grep -q original secret"),
    Attempt("by a bind mount", Root, OwnMounts, "mount --bind . dir && grep -q original dir/secret"),
    Attempt("by the disk", Root, Not("a machine may forbid it"), "d=$(findmnt -no SOURCE -T $ROOT); head -c 512 $d > /dev/null"),
];
