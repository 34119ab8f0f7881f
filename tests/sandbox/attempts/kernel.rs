//! The interfaces of the kernel. Calls have wrong arguments: it counts whether the kernel looks at them.

attempts! {
    Attempt("mount", Root, Same, "py 'reaches(165, 0, 0, 0, 0, 0)'"),
    Attempt("umount2", Root, Same, "py 'reaches(166, b\"/nowhere\", 0)'"),
    Attempt("pivot_root", Root, Same, "py 'reaches(155, b\"/nowhere\", b\"/nowhere\")'"),
    Attempt("chroot", Root, Same, "py 'reaches(161, b\"/\")'"),
    Attempt("setns", Anyone, Same, "py 'reaches(308, -1, 0)'"),
    Attempt("open_tree", Anyone, Same, "py 'reaches(428, -100, b\"/\", 0)'"),
    Attempt("move_mount", Root, Same, "py 'reaches(429, -1, b\"\", -1, b\"\", 0)'"),
    Attempt("fsopen", Root, Same, "py 'reaches(430, b\"nothing\", 0)'"),
    Attempt("fsconfig", Anyone, Same, "py 'reaches(431, -1, 0, 0, 0, 0)'"),
    Attempt("fsmount", Root, Same, "py 'reaches(432, -1, 0, 0)'"),
    Attempt("fspick", Root, Same, "py 'reaches(433, -1, b\"/nowhere\", 0)'"),
    Attempt("mount_setattr", Root, Same, "py 'reaches(442, -1, b\"/nowhere\", 0, 0, 0)'"),
    Attempt("a user namespace", Anyone, Same, "unshare --user true"),
    Attempt("a mount namespace", Root, Same, "unshare --mount true"),
    Attempt("a network namespace", Root, Same, "unshare --net true"),
    Attempt("a process namespace", Root, Same, "unshare --pid --fork true"),
    Attempt("a name space", Root, Same, "unshare --uts true"),
    Attempt("a cgroup namespace", Root, Same, "unshare --cgroup true"),
    Attempt("a time namespace", Root, Same, "unshare --time true"),
    Attempt("a user namespace by clone", Anyone, Same, "py 'p = libc.syscall(here(56), 0x10000011, 0, 0, 0, 0)\nif p == 0: os._exit(0)\nsys.exit(p < 0)'"),
    Attempt("clone3", Anyone, Same, "py 'reaches(435, 0, 0)'"),
    Attempt("bpf", Root, Same, "py 'reaches(321, 9999, 0, 0)'"),
    Attempt("perf_event_open", Anyone, Same, "py 'reaches(298, 0, 0, 0, 0, 0)'"),
    Attempt("userfaultfd", Anyone, Same, "py 'reaches(323, 0xffff)'"),
    Attempt("fanotify_init", Root, Same, "py 'reaches(300, 0xffffff, 0)'"),
    Attempt("open_by_handle_at", Root, Same, "py 'reaches(304, -1, 0, 0)'"),
    Attempt("keyctl", Anyone, Same, "py 'reaches(250, 0, -3, 0)'"),
    Attempt("add_key", Anyone, Same, "py 'reaches(248, 0, 0, 0, 0, 0)'"),
    Attempt("request_key", Anyone, Same, "py 'reaches(249, 0, 0, 0, 0)'"),
    Attempt("io_uring_setup", Anyone, Same, "py 'reaches(425, 0, 0)'"),
    Attempt("init_module", Root, Not("not every kernel has it"), "py 'reaches(175, 0, 0, 0)'"),
    Attempt("finit_module", Root, Not("not every kernel has it"), "py 'reaches(313, -1, b\"\", 0)'"),
    Attempt("delete_module", Root, Not("not every kernel has it"), "py 'reaches(176, b\"nothing\", 0)'"),
    Attempt("kexec_load", Root, Not("not every kernel has it"), "py 'reaches(246, 0, 9999, 0, 0)'"),
    Attempt("swapon", Root, Same, "py 'reaches(167, b\"/nowhere\", 0)'"),
    Attempt("swapoff", Root, Same, "py 'reaches(168, b\"/nowhere\")'"),
    Attempt("reboot", Root, Not("too near"), "py 'reaches(169, 0, 0, 0, 0)'"),
    Attempt("acct", Root, Same, "py 'reaches(163, b\"/nowhere\")'"),
    Attempt("quotactl", Anyone, Same, "py 'reaches(179, -1, b\"/nowhere\", 0, 0)'"),
    Attempt("the clock", Root, Same, "py 'reaches(227, 9999, 0)'"),
    Attempt("the time of day", Root, Same, "py 'reaches(164, 1, 0)'"),
    Attempt("the clock's rate", Anyone, Same, "py 'reaches(159, 1)'"),
    Attempt("the kernel's log", Root, Same, "py 'reaches(103, 9999, 0, 0)'"),
    #[cfg(target_arch = "x86_64")]
    Attempt("ports", Root, Not("not every kernel has it"), "py 'reaches(173, 0xffffff, 1, 1)'"),
    #[cfg(target_arch = "x86_64")]
    Attempt("the level of ports", Anyone, Not("not every kernel has it"), "py 'reaches(172, 9)'"),
    Attempt("the host's name", Root, Same, "py 'reaches(170, b\"x\", -1)'"),
    Attempt("the domain's name", Root, Same, "py 'reaches(171, b\"x\", -1)'"),
    Attempt("openat2", Anyone, Same, "py 'reaches(437, -100, b\"/\", 0, 0)'"),
    Attempt("a setting of the kernel", Root, Same, "f=/proc/sys/kernel/core_pattern; v=$(cat $f); printf '%s\\n' \"$v\" > $f"),
    Attempt("a setting of the network", Root, Same, "f=/proc/sys/net/ipv4/ip_default_ttl; v=$(cat $f); echo $v > $f"),
    Attempt("the emergency keys", Root, Not("not every kernel has it"), "echo h > /proc/sysrq-trigger"),
    Attempt("a control group", Root, Same, "d=/sys/fs/cgroup/unified/agent-bash-test-$$; mkdir $d && rmdir $d"),
    Attempt("an event of a device", Root, Same, "echo change > /sys/class/mem/null/uevent"),
    Attempt("the memory of the kernel", Root, Not("not every kernel has it"), "head -c 16 /proc/kcore | grep -q ELF"),
    Attempt("the keys of the kernel", Root, Not("not every kernel has them"), "[ -s /proc/keys ]"),
    Attempt("the kernel's messages", Root, Same, "py 'os.open(\"/dev/kmsg\", os.O_RDONLY | os.O_NONBLOCK)'"),
    Attempt("the machine's memory", Root, Same, "[ -e /dev/mem ] || [ -e /dev/vda ] || [ -e /dev/kmsg ]"),
    Attempt("a disk", Root, Same, "ls /dev | grep -qE '^(vd|sd|nvme|xvd)'"),
    Attempt("a loop device", Root, Not("not every machine has one"), "[ -e /dev/loop-control ] || [ -e /dev/loop0 ]"),
    Attempt("the program of the first process", Root, Not("it is the machine's"), "[ $(readlink /proc/self/ns/pid) != $PID_NAMESPACE ] && exec 9>/proc/1/exe"),
    Attempt("the map of users", Anyone, Not("it has one"), "echo '0 0 1' > /proc/self/uid_map"),
    Attempt("the map of groups", Anyone, Not("it has one"), "echo allow > /proc/self/setgroups && [ $(cat /proc/self/setgroups) = allow ] && [ $(id -u) != 0 ]"),
    Attempt("the terminals of the host", Anyone, Not("there may be none"), "ls /dev/pts | grep -q '^[0-9]'"),
    Attempt("another line discipline", Anyone, Same, "py 'm, s = os.openpty(); fcntl.ioctl(s, 0x5423, struct.pack(\"i\", 0))'"),
    Attempt("typing into a terminal", Root, Same, "py 'm, s = os.openpty(); fcntl.ioctl(s, 0x5412, b\"x\")'"),
    Attempt("typing into a terminal, with other high bits", Root, Same, "py 'm, s = os.openpty(); b = ctypes.create_string_buffer(b\"x\"); call(16, s, 0x700005412, b)'"),
    Attempt("another family of sockets", Root, Same, r"py '
for family in set(range(48)) - {1, 2, 10, 16}:
    for kind in 1, 2, 3, 5:
        try: socket.socket(family, kind); sys.exit(0)
        except OSError: pass
sys.exit(1)'"),
    Attempt("another protocol of netlink", Anyone, Same, r"py '
for protocol in set(range(32)) - {0, 4}:
    try: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol); sys.exit(0)
    except OSError: pass
sys.exit(1)'"),
    #[cfg(target_arch = "x86_64")]
    Attempt("32-bit calls", Anyone, Same, r#"cat > x.c <<'C'
int main(void) { int r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(20) : "memory", "r8", "r9", "r10", "r11"); return r <= 0; }
C
cc -o x x.c && ./x"#),
    #[cfg(target_arch = "x86_64")]
    Attempt("x32 calls", Anyone, Not("few kernels have them"), "py 'sys.exit(libc.syscall(ctypes.c_long(0x40000000 + 39)) <= 0)'"),
    Attempt("a second listener for calls", Anyone, Not("it would have to come first"), r#"py '
# A newer filter that asks would come before the sandbox own one.
import array
code = struct.pack("HBBI", 0x06, 0, 0, 0x7fc00000)
buffer = ctypes.create_string_buffer(code)
program = struct.pack("HxxxxxxQ", 1, ctypes.addressof(buffer))
call(317, 1, 8, ctypes.create_string_buffer(program))'"#),
}
