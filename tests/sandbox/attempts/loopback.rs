//! Leaving the host's loopback, with the network `loopback`. `$LAN` is another address of this machine.

attempts! {
    Attempt("another address", Anyone, Same, "py 'hears(socket.create_connection((LAN, LAN_PORT), 5))'"),
    Attempt("another address, mapped", Anyone, Same, "py 's = socket.socket(socket.AF_INET6); s.connect((\"::ffff:\" + LAN, LAN_PORT)); hears(s)'"),
    Attempt("another address without waiting", Anyone, Same, "py 's = socket.socket(); s.setblocking(False); s.connect_ex((LAN, LAN_PORT)); select.select([], [s], [], 5); hears(s)'"),
    Attempt("with data at once", Anyone, Same, "py 's = socket.socket(); s.sendto(b\"x\", 0x20000000, (LAN, LAN_PORT)); hears(s)'"),
    Attempt("with a message at once", Anyone, Same, "py 's = socket.socket(); s.sendmsg([b\"x\"], [], 0x20000000, (LAN, LAN_PORT)); hears(s)'"),
    Attempt("with data at the connection", Anyone, Same, "py 's = socket.socket(); s.setsockopt(6, 30, 1); s.connect((LAN, LAN_PORT)); s.send(b\"x\"); hears(s)'"),
    Attempt("with another address for the data", Anyone, Not("the kernel takes no second address"), "py 's = socket.socket(); s.setsockopt(6, 30, 1); s.connect((\"127.0.0.1\", int(os.environ[\"TCP\"]))); s.sendto(b\"x\", (LAN, LAN_PORT)); sys.exit(s.getpeername()[0] != LAN)'"),
    Attempt("multipath TCP", Anyone, Same, "py 's = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262); s.connect((LAN, LAN_PORT)); hears(s)'"),
    Attempt("a datagram", Anyone, Same, "py 's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b\"x\", (LAN, 9))'"),
    Attempt("a datagram to loopback", Anyone, Same, "py 's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b\"x\", (\"127.0.0.1\", int(os.environ[\"UDP\"]))); hears(s)'"),
    Attempt("ICMP", Root, Same, "py 's = socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); s.sendto(bytes([8, 0, 0, 0, 0, 0, 0, 1]), (LAN, 0))'"),
    Attempt("a server for all", Anyone, Same, "py 's = socket.socket(); s.bind((\"0.0.0.0\", 0)); s.listen(); is_open(s)'"),
    Attempt("a server for all by IPv6", Anyone, Same, "py 's = socket.socket(socket.AF_INET6); s.bind((\"::\", 0)); s.listen(); is_open(s)'"),
    Attempt("a server on another address", Anyone, Same, "py 's = socket.socket(); s.bind((LAN, 0)); s.listen(); is_open(s)'"),
    Attempt("a server without an address", Anyone, Same, "py 's = socket.socket(); s.listen(); is_open(s)'"),
    Attempt("a server bound as a path", Anyone, Same, r#"py '
# A thread exchanges the address of a path for one of the internet while the kernel reads it.
path = struct.pack("H", 1) + b"/x".ljust(14, b"\0"); internet = struct.pack("!BBH4s8x", 2, 0, 0, bytes(4))
buffer = ctypes.create_string_buffer(path, 16); stop = []
def swap():
    while not stop: ctypes.memmove(buffer, internet, 16); ctypes.memmove(buffer, path, 16)
threading.Thread(target=swap, daemon=True).start()
end = time.time() + WAIT
while time.time() < end:
    s = socket.socket()
    if libc.bind(s.fileno(), buffer, 16) == 0:
        stop.append(1)
        s.listen(); is_open(s)
sys.exit(1)'"#),
    Attempt("a server that was a client", Anyone, Not("a race, which is seldom won"), r#"py '
# The address of a client is on loopback; it goes with the connection, while another thread listens.
undo = struct.pack("H14x", 0); end = time.time() + WAIT
while time.time() < end:
    s = socket.socket(); s.connect(("127.0.0.1", int(os.environ["TCP"])))
    t = threading.Thread(target=lambda: libc.connect(s.fileno(), undo, 16)); t.start()
    r = libc.listen(s.fileno(), 1); t.join()
    if r == 0 and not s.getsockname()[0].startswith("127."): is_open(s)
sys.exit(1)'"#),
    Attempt("a server on an abstract name", Anyone, Same, "py 's = socket.socket(socket.AF_UNIX); s.bind(b\"\\0\" + os.environ[\"ABSTRACT\"].encode() + str(os.getpid()).encode()); s.listen()'"),
    Attempt("a server on the kernel's own name", Anyone, Same, "py 's = socket.socket(socket.AF_UNIX); libc.bind(s.fileno(), struct.pack(\"H\", 1), 2); s.listen(); sys.exit(not s.getsockname())'"),
    Attempt("a server on an exchanged name", Anyone, Same, r#"py '
name = os.environ["ABSTRACT"].encode() + str(os.getpid()).encode()
path = struct.pack("H", 1) + b"p".ljust(40, b"\0"); abstract = struct.pack("H", 1) + b"\0" + name[-39:].rjust(39, b"x")
buffer = ctypes.create_string_buffer(path, 42); stop = []
def swap():
    while not stop: ctypes.memmove(buffer, abstract, 42); ctypes.memmove(buffer, path, 42)
threading.Thread(target=swap, daemon=True).start()
end = time.time() + WAIT
while time.time() < end:
    s = socket.socket(socket.AF_UNIX)
    if libc.bind(s.fileno(), buffer, 42) == 0 and libc.listen(s.fileno(), 1) == 0 and s.getsockname()[:1] in (b"\0", 0): sys.exit(0)
    s.close()
    try: os.unlink("p")
    except OSError: pass
sys.exit(1)'"#),
    Attempt("the host's abstract name", Anyone, Same, "py 's = socket.socket(socket.AF_UNIX); s.connect(b\"\\0\" + os.environ[\"ABSTRACT\"].encode()); hears(s)'"),
    Attempt("the host's socket", Anyone, Same, "py 's = socket.socket(socket.AF_UNIX); s.connect(os.environ[\"SOCKETS\"] + \"/stream\"); hears(s)'"),
    Attempt("a datagram of a pair to a path", Anyone, Same, "py 's, t = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); s.sendto(b\"x\", os.environ[\"SOCKETS\"] + \"/datagram\")'"),
    Attempt("out of the interface", Root, Same, "py 's = socket.socket(); s.setsockopt(socket.SOL_SOCKET, 25, b\"lo\"); s.setsockopt(socket.SOL_SOCKET, 25, b\"\"); s.connect((LAN, LAN_PORT)); hears(s)'"),
}
