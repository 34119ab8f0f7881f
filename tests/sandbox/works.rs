//! Usual work on a project, which must succeed in a sandbox.

use crate::attempts::world::{Servers, World};
use crate::support::again_as_user;

/// A use: its name, and a script that ends with 0 if it works.
struct Use(&'static str, &'static str);

#[rustfmt::skip]
const USES: &[Use] = &[
    Use("files", "echo a > f && cat f && mkdir -p d/e && mv f d/e/g && ln d/e/g h && ln -s h l && cp -a d d2 && rm -r d d2 h l"),
    Use("modes, owners and times of own files", "touch f && chmod 640 f && chown $(id -u):$(id -g) f && touch -d 2001-01-01 f && [ $(stat -c %Y f) = 978307200 ]"),
    Use("attributes of own files", "py 'os.setxattr(\"file\", \"user.x\", b\"y\"); sys.exit(os.getxattr(\"file\", \"user.x\") != b\"y\")'"),
    Use("unnamed files", "py 'f = os.open(\".\", os.O_TMPFILE | os.O_RDWR); call(265, -100, f\"/proc/self/fd/{f}\".encode(), -100, b\"new\", 0x400); sys.exit(not os.path.exists(\"new\"))'"),
    Use("files of the system", "grep -q root /etc/passwd && ls /usr/bin > /dev/null"),
    Use("files outside", "grep -q original $OUT/file"),
    Use("protected files, for reading", "grep -q original memo/note && grep -q original a/b/kept && git config -f .git/config -l || [ $? -le 128 ]"),
    Use("files beside protected ones", "echo x > a/b/new && mv a/b/new a/b/other && rm a/b/other && echo x > .git/HEAD"),
    Use("pipes", "[ $(seq 1000 | sort -rn | head -1) = 1000 ] && mkfifo p && (echo x > p &) && read w < p && [ $w = x ]"),
    Use("substitutions of processes", "diff <(echo a) <(echo a)"),
    Use("here documents", "[ \"$(cat <<< x)\" = x ]"),
    Use("devices", "echo x > /dev/null && head -c 8 /dev/zero > z && head -c 8 /dev/urandom > r && head -c 8 /dev/random > r && [ -c /dev/full ] && ! echo x > /dev/full"),
    Use("standard streams by name", "echo x > /dev/stdout && echo x > /dev/stderr && cat /dev/stdin < file && ls /dev/fd > /dev/null"),
    Use("temporary files", "f=$(mktemp) && echo x > $f && [ -s $f ] && [ -d /tmp ] && [ $(stat -c %a /tmp) = 1777 ]"),
    Use("shared memory", "py 'from multiprocessing import shared_memory as m; s = m.SharedMemory(create=True, size=64); s.buf[0] = 1; s.close(); s.unlink()'"),
    Use("processes of Python", "py 'import multiprocessing as m; m.set_start_method(\"fork\"); p = m.Pool(2); sys.exit(p.map(abs, [-1, -2]) != [1, 2])'"),
    Use("spawned processes of Python", "echo 'import multiprocessing as m\nif __name__ == \"__main__\":\n    m.set_start_method(\"forkserver\"); p = m.Pool(2); assert p.map(abs, [-1, -2]) == [1, 2]' > x.py && /usr/bin/python3 x.py"),
    Use("signals", "(trap 'exit 7' TERM; kill -TERM $BASHPID; sleep 1); [ $? = 7 ] || exit 1; sleep 100 & kill $!; wait $!; [ $? = 143 ]"),
    Use("timeout", "timeout 0.1 sleep 10; [ $? = 124 ]"),
    Use("a signal to the group", "setsid sh -c 'trap \"exit 9\" TERM; kill -TERM 0; sleep 1'; [ $? = 9 ]"),
    Use("its process table", "[ $(readlink /proc/self/ns/pid) != $PID_NAMESPACE ] && ps ax | grep -q 'ps ax' && grep -q . /proc/cpuinfo && grep -q MemTotal /proc/meminfo && [ -r /proc/self/maps ]"),
    Use("its own process", "echo x > /proc/self/comm && echo 500 > /proc/self/oom_score_adj && ls -l /proc/self/fd > /dev/null && cat /proc/$$/environ > /dev/null"),
    Use("jobs", "set -m; sleep 0.1 & wait; jobs"),
    Use("limits", "ulimit -n 64 && [ $(ulimit -n) = 64 ]"),
    Use("a repository", "git init -q r && cd r && echo a > a && git add . && git commit -qm m && git checkout -qb b && echo b > b && git add b && git commit -qm b && git gc -q && git stash list && git fsck 2>&1 && git log --oneline | grep -q b && git clone -q . ../s && git worktree add -q ../w 2>&1 && git merge -q b"),
    Use("a C compiler and make", "printf 'int main(void) { return 3; }' > x.c && printf 'x: x.c\\n\\tcc -o x x.c\\n' > Makefile && make -s && ./x; [ $? = 3 ]"),
    Use("Python", "py 'import ssl, sqlite3; c = sqlite3.connect(\"d.sqlite\"); c.execute(\"pragma journal_mode=wal\"); c.execute(\"create table t(a)\"); c.execute(\"insert into t values (1)\"); c.commit()'"),
    Use("an environment of Python", "/usr/bin/python3 -m venv --without-pip v && v/bin/python -c 'print(1)'"),
    Use("Node", "node -e 'const a = require(\"fs\"); a.writeFileSync(\"n\", \"x\"); const s = require(\"net\").createServer(c => c.end(\"hi\")).listen(0, () => require(\"net\").connect(s.address().port).on(\"data\", d => process.exit(Number(String(d) !== \"hi\"))))'"),
    Use("a server of Node for all addresses, and fetch", "node -e 'const s = require(\"http\").createServer((q, r) => r.end(\"hi\")).listen(0, async () => { const t = await (await fetch(`http://localhost:${s.address().port}`)).text(); process.exit(Number(t !== \"hi\")) })'"),
    Use("a worker and a child of Node", "node -e 'const { Worker } = require(\"worker_threads\"); new Worker(\"process.exit(0)\", { eval: true }).on(\"exit\", () => require(\"child_process\").execFile(\"true\", e => process.exit(e ? 1 : 0)))'"),
    Use("a server on loopback", "py 's = socket.create_server((\"127.0.0.1\", 0)); c = socket.create_connection(s.getsockname(), 5); s.accept()[0].send(b\"hello\"); hears(c)'"),
    Use("a server by IPv6", "py 's = socket.create_server((\"::1\", 0), family=socket.AF_INET6); c = socket.create_connection(s.getsockname()[:2], 5); s.accept()[0].send(b\"hello\"); hears(c)'"),
    Use("many connections", "py 's = socket.create_server((\"127.0.0.1\", 0), backlog=200); cs = [socket.create_connection(s.getsockname(), 5) for _ in range(200)]'"),
    Use("connections of threads", r#"py '
s = socket.create_server(("127.0.0.1", 0), backlog=500); errors = []
def one():
    try: [socket.create_connection(s.getsockname(), 5).close() for _ in range(20)]
    except Exception as e: errors.append(e)
ts = [threading.Thread(target=one) for _ in range(16)]
[t.start() for t in ts]; [t.join() for t in ts]
sys.exit(bool(errors))'"#),
    Use("UDP inside", "py 's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind((\"127.0.0.1\", 0)); s.connect(s.getsockname()); s.send(b\"hello\"); hears(s)'"),
    Use("ping", "py 's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1); s.settimeout(5); s.sendto(bytes([8, 0, 0, 0, 0, 0, 0, 1]), (\"127.0.0.1\", 0)); s.recv(64)'"),
    Use("a UNIX socket in the workspace", "py 's = socket.socket(socket.AF_UNIX); s.bind(\"s\"); s.listen(); c = socket.socket(socket.AF_UNIX); c.connect(\"s\"); s.accept()[0].send(b\"hello\"); hears(c)'"),
    Use("a UNIX socket by its whole path", "py 's = socket.socket(socket.AF_UNIX); s.bind(ROOT + \"/dir/s\"); s.listen(); c = socket.socket(socket.AF_UNIX); c.connect(ROOT + \"/dir/s\"); s.accept()[0].send(b\"hello\"); hears(c)'"),
    Use("a UNIX socket in the temporary directory", "py 's = socket.socket(socket.AF_UNIX); s.bind(\"/tmp/s\"); s.listen(); c = socket.socket(socket.AF_UNIX); c.connect(\"/tmp/s\"); s.accept()[0].send(b\"hello\"); hears(c)'"),
    Use("a UNIX socket through a descriptor", "py 's = socket.socket(socket.AF_UNIX); s.bind(\"s\"); s.listen(); d = os.open(\".\", os.O_PATH); c = socket.socket(socket.AF_UNIX); c.connect(f\"/proc/self/fd/{d}/s\"); s.accept()[0].send(b\"hello\"); hears(c)'"),
    Use("a UNIX socket in packets", "py 's = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.bind(\"s\"); s.listen(); c = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); c.connect(\"s\"); s.accept()[0].send(b\"hello\"); hears(c)'"),
    Use("a UNIX socket from a thread in another directory", "mkdir x; py 's = socket.socket(socket.AF_UNIX); s.bind(\"x/s\"); s.listen(); os.chdir(\"x\"); c = socket.socket(socket.AF_UNIX); t = threading.Thread(target=lambda: c.connect(\"s\")); t.start(); t.join(); s.accept()[0].send(b\"hello\"); hears(c)'"),
    Use("an abstract name inside", "py 's = socket.socket(socket.AF_UNIX); s.bind(b\"\\0x\"); s.listen(); c = socket.socket(socket.AF_UNIX); c.connect(b\"\\0x\"); s.accept()[0].send(b\"hello\"); hears(c)'"),
    Use("a pair of sockets", "py 'a, b = socket.socketpair(); a.send(b\"hello\"); hears(b)'"),
    Use("a refused connection", "py 'try: socket.create_connection((\"127.0.0.1\", 1), 5)\nexcept ConnectionRefusedError: sys.exit(0)\nsys.exit(1)'"),
    Use("a missing socket", "py 'try: socket.socket(socket.AF_UNIX).connect(\"nothing\")\nexcept FileNotFoundError: sys.exit(0)\nsys.exit(1)'"),
    Use("a socket that nobody serves", "py 's = socket.socket(socket.AF_UNIX); s.bind(\"s\"); s.close()\ntry: socket.socket(socket.AF_UNIX).connect(\"s\")\nexcept ConnectionRefusedError: sys.exit(0)\nsys.exit(1)'"),
    Use("a connection that is undone", "py 's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect((\"127.0.0.1\", 9)); call(42, s.fileno(), bytes(16), 16)'"),
    Use("a full backlog does not stop others", r#"py '
s = socket.socket(socket.AF_UNIX); s.bind("full"); s.listen(1)
def fill():
    socket.socket(socket.AF_UNIX).connect("full")
ts = [threading.Thread(target=fill, daemon=True) for _ in range(8)]
[t.start() for t in ts]; time.sleep(0.2)
o = socket.socket(socket.AF_UNIX); o.bind("other"); o.listen(); c = socket.socket(socket.AF_UNIX); c.settimeout(5); c.connect("other")
print("ok", flush=True); os._exit(0)'"#),
    Use("a debugger", "printf 'int main(void) { return 3; }' > x.c && cc -g -o x x.c && gdb -q -batch -ex 'break main' -ex run -ex 'print 40 + 2' ./x 2>&1 | grep -q '= 42'"),
    Use("a tracer", "strace -f -o t sh -c 'cat file' && grep -q openat t"),
    Use("a terminal of its own", "script -qec 'tty && test -t 0' /dev/null < /dev/null | grep -q /dev/pts"),
    Use("many processes", "for i in $(seq 100); do (exit 0) & done; wait"),
    Use("no secrets of the monitor", "[ $(ls /proc/self/fd | wc -l) -le 5 ]"),
    Use("hidden paths are there but empty", "[ -e secret ] && [ -d private ] && [ -z \"$(ls -A private)\" ]"),
    Use("its user", "[ $(id -u) = $(stat -c %u file) ]"),
];

fn run_uses() {
    let servers = Servers::start();
    let mut wrong = Vec::new();
    for Use(name, script) in USES {
        let world = World::new();
        let outcome = world.run_inside(&servers, script, &world.plan());
        if outcome.code() != Some(0) {
            wrong.push(format!("{name}: {:?} {:?} {}", outcome.code(), outcome.signal(), outcome.output));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), USES.len(), wrong.join("\n"));
}

#[test]
fn usual_work_works() {
    run_uses();
}

#[test]
fn usual_work_works_for_a_user() {
    again_as_user("works::usual_work_works");
}
