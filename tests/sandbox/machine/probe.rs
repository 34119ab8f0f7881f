//! The abilities of this machine, as the probe reports them.

use std::fs;
use std::path::Path;

use agent_bash::process::directory::private::PrivateDirectory;
use agent_bash::sandbox::options::SandboxOptions;
use agent_bash::sandbox::plan::machine::Machine;
use agent_bash::sandbox::plan::make::make;
use agent_bash::sandbox::plan::{Level, Tier};
use agent_bash::sandbox::private::PrivateDirectories;
use agent_bash::sandbox::probe::probe;
use agent_bash::sandbox::stubs;

use crate::support::{HELPER, again_as_user, full_machine, run, until};

#[test]
fn this_machine_has_namespaces() {
    let found = probe(Path::new(HELPER));
    assert_eq!((found.tier, found.reasons.len()), (Some(Tier::Namespaces), 0));
    assert_eq!(found.missing(Level::WorkspaceWrite, true), Some(Vec::new()));
}

#[test]
fn this_machine_has_namespaces_for_a_user() {
    again_as_user("machine::probe::this_machine_has_namespaces");
}

#[test]
fn a_missing_helper_gives_the_reason_once() {
    let found = probe(Path::new("/nowhere"));
    assert_eq!((found.tier, found.landlock), (None, 0));
    assert_eq!(found.reasons, ["starting the helper failed: ENOENT"]);
}

#[test]
fn a_command_runs_by_its_options_alone() {
    let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
    let home = place.path().join("home");
    let root = home.join("work");
    fs::create_dir_all(root.join("memo")).expect("a directory");
    fs::write(root.join("memo/note"), "kept").expect("a file");
    let init = std::process::Command::new("git").arg("init").arg("-q").arg(&root).status();
    assert!(init.expect("it starts").success());
    let private = PrivateDirectories::create(true).expect("directories");
    let journal = stubs::directory();
    let machine = full_machine(&root, &home, private.paths(), &journal);
    let protected = ["memo/**", "later"].map(str::to_owned).to_vec();
    for level in [Level::WorkspaceWrite, Level::Isolated] {
        let made =
            make(&SandboxOptions { protected: protected.clone(), ..SandboxOptions::of(level) }, &machine)
                .expect("a plan");
        let script = "echo a > a && git add a && git commit -qm a && echo x > ../beside && echo x > /tmp/x && cat memo/note && \
                      ! echo x > memo/note && ! mkdir later/x && ! git config a.b c && ! ls PRIVATE/tmp && exit 0";
        let script = script.replace("PRIVATE", private.paths().directory.to_str().expect("text"));
        let outcome = run(&made.plan, &root, &script);
        assert_eq!(outcome.code(), Some(0), "{level:?} {outcome:?} {made:?}");
        let again =
            run(&made.plan, &root, "[ -e ../beside ] && [ -e /tmp/x ] && git rm -q a && git commit -qm b");
        assert_eq!(again.code(), Some(0), "{level:?} {again:?}");
    }
    assert!(!home.join("beside").exists());
    // `git commit` may leave its maintenance in the background.
    until("the stubs are removed", || !root.join("later").exists() && !root.join(".git/commondir").exists());
    let made = make(&SandboxOptions::of(Level::ReadOnly), &machine).expect("a plan");
    let outcome =
        run(&made.plan, &root, "git status && ! echo x > new && ! touch memo/note && echo x > /tmp/y");
    assert_eq!(outcome.code(), Some(0), "{outcome:?}");
    let directory = private.paths().directory.clone();
    drop(private);
    assert!(!directory.exists(), "nothing is left");
}

#[test]
fn a_command_of_a_user_runs_by_its_options_alone() {
    again_as_user("machine::probe::a_command_runs_by_its_options_alone");
}

#[test]
fn the_directory_of_a_session_is_writable_and_those_of_others_are_hidden() {
    let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
    let home = place.path().join("home");
    let root = home.join("work");
    fs::create_dir_all(&root).expect("a directory");
    let private = PrivateDirectories::create(false).expect("directories");
    let session = |parent: &str| PrivateDirectory::create_in(Path::new(parent)).expect("a directory");
    let journal = stubs::directory();
    let other = session("/var/tmp");
    fs::write(other.path().join("file"), "other").expect("a file");
    for parent in ["/var/tmp", "/dev/shm", "/tmp"] {
        let own = session(parent);
        let machine = Machine {
            files: &[own.path().to_owned()],
            ..full_machine(&root, &home, private.paths(), &journal)
        };
        for level in [Level::WorkspaceWrite, Level::ReadOnly, Level::Isolated] {
            let made = make(&SandboxOptions::of(level), &machine).expect("a plan");
            let (own, other) = (own.path().display(), other.path().display());
            let outcome =
                run(&made.plan, &root, &format!("echo x > {own}/out && ! cat {other}/file && exit 7"));
            assert_eq!(outcome.code(), Some(7), "{level:?} {outcome:?}");
        }
        assert_eq!(fs::read_to_string(own.path().join("out")).expect("a file"), "x\n");
    }
}

#[test]
fn a_directory_of_durable_jobs_is_hidden() {
    let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
    let (home, jobs) = (place.path().join("home"), place.path().join("jobs"));
    let root = home.join("work");
    fs::create_dir_all(&root).expect("a directory");
    fs::create_dir(&jobs).expect("a directory");
    let _socket = std::os::unix::net::UnixListener::bind(jobs.join("socket")).expect("a socket");
    let private = PrivateDirectories::create(false).expect("directories");
    let journal = stubs::directory();
    let durable = [jobs.clone()];
    let machine = Machine { durable: &durable, ..full_machine(&root, &home, private.paths(), &journal) };
    for level in [Level::WorkspaceWrite, Level::ReadOnly, Level::Isolated] {
        let made = make(&SandboxOptions::of(level), &machine).expect("a plan");
        let outcome = run(&made.plan, &root, &format!("! test -e '{}/socket' && exit 7", jobs.display()));
        assert_eq!(outcome.code(), Some(7), "{level:?} {outcome:?}");
    }
}
