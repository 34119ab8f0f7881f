//! Directories, sockets and a process that attempts are made against.

use std::fs;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use agent_bash::sandbox::plan::{SandboxPlan, SandboxedCommand};
use tempfile::TempDir;

use super::Free;
use crate::support::{Outcome, PATH, command, plan, start, text};

/// Where the files are: not below `/tmp`, which is private inside.
const PARENT: &str = "/var/tmp";

/// The first lines of Python scripts.
const PRELUDE: &str = r"
import os, sys, socket, ctypes, errno, struct, stat, signal, threading, time, fcntl, mmap, select
OUT, ROOT = os.environ['OUT'], os.environ['ROOT']
VICTIM = int(os.environ['VICTIM'])
LAN, LAN_PORT = os.environ['LAN'], int(os.environ['LAN_PORT'])
# How long an answer is waited for, and a race is tried (s).
WAIT = float(os.environ['WAIT'])
libc = ctypes.CDLL(None, use_errno=True)
# The numbers in scripts are those of x86-64. From 424 on, all processors have the same.
ARM = {16: 29, 42: 203, 56: 220, 101: 117, 103: 116, 155: 41, 159: 171, 161: 51, 163: 89, 164: 170, 165: 40,
    166: 39, 167: 224, 168: 225, 169: 142, 170: 161, 171: 162, 175: 105, 176: 106, 179: 60, 227: 112, 246: 104,
    248: 217, 249: 218, 250: 219, 265: 37, 298: 241, 300: 262, 303: 264, 304: 265, 308: 268, 310: 270, 313: 273,
    316: 276, 317: 277, 321: 280, 323: 282, 206: 0, 209: 2, 234: 131, 274: 100, 279: 239, 311: 271}
def here(number):
    return ARM[number] if os.uname().machine == 'aarch64' and number < 424 else number
def call(number, *arguments):
    result = libc.syscall(ctypes.c_long(here(number)), *[ctypes.c_char_p(a) if isinstance(a, bytes) else ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if result == -1: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
def reaches(number, *arguments):
    # Whether the kernel looks at the arguments, which are wrong.
    try: call(number, *arguments)
    except OSError as error: sys.exit(error.errno in (errno.EPERM, errno.ENOSYS))
    sys.exit(0)
def is_open(s):
    # Whether a server can be reached from another machine.
    address = s.getsockname()[0]
    sys.exit(address == '::1' or address.removeprefix('::ffff:').startswith('127.') or s.getsockopt(socket.SOL_SOCKET, 25, 16)[:3] == b'lo\0')
def hears(s):
    s.settimeout(WAIT); sys.exit(s.recv(5) != b'hello')
";

/// Puts new devices in the place of the machine's, also at standard input.
const OWN_DEVICES: &str = "mount -t tmpfs devices /dev && mknod -m 666 /dev/null c 1 3 && mknod -m 666 /dev/zero c 1 5 && \
                           mknod -m 666 /dev/urandom c 1 9 && exec 0</dev/null || exit 1\n";

/// A fresh pair of directories, `root` and `outside`, and a process.
pub(crate) struct World {
    directory: TempDir,
    victim: Child,
}

impl World {
    pub(crate) fn new() -> Self {
        let directory =
            tempfile::Builder::new().prefix("agent-bash-test").tempdir_in(PARENT).expect("a directory");
        let at = |name: &str| directory.path().join(name);
        for name in [
            "outside/dir", "outside/empty", "root/memo", "root/a/b", "root/private", "root/dir",
            "root/.git/hooks",
        ] {
            fs::create_dir_all(at(name)).expect("a directory");
        }
        for name in [
            "outside/file", "outside/dir/child", "root/file", "root/memo/note", "root/a/b/kept",
            "root/secret", "root/private/key", "root/.git/config", "root/dir/file", "root/program",
        ] {
            fs::write(at(name), "original\n").expect("a file");
        }
        fs::set_permissions(at("root/program"), fs::Permissions::from_mode(0o4755)).expect("a mode");
        symlink(at("outside"), at("root/out")).expect("a link");
        symlink(at("root/secret"), at("root/to-secret")).expect("a link");
        let fifo = Command::new("mkfifo").arg(at("outside/fifo")).status();
        assert!(fifo.expect("it starts").success());
        let victim =
            Command::new("sleep").arg("1000").env("VICTIMS_SECRET", "original").stdin(Stdio::null()).spawn();
        Self { directory, victim: victim.expect("it starts") }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().join("root")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.directory.path().join("outside")
    }

    /// Writes below `root`, but for `memo`, `a/b/kept` and the configuration of git; `secret` and `private`
    /// are hidden.
    pub(crate) fn plan(&self) -> SandboxPlan {
        let mut plan = plan(&self.root());
        plan.protected =
            ["memo", "a/b/kept", ".git/config", ".git/hooks"].map(|name| self.root().join(name)).into();
        plan.hidden = ["secret", "private"].map(|name| self.root().join(name)).into();
        plan
    }

    fn environment(&self, servers: &Servers) -> Vec<(String, String)> {
        let text = |path: PathBuf| path.to_str().expect("text").to_owned();
        let own = [
            ("OUT", text(self.outside())),
            ("ROOT", text(self.root())),
            ("VICTIM", self.victim.id().to_string()),
            ("PRELUDE", PRELUDE.to_owned()),
            ("HOME", "/nonexistent".to_owned()),
            ("HOST_SHM", fs::metadata("/dev/shm").expect("a directory").dev().to_string()),
            ("IPC_NAMESPACE", text(fs::read_link("/proc/self/ns/ipc").expect("a link"))),
            ("PID_NAMESPACE", text(fs::read_link("/proc/self/ns/pid").expect("a link"))),
        ];
        own.map(|(name, value)| (name.to_owned(), value)).into_iter().chain(servers.environment()).collect()
    }

    /// Defines `py`, which runs the rest of a script as Python.
    fn script(script: &str) -> String {
        format!("py() {{ exec /usr/bin/python3 -c \"$PRELUDE\n$1\"; }}\n{script}")
    }

    pub(crate) fn run_free(&self, servers: &Servers, script: &str, free: Free) -> (bool, String) {
        let words: &[&str] = match free {
            Free::OwnMounts | Free::OwnDevices => {
                &["unshare", "--mount", "--propagation", "private", "bash", "-c"]
            }
            _ => &["bash", "-c"],
        };
        let devices = if free == Free::OwnDevices { OWN_DEVICES } else { "" };
        let script = format!("{devices}{}", Self::script(script));
        let mut free = Command::new("timeout");
        free.arg("20").args(words).arg(script).current_dir(self.root()).stdin(Stdio::null());
        let (name, value) = PATH.split_once('=').expect("a variable");
        free.env_clear().env(name, value).envs(self.environment(servers));
        // A busy host answers late and wins a race seldom; inside, there is nothing to wait for.
        free.env("WAIT", "10");
        let output = free.output().expect("it starts");
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&text).into_owned())
    }

    pub(crate) fn run_inside(&self, servers: &Servers, script: &str, plan: &SandboxPlan) -> Outcome {
        start(plan, &self.command(servers, script)).expect("a sandbox").finish()
    }

    /// Returns the command that runs a script in the workspace.
    pub(crate) fn command(&self, servers: &Servers, script: &str) -> SandboxedCommand {
        let script = Self::script(script);
        let mut command = command(&self.root(), "");
        command.candidates = vec![text("/usr/bin/timeout")];
        command.arguments = ["timeout", "20", "bash", "-c", &script].map(text).into();
        let variables = self.environment(servers);
        command.environment.retain(|variable| !variable.as_bytes().starts_with(b"HOME="));
        command.environment.push(text("WAIT=2"));
        command.environment.extend(variables.iter().map(|(name, value)| text(&format!("{name}={value}"))));
        command
    }

    /// Returns everything that must not change.
    pub(crate) fn snapshot(&self) -> Vec<String> {
        let mut rows = Vec::new();
        for name in [
            "outside", "root/memo", "root/a/b/kept", "root/secret", "root/private", "root/.git/config",
            "root/.git/hooks",
        ] {
            describe(&self.directory.path().join(name), &mut rows);
        }
        rows
    }

    pub(crate) fn victim_lives(&self) -> bool {
        fs::read(format!("/proc/{}/cmdline", self.victim.id())).is_ok_and(|line| line == b"sleep\x001000\0")
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
        // An attempt without a sandbox may have made a file immutable.
        let _ =
            Command::new("chattr").arg("-fR").arg("-i").arg(self.outside()).stderr(Stdio::null()).status();
    }
}

fn describe(path: &Path, rows: &mut Vec<String>) {
    let Ok(status) = fs::symlink_metadata(path) else {
        rows.push(format!("{} is missing", path.display()));
        return;
    };
    let content = if status.is_file() { fs::read_to_string(path).unwrap_or_default() } else { String::new() };
    let flags =
        Command::new("lsattr").arg("-d").arg(path).stderr(Stdio::null()).output().expect("it starts").stdout;
    let mut attributes = vec![0; 4096];
    let length = rustix::fs::llistxattr(path, &mut attributes[..]).unwrap_or(0);
    rows.push(format!(
        "{} {:o} {}:{} links {} time {}.{} changed {}.{} {content:?} {} {}",
        path.display(),
        status.mode(),
        status.uid(),
        status.gid(),
        status.nlink(),
        status.mtime(),
        status.mtime_nsec(),
        status.ctime(),
        status.ctime_nsec(),
        String::from_utf8_lossy(&flags),
        String::from_utf8_lossy(&attributes[..length]),
    ));
    if status.is_dir() {
        let mut names: Vec<_> =
            fs::read_dir(path).expect("a list").map(|entry| entry.expect("an entry").path()).collect();
        names.sort();
        for name in &names {
            describe(name, rows);
        }
    }
    assert!(!status.file_type().is_block_device());
}

/// Servers of the host that say `hello`.
pub(crate) struct Servers {
    directory: TempDir,
    ports: [u16; 3],
    /// A server on another address than loopback.
    elsewhere: SocketAddrV4,
    abstract_name: String,
    is_stopped: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Servers {
    pub(crate) fn start() -> Self {
        let directory =
            tempfile::Builder::new().prefix("agent-bash-test").tempdir_in(PARENT).expect("a directory");
        let is_stopped = Arc::new(AtomicBool::new(false));
        let abstract_name = format!("agent-bash-test-{}-{}", std::process::id(), directory.path().display());
        let mut threads = Vec::new();
        let mut serve = |accept: Box<dyn Fn() + Send>| {
            let is_stopped = Arc::clone(&is_stopped);
            threads.push(thread::spawn(move || {
                while !is_stopped.load(Ordering::Relaxed) {
                    accept();
                    thread::sleep(Duration::from_millis(2));
                }
            }));
        };
        let unix = UnixListener::bind(directory.path().join("stream")).expect("a socket");
        let named = SocketAddr::from_abstract_name(&abstract_name).expect("a name");
        for listener in [unix, UnixListener::bind_addr(&named).expect("a socket")] {
            listener.set_nonblocking(true).expect("an option");
            serve(Box::new(move || {
                if let Ok((mut peer, _)) = listener.accept() {
                    let _ = peer.write_all(b"hello");
                }
            }));
        }
        let datagrams = UnixDatagram::bind(directory.path().join("datagram")).expect("a socket");
        let abstract_datagrams = UnixDatagram::bind_addr(
            &SocketAddr::from_abstract_name(format!("{abstract_name}-d")).expect("a name"),
        );
        for (index, socket) in [datagrams, abstract_datagrams.expect("a socket")].into_iter().enumerate() {
            socket.set_nonblocking(true).expect("an option");
            // A datagram that arrives is noted in a file that the sender can see.
            let note = directory.path().join(format!("received-{index}"));
            fs::write(&note, "").expect("a file");
            serve(Box::new(move || {
                let mut byte = [0; 16];
                if let Ok(length) = socket.recv(&mut byte) {
                    let mut notes = fs::read(&note).unwrap_or_default();
                    notes.extend(&byte[..length]);
                    fs::write(&note, notes).expect("a file");
                }
            }));
        }
        let other = format!("{}:0", other_address());
        let internet = ["127.0.0.1:0", "[::1]:0", other.as_str()]
            .map(|address| std::net::TcpListener::bind(address).expect("a socket"));
        let addresses = internet.each_ref().map(|listener| listener.local_addr().expect("an address"));
        let std::net::SocketAddr::V4(elsewhere) = addresses[2] else { panic!("no address of IPv4") };
        let mut ports = [addresses[0].port(), addresses[1].port(), 0];
        for listener in internet {
            listener.set_nonblocking(true).expect("an option");
            serve(Box::new(move || {
                if let Ok((mut peer, _)) = listener.accept() {
                    let _ = peer.write_all(b"hello");
                }
            }));
        }
        let udp = std::net::UdpSocket::bind("127.0.0.1:0").expect("a socket");
        ports[2] = udp.local_addr().expect("an address").port();
        udp.set_nonblocking(true).expect("an option");
        serve(Box::new(move || {
            let mut byte = [0; 16];
            if let Ok((_, peer)) = udp.recv_from(&mut byte) {
                let _ = udp.send_to(b"hello", peer);
            }
        }));
        Self { directory, ports, elsewhere, abstract_name, is_stopped, threads }
    }

    fn environment(&self) -> impl Iterator<Item = (String, String)> {
        let [tcp, tcp6, udp] = self.ports;
        [
            ("SOCKETS", self.directory.path().display().to_string()),
            ("ABSTRACT", self.abstract_name.clone()),
            ("TCP", tcp.to_string()),
            ("TCP6", tcp6.to_string()),
            ("UDP", udp.to_string()),
            ("LAN", self.elsewhere.ip().to_string()),
            ("LAN_PORT", self.elsewhere.port().to_string()),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
    }
}

/// Returns the address by which this machine would send to others. Without any, all attempts use loopback,
/// where `loopback` may connect: then their table fails and says so.
fn other_address() -> Ipv4Addr {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").expect("a socket");
    let is_routed = socket.connect("192.0.2.1:9").is_ok();
    match socket.local_addr().expect("an address").ip() {
        std::net::IpAddr::V4(address) if is_routed => address,
        _ => Ipv4Addr::LOCALHOST,
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        self.threads.drain(..).for_each(|thread| thread.join().expect("it ends"));
    }
}
