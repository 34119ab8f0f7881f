//! Missing protected paths.

use std::fs;
use std::path::Path;

use agent_bash::sandbox::plan::{SandboxPlan, Stub};
use agent_bash::sandbox::stubs::clean;
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{again_as_user, command, plan, run, start, until};

/// A workspace with a plan that protects `memo/deep`, which is missing.
fn workspace() -> (tempfile::TempDir, SandboxPlan) {
    let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
    let root = place.path().join("root");
    fs::create_dir(&root).expect("a directory");
    let mut plan = plan(&root);
    plan.stubs = vec![Stub { path: root.join("memo/deep"), content: None }];
    plan.journal = Some(place.path().join("journal"));
    (place, plan)
}

#[test]
fn a_missing_protected_path_can_not_be_created_and_nothing_of_its_stub_is_left() {
    let (place, plan) = workspace();
    let root = place.path().join("root");
    let script = "git init -q . && git status --porcelain && ! echo x > memo/deep/new && ! rmdir memo/deep && ! mv memo m && \
                  ! mv memo/deep d && ! rm -rf memo/deep && ! mkdir memo/deep/x && ! ln -s x memo/deep/l && echo refused";
    let outcome = run(&plan, &root, script);
    assert!(outcome.output.ends_with("refused\n") && !outcome.output.contains("?? "), "{outcome:?}");
    assert!(outcome.running.remover.is_some());
    assert!(!root.join("memo").exists());
}

#[test]
fn a_missing_protected_path_can_not_be_created_by_a_user() {
    again_as_user("stubs::a_missing_protected_path_can_not_be_created_and_nothing_of_its_stub_is_left");
}

#[test]
fn a_stub_stays_until_the_last_command_that_needs_it_has_ended() {
    for first_ends_first in [true, false] {
        let (place, plan) = workspace();
        let root = place.path().join("root");
        let script = |name: &str| {
            format!(
                "touch ready-{name}; while [ ! -e go-{name} ]; do sleep 0.01; done; ! echo x > memo/deep/new"
            )
        };
        let first = start(&plan, &command(&root, &script("a"))).expect("a sandbox");
        let second = start(&plan, &command(&root, &script("b"))).expect("a sandbox");
        let (earlier, later, names) =
            if first_ends_first { (first, second, ["a", "b"]) } else { (second, first, ["b", "a"]) };
        fs::write(root.join(format!("go-{}", names[0])), "").expect("a file");
        assert_eq!(earlier.finish().code(), Some(0));
        assert!(root.join("memo/deep").is_dir());
        fs::write(root.join(format!("go-{}", names[1])), "").expect("a file");
        assert_eq!(later.finish().code(), Some(0));
        assert!(!root.join("memo").exists());
    }
}

#[test]
fn a_background_process_keeps_the_stub() {
    let (place, plan) = workspace();
    let root = place.path().join("root");
    let script =
        "(while [ ! -e go ]; do sleep 0.01; done; echo x > memo/deep/new; echo $? > done) >/dev/null 2>&1 &";
    assert_eq!(run(&plan, &root, script).code(), Some(0));
    assert!(root.join("memo/deep").is_dir());
    fs::write(root.join("go"), "").expect("a file");
    until("the stub is removed", || !root.join("memo").exists());
    assert_eq!(fs::read_to_string(root.join("done")).expect("a file"), "1\n");
}

#[test]
fn nothing_is_left_when_a_process_of_the_sandbox_is_killed() {
    for killed in ["monitor", "init", "remover"] {
        let (place, plan) = workspace();
        let root = place.path().join("root");
        let started = start(&plan, &command(&root, "sleep 1000")).expect("a sandbox");
        let pid = match killed {
            "monitor" => started.process.pid,
            "init" => Pid::from_raw(started.running.init.expect("an init")).expect("a pid"),
            _ => Pid::from_raw(started.running.remover.expect("a remover")).expect("a pid"),
        };
        kill_process(pid, Signal::KILL).expect("killed");
        if killed == "remover" {
            assert!(root.join("memo/deep").is_dir());
            kill_process(started.process.pid, Signal::KILL).expect("killed");
            // The next start of the engine cleans.
            until("the next start removes the stub", || {
                clean(&place.path().join("journal"));
                !root.join("memo").exists()
            });
        }
        started.wait();
        until(&format!("the stub is removed after the {killed}"), || !root.join("memo").exists());
    }
}

#[test]
fn the_stub_of_git_keeps_its_configuration_and_git_works() {
    let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
    let root = place.path().join("root");
    let elsewhere = place.path().join("root/elsewhere");
    fs::create_dir_all(&elsewhere).expect("a directory");
    let init = std::process::Command::new("git").arg("init").arg("-q").arg(&root).status();
    assert!(init.expect("it starts").success());
    let commondir = root.join(".git/commondir");
    let mut plan = plan(&root);
    plan.stubs = vec![Stub { path: commondir.clone(), content: Some(b".".to_vec()) }];
    plan.protected = vec![root.join(".git/config"), root.join(".git/hooks")];
    plan.journal = Some(place.path().join("journal"));
    let script = "set -e; echo a > a; git add a; git commit -qm a; git checkout -qb b; echo b > b; git add b; git commit -qm b; \
                  git checkout -q -; git merge -q b; git rebase -q b; git stash list; git tag t; git gc -q; git fsck; git worktree add -q w; \
                  ! echo ../elsewhere > .git/commondir; ! mv .git/commondir x; ! rm -f .git/commondir; ! git config a.b c; ! mv .git g; echo done";
    let outcome = run(&plan, &root, script);
    assert!(outcome.output.ends_with("done\n"), "{outcome:?}");
    assert!(!commondir.exists());
    assert!(Path::new(&root).join(".git/refs/tags/t").exists() || root.join(".git/packed-refs").exists());
}

#[test]
fn the_stub_of_git_works_for_a_user() {
    again_as_user("stubs::the_stub_of_git_keeps_its_configuration_and_git_works");
}

#[test]
fn a_path_that_nobody_here_can_create_needs_no_stub() {
    if rustix::process::geteuid().is_root() {
        return again_as_user("stubs::a_path_that_nobody_here_can_create_needs_no_stub");
    }
    let (place, mut plan) = workspace();
    let root = place.path().join("root");
    plan.stubs.push(Stub { path: root.join("closed/later"), content: None });
    fs::create_dir(root.join("closed")).expect("a directory");
    fs::set_permissions(root.join("closed"), std::os::unix::fs::PermissionsExt::from_mode(0o555))
        .expect("a mode");
    let outcome = run(&plan, &root, "! mkdir closed/later && ! echo x > memo/deep/x && exit 7");
    assert_eq!(outcome.code(), Some(7), "{outcome:?}");
}

#[test]
fn a_file_that_the_host_replaces_is_protected_again() {
    let (place, mut plan) = workspace();
    let root = place.path().join("root");
    fs::write(root.join("kept"), "old").expect("a file");
    plan.protected = vec![root.join("kept")];
    let script =
        "touch ready; while grep -q old kept; do sleep 0.01; done; sleep 0.3; echo x > kept; echo $?";
    let started = start(&plan, &command(&root, script)).expect("a sandbox");
    until("it waits", || root.join("ready").exists());
    for name in ["secret", "kept"] {
        fs::write(place.path().join("new"), "new").expect("a file");
        fs::rename(place.path().join("new"), root.join(name)).expect("renamed");
    }
    let outcome = started.finish();
    assert!(!outcome.output.contains("new"), "{outcome:?}");
    assert!(outcome.output.ends_with("Read-only file system\n1\n"), "{outcome:?}");
    assert_eq!(fs::read_to_string(root.join("kept")).expect("a file"), "new");
}

#[test]
fn a_file_that_the_host_replaces_is_protected_again_for_a_user() {
    again_as_user("stubs::a_file_that_the_host_replaces_is_protected_again");
}
