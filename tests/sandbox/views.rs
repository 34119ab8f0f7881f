//! Levels, tiers, networks and places, by plans made by hand.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use agent_bash::sandbox::plan::{Level, NetworkMode, Place, SandboxPlan, Source, Tier};
use agent_bash::sandbox::protocol::report::{RefusalReason, SandboxRefusal};

use crate::attempts::world::{Servers, World};
use crate::support::{Outcome, again_as_user, command, plan, run, start, text, until};

/// Checks a script that ends with 0.
#[track_caller]
fn works(outcome: &Outcome) {
    assert_eq!(outcome.code(), Some(0), "{outcome:?}");
}

#[test]
fn a_private_home_takes_writes_and_the_hosts_stays() {
    let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
    let at = |name: &str| place.path().join(name);
    for name in ["home/.ssh", "home/work", "layer/upper", "layer/work"] {
        fs::create_dir_all(at(name)).expect("a directory");
    }
    fs::write(at("home/file"), "old").expect("a file");
    fs::write(at("home/.ssh/key"), "key").expect("a file");
    let mut plan = plan(&at("home/work"));
    let source = Source::Overlay { upper: at("layer/upper"), work: at("layer/work") };
    plan.places.insert(0, Place { path: at("home"), source });
    plan.hidden = vec![at("home/.ssh"), at("layer")];
    let script = "cat ../file && echo new > ../file && echo x > ../more && echo w > file && [ -z \"$(ls ../.ssh)\" ] && \
                  [ $(cat ../file) = new ] && [ -z \"$(ls ../../layer)\" ]";
    let outcome = run(&plan, &at("home/work"), script);
    works(&outcome);
    works(&run(&plan, &at("home/work"), "[ $(cat ../file) = new ] && [ -e ../more ] && [ $(cat file) = w ]"));
    // Otherwise the end of each command would write all unwritten files of the disk.
    works(&run(&plan, &at("home/work"), "grep -q ' - overlay .*[,=]volatile' /proc/self/mountinfo"));
    assert_eq!(fs::read_to_string(at("home/file")).expect("a file"), "old");
    assert!(!at("home/more").exists());
    assert_eq!(fs::read_to_string(at("home/work/file")).expect("a file"), "w\n");
}

#[test]
fn a_private_home_takes_writes_of_a_user() {
    again_as_user("views::a_private_home_takes_writes_and_the_hosts_stays");
}

#[test]
fn a_socket_of_the_host_in_a_private_home_is_refused_and_one_of_the_command_is_not() {
    let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
    let at = |name: &str| place.path().join(name);
    for name in ["home/work", "layer/upper", "layer/work"] {
        fs::create_dir_all(at(name)).expect("a directory");
    }
    let _server = std::os::unix::net::UnixListener::bind(at("home/s")).expect("a socket");
    let mut plan = plan(&at("home/work"));
    let source = Source::Overlay { upper: at("layer/upper"), work: at("layer/work") };
    plan.places.insert(0, Place { path: at("home"), source });
    let script = r#"/usr/bin/python3 -c '
import socket, os
c = socket.socket(socket.AF_UNIX)
try:
    c.connect("../s"); os._exit(1)
except PermissionError: pass
s = socket.socket(socket.AF_UNIX); s.bind("../own"); s.listen()
c = socket.socket(socket.AF_UNIX); c.connect("../own")
s = socket.socket(socket.AF_UNIX); s.bind("here"); s.listen()
c = socket.socket(socket.AF_UNIX); c.connect("here")'"#;
    let outcome = run(&plan, &at("home/work"), script);
    works(&outcome);
    assert_eq!(outcome.refused, [SandboxRefusal::Socket { path: "../s".into() }]);
}

#[test]
fn sockets_in_a_private_home_are_told_apart_for_a_user() {
    again_as_user("views::a_socket_of_the_host_in_a_private_home_is_refused_and_one_of_the_command_is_not");
}

#[test]
fn a_read_only_sandbox_writes_its_temporary_directory_alone() {
    let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
    let mut plan = plan(place.path());
    plan.level = Level::ReadOnly;
    plan.places.retain(|place| place.path == Path::new("/tmp"));
    works(&run(&plan, place.path(), "! echo x > new && echo x > /tmp/new && ! chmod 700 . && ! mkdir d"));
}

#[test]
fn a_root_below_the_temporary_directory_is_writable_and_nothing_else_of_it_is_seen() {
    let place = tempfile::tempdir_in("/tmp").expect("a directory");
    works(&run(&plan(place.path()), place.path(), "echo x > new && [ $(ls -A /tmp | wc -l) = 1 ]"));
    assert!(place.path().join("new").exists());
}

/// Reads system directories and the workspace.
fn isolated(plan: &mut SandboxPlan) {
    plan.level = Level::Isolated;
    let system = ["/bin", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/usr"];
    plan.readable = Some(system.map(Into::into).into());
}

#[test]
fn an_isolated_sandbox_sees_the_system_and_the_workspace_alone() {
    let world = World::new();
    let servers = Servers::start();
    let mut plan = world.plan();
    isolated(&mut plan);
    let script = "[ ! -e $OUT ] && [ ! -e /var/log ] && [ ! -e /sys ] && [ ! -e /home ] && [ ! -e /boot ] && ls /usr/bin > /dev/null \
                  && echo x > new && ! echo x > memo/new && ! echo x > /new && ! echo x > /usr/new && ! mkdir /etc/new && \
                  [ -z \"$(ls -A private)\" ] && [ ! -e /proc/1/root/boot ] && echo x > /tmp/x && cat /proc/self/mountinfo > m && \
                  ! grep -q ' /var/log ' m && git init -q r && cd r && git add . && \
                  /usr/bin/python3 -c 'import socket; s = socket.create_server((\"127.0.0.1\", 0)); socket.create_connection(s.getsockname())'";
    works(&world.run_inside(&servers, script, &plan));
    assert!(world.root().join("new").exists());
}

#[test]
fn an_isolated_sandbox_of_a_user_sees_the_system_and_the_workspace_alone() {
    again_as_user("views::an_isolated_sandbox_sees_the_system_and_the_workspace_alone");
}

#[test]
fn with_loopback_servers_of_the_host_are_reached_and_others_are_not() {
    let world = World::new();
    let servers = Servers::start();
    let plan = SandboxPlan { network: NetworkMode::Loopback, ..world.plan() };
    let script = r#"py '
hello = lambda s: (s.settimeout(5), s.recv(5))[1] == b"hello" or sys.exit(f"silent {s}")
hello(socket.create_connection(("127.0.0.1", int(os.environ["TCP"])), 5))
hello(socket.create_connection(("::1", int(os.environ["TCP6"])), 5))
def refused(f, *numbers):
    try: f()
    except OSError as e:
        if e.errno in numbers: return
        raise
    sys.exit(f"reached {numbers}")
refused(lambda: socket.create_connection(("192.0.2.1", 80), 5), errno.ENETUNREACH)
refused(lambda: socket.create_connection(("::ffff:192.0.2.1", 80), 5), errno.ENETUNREACH)
refused(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM), errno.EACCES)
refused(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262), errno.EACCES)
refused(lambda: socket.socket().sendto(b"x", 0x20000000, ("127.0.0.1", int(os.environ["TCP"]))), errno.EOPNOTSUPP)
a = socket.socket(socket.AF_UNIX)
refused(lambda: a.connect(b"\0" + os.environ["ABSTRACT"].encode()), errno.EACCES)
refused(lambda: a.connect(os.environ["SOCKETS"] + "/stream"), errno.EACCES)
refused(lambda: a.bind(b"\0x"), errno.EACCES)
a.bind("own"); a.listen(); socket.socket(socket.AF_UNIX).connect("own")
s = socket.socket(); s.bind(("0.0.0.0", 0)); s.listen(); assert s.getsockname()[0] == "127.0.0.1", s.getsockname()
s = socket.socket(); s.listen(); assert s.getsockname()[0] == "127.0.0.1", s.getsockname()
s = socket.socket(socket.AF_INET6); s.bind(("::", 0)); s.listen(); assert s.getsockname()[0] == "::", s.getsockname()
assert s.getsockopt(1, 25, 16).rstrip(b"\0") == b"lo", "the socket is on every interface"
s = socket.socket(socket.AF_INET6); s.setsockopt(41, 26, 1); s.bind(("::", 0)); s.listen(); assert s.getsockname()[0] == "::1", s.getsockname()
refused(lambda: socket.socket().bind(("192.0.2.1", 0)), errno.EADDRNOTAVAIL)
'"#;
    let outcome = world.run_inside(&servers, script, &plan);
    works(&outcome);
    let refused = SandboxRefusal::Network {
        host: "192.0.2.1".to_owned(),
        port: 80,
        reason: RefusalReason::NotLoopback,
    };
    assert_eq!(outcome.refused[..2], [refused.clone(), refused]);
    assert_eq!(outcome.refused.len(), 4);
}

#[test]
fn with_loopback_servers_are_reached_by_a_user() {
    again_as_user("views::with_loopback_servers_of_the_host_are_reached_and_others_are_not");
}

#[test]
fn with_the_network_on_sockets_of_the_host_stay_refused() {
    let world = World::new();
    let servers = Servers::start();
    let plan = SandboxPlan { network: NetworkMode::On, ..world.plan() };
    let script = r#"py '
hello = lambda s: (s.settimeout(5), s.recv(5))[1] == b"hello" or sys.exit(f"silent {s}")
hello(socket.create_connection(("127.0.0.1", int(os.environ["TCP"])), 5))
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b"x", ("127.0.0.1", int(os.environ["UDP"]))); hello(s)
a = socket.socket(socket.AF_UNIX)
for name in [b"\0" + os.environ["ABSTRACT"].encode(), os.environ["SOCKETS"] + "/stream"]:
    try: a.connect(name); sys.exit(f"reached {name}")
    except PermissionError: pass
'"#;
    let outcome = world.run_inside(&servers, script, &plan);
    works(&outcome);
    assert_eq!(outcome.refused.len(), 2);
}

#[test]
fn with_the_network_on_sockets_stay_refused_to_a_user() {
    again_as_user("views::with_the_network_on_sockets_of_the_host_stay_refused");
}

#[test]
fn without_a_process_table_of_its_own_processes_are_not_touched() {
    let world = World::new();
    let servers = Servers::start();
    let plan = SandboxPlan { tier: Tier::SharedProcesses, ..world.plan() };
    let script = "! cat /proc/$VICTIM/cmdline && ! kill -TERM $VICTIM && ! cat /proc/$VICTIM/environ && ! cat /proc/$VICTIM/maps && \
                  ! ls /proc/$VICTIM/root/ && ! echo x > $OUT/new && echo x > new && \
                  ! echo x > /proc/sys/kernel/core_pattern && sleep 1 & wait $! && kill -0 $$ && \
                  ! /usr/bin/python3 -c 'import socket, os; socket.socket(socket.AF_UNIX).connect(os.environ[\"SOCKETS\"] + \"/stream\")' && \
                  ! /usr/bin/python3 -c 'import socket, os; socket.socket(socket.AF_UNIX).connect(\"/proc/\" + os.environ[\"VICTIM\"] + \"/root\" + os.environ[\"SOCKETS\"] + \"/stream\")' && \
                  /usr/bin/python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.bind(\"s\"); s.listen(); socket.socket(socket.AF_UNIX).connect(\"s\")'";
    let outcome = world.run_inside(&servers, script, &plan);
    works(&outcome);
    assert!(world.victim_lives());
}

#[test]
fn without_a_process_table_of_its_own_processes_are_not_touched_by_a_user() {
    again_as_user("views::without_a_process_table_of_its_own_processes_are_not_touched");
}

/// A plan for Landlock alone.
fn by_landlock(level: Level, place: &Path) -> SandboxPlan {
    let mut plan = SandboxPlan { tier: Tier::Landlock, level, ..plan(place) };
    plan.places.retain(|at| level != Level::ReadOnly && at.path != Path::new("/tmp"));
    plan
}

#[test]
fn landlock_alone_writes_nothing_at_the_level_read_only() {
    let world = World::new();
    let servers = Servers::start();
    let plan = by_landlock(Level::ReadOnly, &world.root());
    let script = "! echo x > file && ! echo x > new && ! chmod 600 file && ! touch file && ! rm file && ! mv file f && ! truncate -s 0 file && \
                  cat file && echo x > /dev/null && [ $(echo a | cat) = a ] && ! kill -TERM $VICTIM && ! echo > /dev/tcp/127.0.0.1/$TCP && \
                  ! chattr +d file && exit 0";
    let before = fs::metadata(world.root().join("file")).expect("a file");
    works(&world.run_inside(&servers, script, &plan));
    let after = fs::metadata(world.root().join("file")).expect("a file");
    let changed = |of: &fs::Metadata| (of.ctime(), of.ctime_nsec(), of.len());
    assert_eq!(changed(&before), changed(&after));
    assert!(world.victim_lives());
}

#[test]
fn landlock_alone_writes_nothing_of_a_user() {
    again_as_user("views::landlock_alone_writes_nothing_at_the_level_read_only");
}

#[test]
fn landlock_alone_writes_the_workspace() {
    let world = World::new();
    let servers = Servers::start();
    let plan = by_landlock(Level::WorkspaceWrite, &world.root());
    let script = "echo x > new && mkdir d && mv new d && touch d/new && chmod 600 d/new && ! echo x > $OUT/new && ! echo x > out/file && \
                  ! mv $OUT/file f && ! echo > /dev/tcp/127.0.0.1/$TCP && exit 7";
    let before = world.snapshot();
    let outcome = world.run_inside(&servers, script, &plan);
    assert_eq!(outcome.code(), Some(7), "{outcome:?}");
    assert_eq!(before, world.snapshot());
}

#[test]
fn landlock_alone_writes_the_workspace_of_a_user() {
    again_as_user("views::landlock_alone_writes_the_workspace");
}

#[test]
fn landlock_alone_reports_a_program_that_can_not_be_executed() {
    let place = tempfile::tempdir().expect("a directory");
    let mut missing = command(place.path(), "");
    missing.candidates = vec![text("/nowhere")];
    let failure = start(&by_landlock(Level::ReadOnly, place.path()), &missing).err().expect("it fails");
    assert_eq!(failure.errno.0, libc::ENOENT);
}

#[test]
#[ignore = "needs root"]
fn root_works_in_the_workspace_of_another_user() {
    let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
    std::os::unix::fs::chown(place.path(), Some(12345), Some(12345)).expect("an owner");
    fs::set_permissions(place.path(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).expect("a mode");
    let script = "echo x > new && chown 12345 new && setpriv --reuid 12345 --regid 12345 --clear-groups sh -c 'echo y > own && \
                  grep -q CapEff:.*0000000000000000 /proc/self/status' && [ $(stat -c %u own) = 12345 ]";
    works(&run(&plan(place.path()), place.path(), script));
    let plan = SandboxPlan { tier: Tier::Landlock, ..plan(place.path()) };
    let plan = SandboxPlan { places: plan.places[1..].to_vec(), ..plan };
    works(&run(&plan, place.path(), "echo x > more && chown 12345 more"));
}

#[test]
fn without_a_process_table_of_its_own_a_background_process_keeps_its_sockets() {
    let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
    let plan = SandboxPlan { tier: Tier::SharedProcesses, ..plan(place.path()) };
    let script = "/usr/bin/python3 -c '
import socket, os, time
while not os.path.exists(\"go\"): time.sleep(0.01)
s = socket.socket(socket.AF_UNIX); s.bind(\"s\"); s.listen(); socket.socket(socket.AF_UNIX).connect(\"s\"); open(\"done\", \"w\")
' >/dev/null 2>&1 </dev/null &";
    let started = start(&plan, &command(place.path(), script)).expect("a sandbox");
    let init = started.running.init.expect("an init");
    assert_eq!(started.finish().code(), Some(0));
    fs::write(place.path().join("go"), "").expect("a file");
    until("the process has connected", || place.path().join("done").exists());
    until("the init ends", || !Path::new(&format!("/proc/{init}")).exists());
}

#[test]
fn without_a_process_table_of_its_own_everything_ends_with_its_monitor() {
    let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
    let plan = SandboxPlan { tier: Tier::SharedProcesses, ..plan(place.path()) };
    // Orphans in sessions of their own, one of which goes on to start others.
    let script = "setsid sh -c 'echo $$ > first; exec sleep 1000' & \
                  setsid sh -c 'echo $$ > second; while :; do sleep 0.01 & wait; done' & sleep 1000";
    let started = start(&plan, &command(place.path(), script)).expect("a sandbox");
    let pid_in = |name: &str| fs::read_to_string(place.path().join(name)).unwrap_or_default();
    until("they run", || pid_in("first").ends_with('\n') && pid_in("second").ends_with('\n'));
    rustix::process::kill_process(started.process.pid, rustix::process::Signal::KILL).expect("killed");
    started.wait();
    for name in ["first", "second"] {
        until(name, || !Path::new(&format!("/proc/{}", pid_in(name).trim())).exists());
    }
}

#[test]
fn without_a_process_table_of_its_own_everything_of_a_user_ends_with_its_monitor() {
    again_as_user("views::without_a_process_table_of_its_own_everything_ends_with_its_monitor");
}

#[test]
fn without_a_process_table_of_its_own_an_isolated_command_has_its_own_files_of_proc() {
    let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
    let readable = ["/bin", "/etc", "/lib", "/lib64", "/sbin", "/usr"].map(Into::into).into();
    let plan = SandboxPlan {
        tier: Tier::SharedProcesses,
        level: Level::Isolated,
        readable: Some(readable),
        ..plan(place.path())
    };
    works(&run(&plan, place.path(), "cat <(echo x) && grep -q cpu /proc/cpuinfo && [ -e /proc/$$/comm ]"));
}

#[test]
fn without_a_process_table_of_its_own_a_command_ends_with_its_monitor() {
    let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
    let plan = SandboxPlan { tier: Tier::SharedProcesses, ..plan(place.path()) };
    let started = start(&plan, &command(place.path(), "echo $$ > pid; exec sleep 1000")).expect("a sandbox");
    until("it runs", || fs::read_to_string(place.path().join("pid")).is_ok_and(|pid| pid.ends_with('\n')));
    let pid = fs::read_to_string(place.path().join("pid")).expect("a file");
    rustix::process::kill_process(started.process.pid, rustix::process::Signal::KILL).expect("killed");
    started.wait();
    until("it has ended", || !Path::new(&format!("/proc/{}", pid.trim())).exists());
}
