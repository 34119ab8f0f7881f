//! The start of the helper program: why it fails, and what it does when a user runs it.

use std::fs::{self};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::{identity_of, leader, register};
use crate::support::{HELPER, Tag, Workspace, reap_blocking};
use agent_bash::helper::guardian;
use agent_bash::process::errno::Errno;
use agent_bash::process::helper_program::HelperError;
use agent_bash::process::registry::{Owner, Registry};
use agent_bash::process::wait::peek;
use rustix::process::Signal;

/// Returns the error of a guardian that can't be started from this program.
fn error_of(helper: &Path) -> HelperError {
    let registry = Registry::new().expect("a table");
    guardian::start(&registry, helper).map(|_| ()).expect_err("it is no guardian")
}

#[test]
fn the_error_of_a_missing_helper_has_its_path() {
    let error = error_of(Path::new("/nowhere/agent-bash-helper"));
    assert_eq!(error, HelperError::Missing("/nowhere/agent-bash-helper".into()));
    assert_eq!(error.code(), "HELPER_MISSING");
}

#[test]
fn a_helper_without_execute_permission_is_an_error() {
    let place = Workspace::new();
    let helper = place.file("helper");
    fs::copy(HELPER, &helper).expect("copied");
    fs::set_permissions(&helper, fs::Permissions::from_mode(0o644)).expect("permissions");
    let error = error_of(&helper);
    assert_eq!(error, HelperError::NotExecutable { path: helper, errno: Errno(libc::EACCES) });
    assert_eq!(error.code(), "HELPER_MISSING");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "it mounts a file system")]
fn a_helper_on_a_noexec_file_system_is_an_error() {
    let place = Workspace::new();
    let disk = place.file("disk");
    fs::create_dir(&disk).expect("a directory");
    let mount = |words: &[&str]| std::process::Command::new(words[0]).args(&words[1..]).arg(&disk).status();
    if !mount(&["mount", "-t", "tmpfs", "-o", "noexec,mode=755", "none"]).is_ok_and(|status| status.success())
    {
        // Only root may do this.
        return;
    }
    let helper = disk.join("helper");
    fs::copy(HELPER, &helper).expect("copied");
    let error = error_of(&helper);
    let is_unmounted = mount(&["umount"]);
    assert_eq!(error, HelperError::NotExecutable { path: helper, errno: Errno(libc::EACCES) });
    assert!(is_unmounted.expect("it runs").success());
}

#[test]
fn a_helper_of_another_version_is_refused_and_does_not_act() {
    let tag = Tag::new();
    let ours = leader(&tag, "exec sleep 1000");
    let registry = Registry::new().expect("a table");
    let _slot = register(&registry, identity_of(&ours), &Owner::default());
    let place = Workspace::new();
    // A guardian would kill the leader when its host ends.
    let script = "#!/bin/sh\necho agent-bash-helper 0.0.1 >&0\nread -r _\n\
                  while read -r pid _; do kill -KILL \"$pid\"; done <&3\n";
    let helper = place.program("helper", script, 0o755);
    let error = guardian::start(&registry, &helper).map(|_| ()).expect_err("it is another version");
    assert_eq!(error, HelperError::OtherVersion { path: helper, version: "0.0.1".to_owned() });
    assert_eq!(error.code(), "HELPER_VERSION");
    assert_eq!(peek(ours.pid), None);
    rustix::process::kill_process_group(ours.pid, Signal::KILL).expect("killed");
    reap_blocking(ours.pid);
}

#[test]
fn a_program_that_is_no_helper_is_refused() {
    let place = Workspace::new();
    for script in ["#!/bin/sh\nexit 3\n", "#!/bin/sh\necho hello >&0\nread -r _\n"] {
        let helper = place.program("helper", script, 0o755);
        assert_eq!(error_of(&helper), HelperError::Silent(helper));
    }
}

#[test]
fn the_helper_prints_its_version_and_does_nothing_else_by_hand() {
    let run = |words: &[&str]| {
        let output = std::process::Command::new(HELPER).args(words).output().expect("it starts");
        (output.status.code(), String::from_utf8(output.stdout).expect("text"))
    };
    let version = format!("agent-bash-helper {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(run(&["--version"]), (Some(0), version));
    assert_eq!(run(&[]), (Some(2), String::new()));
}
