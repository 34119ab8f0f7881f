//! The network, and sockets of the host.

attempts! {
    Attempt("TCP", Anyone, Same, "py 'hears(socket.create_connection((\"127.0.0.1\", int(os.environ[\"TCP\"])), 5))'"),
    Attempt("TCP by IPv6", Anyone, Same, "py 'hears(socket.create_connection((\"::1\", int(os.environ[\"TCP6\"])), 5))'"),
    Attempt("TCP by a mapped address", Anyone, Same, "py 's = socket.socket(socket.AF_INET6); s.connect((\"::ffff:127.0.0.1\", int(os.environ[\"TCP\"]))); hears(s)'"),
    Attempt("TCP by the unspecified address", Anyone, Same, "py 'hears(socket.create_connection((\"0.0.0.0\", int(os.environ[\"TCP\"])), 5))'"),
    Attempt("TCP by name", Anyone, Same, "py 'hears(socket.create_connection((\"localhost\", int(os.environ[\"TCP\"])), 5))'"),
    Attempt("TCP by the shell", Anyone, Same, "exec 9<>/dev/tcp/127.0.0.1/$TCP && read -r -n 5 word <&9 && [ $word = hello ]"),
    Attempt("TCP by curl", Anyone, Same, "curl -s --http0.9 -m 5 http://127.0.0.1:$TCP | grep -q hello"),
    Attempt("TCP without waiting", Anyone, Same, "py 's = socket.socket(); s.setblocking(False); s.connect_ex((\"127.0.0.1\", int(os.environ[\"TCP\"]))); select.select([], [s], [], 5); hears(s)'"),
    Attempt("TCP from a thread", Anyone, Same, "py 'r = []; t = threading.Thread(target=lambda: r.append(socket.create_connection((\"127.0.0.1\", int(os.environ[\"TCP\"])), 5).recv(5))); t.start(); t.join(); sys.exit(r != [b\"hello\"])'"),
    Attempt("TCP with data at once", Anyone, Same, "py 's = socket.socket(); s.sendto(b\"x\", 0x20000000, (\"127.0.0.1\", int(os.environ[\"TCP\"]))); hears(s)'"),
    Attempt("multipath TCP", Anyone, Same, "py 's = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262); s.connect((\"127.0.0.1\", int(os.environ[\"TCP\"]))); hears(s)'"),
    Attempt("UDP", Anyone, Same, "py 's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b\"x\", (\"127.0.0.1\", int(os.environ[\"UDP\"]))); hears(s)'"),
    Attempt("UDP with a connection", Anyone, Same, "py 's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect((\"127.0.0.1\", int(os.environ[\"UDP\"]))); s.send(b\"x\"); hears(s)'"),
    Attempt("a route to elsewhere", Anyone, Same, "py 's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect((\"192.0.2.1\", 9))'"),
    Attempt("a raw socket", Root, Same, "py 'socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)'"),
    Attempt("a packet socket", Root, Same, "py 'socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3)'"),
    Attempt("events of the kernel", Anyone, Same, "py 's = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, 15); s.bind((0, 1))'"),
    Attempt("generic netlink", Anyone, Same, "py 'socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)'"),
    Attempt("the host's interfaces", Anyone, Same, "grep -qE '^ *(eth|ens|enp|tap|veth|wl)' /proc/net/dev"),
    Attempt("the cryptographic sockets", Anyone, Not("not every kernel has them"), "py 'socket.socket(38, socket.SOCK_SEQPACKET)'"),
    Attempt("virtual machine sockets", Anyone, Not("not every kernel has them"), "py 'socket.socket(40, socket.SOCK_STREAM)'"),
    Attempt("a UNIX socket", Anyone, Same, "py 's = socket.socket(socket.AF_UNIX); s.connect(os.environ[\"SOCKETS\"] + \"/stream\"); hears(s)'"),
    Attempt("a UNIX socket by a relative path", Anyone, Same, "py 's = socket.socket(socket.AF_UNIX); os.chdir(os.environ[\"SOCKETS\"]); s.connect(\"stream\"); hears(s)'"),
    Attempt("a UNIX socket through a link", Anyone, Same, "ln -s $SOCKETS/stream mine; py 's = socket.socket(socket.AF_UNIX); s.connect(\"mine\"); hears(s)'"),
    Attempt("a UNIX socket through a linked directory", Anyone, Same, "ln -s $SOCKETS mine; py 's = socket.socket(socket.AF_UNIX); s.connect(\"mine/stream\"); hears(s)'"),
    Attempt("a UNIX socket through /proc/self/root", Anyone, Same, "py 's = socket.socket(socket.AF_UNIX); s.connect(\"/proc/self/root\" + os.environ[\"SOCKETS\"] + \"/stream\"); hears(s)'"),
    Attempt("a UNIX socket through a descriptor", Anyone, Same, "py 'd = os.open(os.environ[\"SOCKETS\"], os.O_PATH); s = socket.socket(socket.AF_UNIX); s.connect(f\"/proc/self/fd/{d}/stream\"); hears(s)'"),
    Attempt("a UNIX socket by its own descriptor", Anyone, Same, "py 'd = os.open(os.environ[\"SOCKETS\"] + \"/stream\", os.O_PATH); s = socket.socket(socket.AF_UNIX); s.connect(f\"/proc/self/fd/{d}\"); hears(s)'"),
    Attempt("a UNIX socket through a process of the host", Anyone, Same, "py 's = socket.socket(socket.AF_UNIX); s.connect(f\"/proc/{VICTIM}/root\" + os.environ[\"SOCKETS\"] + \"/stream\"); hears(s)'"),
    Attempt("a UNIX socket linked in", Anyone, Same, "ln $SOCKETS/stream mine && py 's = socket.socket(socket.AF_UNIX); s.connect(\"mine\"); hears(s)'"),
    Attempt("a UNIX socket in packets", Anyone, Not("the server has a stream"), "py 's = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.connect(os.environ[\"SOCKETS\"] + \"/stream\")'"),
    Attempt("an abstract name", Anyone, Same, "py 's = socket.socket(socket.AF_UNIX); s.connect(b\"\\0\" + os.environ[\"ABSTRACT\"].encode()); hears(s)'"),
    Attempt("a datagram to a path", Anyone, Same, "py 's = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.sendto(b\"x\", os.environ[\"SOCKETS\"] + \"/datagram\")'"),
    Attempt("a datagram of a raw socket to a path", Anyone, Same, "py 's = socket.socket(socket.AF_UNIX, socket.SOCK_RAW); s.sendto(b\"x\", os.environ[\"SOCKETS\"] + \"/datagram\")'"),
    Attempt("a datagram of a pair to a path", Anyone, Same, "py 's, t = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); s.sendto(b\"x\", os.environ[\"SOCKETS\"] + \"/datagram\")'"),
    Attempt("a datagram to an abstract name", Anyone, Same, "py 's = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.sendto(b\"x\", b\"\\0\" + os.environ[\"ABSTRACT\"].encode() + b\"-d\")'"),
    Attempt("a message to a path", Anyone, Same, "py 's = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.sendmsg([b\"x\"], [], 0, os.environ[\"SOCKETS\"] + \"/datagram\")'"),
    Attempt("a changed address", Anyone, Same, r#"py '
# Two paths of the same length; a thread exchanges them while the other one connects.
import itertools
inner = ROOT + "/in/"; os.mkdir("in"); server = socket.socket(socket.AF_UNIX); server.bind("in/s"); server.listen(1000)
outer = os.environ["SOCKETS"] + "/stream"
length = max(len(inner), len(outer)) + 4
pad = lambda path: struct.pack("H", 1) + path.encode().ljust(length, b"\0")
first, second = pad(ROOT + "/in/s"), pad(outer)
buffer = ctypes.create_string_buffer(first, len(first) + 1)
stop = []
def swap():
    while not stop:
        ctypes.memmove(buffer, second, len(second)); ctypes.memmove(buffer, first, len(first))
threading.Thread(target=swap, daemon=True).start()
end = time.time() + WAIT
while time.time() < end:
    s = socket.socket(socket.AF_UNIX)
    if libc.connect(s.fileno(), buffer, len(first)) == 0 and s.getpeername() == outer:
        stop.append(1); hears(s)
    s.close()
sys.exit(1)'"#),
    Attempt("io_uring", Anyone, Same, "py 'reaches(425, 0, 0)'"),
    Attempt("another stack of the network", Anyone, Same, "py 'fd = os.open(f\"/proc/{VICTIM}/ns/net\", os.O_RDONLY); reaches(308, fd, 0x10)'"),
}
