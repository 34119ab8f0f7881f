//! The directory in which a program starts, and which program that is.

use std::fs::{self, File};
use std::path::Path;

use super::start::Start;
use crate::support::{Tag, Workspace, is_alone, zombies};
use agent_bash::process::errno::Errno;
use agent_bash::process::spawn::{SpawnError, Step};

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn the_working_directory_is_the_open_one_whatever_its_name_is_now() {
    let place = Workspace::new();
    let (before, after) = (place.file("before"), place.file("after"));
    fs::create_dir(&before).expect("a directory");
    let directory = File::open(&before).expect("a directory");
    fs::rename(&before, &after).expect("renamed");
    fs::create_dir(&before).expect("another directory of that name");
    let tag = Tag::new();
    let by_descriptor = format!("/proc/self/fd/{}", rustix::fd::AsRawFd::as_raw_fd(&directory));
    let start = Start { directory: Path::new(&by_descriptor), ..Start::new(&tag, &["pwd", "-P"]) };
    assert_eq!(start.output().trim_end(), after.to_str().unwrap());
}

#[test]
fn a_directory_that_is_a_file_fails_at_the_directory() {
    let place = Workspace::new();
    let file = place.program("file", "", 0o600);
    let tag = Tag::new();
    let start = Start { directory: &file, ..Start::new(&tag, &["true"]) };
    assert_eq!(start.error(), SpawnError { step: Step::Directory, errno: Errno(libc::ENOTDIR) });
}

#[test]
fn a_missing_program_fails_at_execution() {
    let tag = Tag::new();
    let start = Start::new(&tag, &["/nonexistent/program"]);
    assert_eq!(start.error(), SpawnError { step: Step::Execute, errno: Errno(libc::ENOENT) });
}

#[test]
fn a_program_without_permission_is_denied() {
    let place = Workspace::new();
    let program = place.program("program", "#!/bin/sh\n", 0o600);
    let tag = Tag::new();
    let start = Start::new(&tag, &["x"]);
    let start = Start { program: program.to_str().unwrap(), ..start };
    assert_eq!(start.error(), SpawnError { step: Step::Execute, errno: Errno(libc::EACCES) });
}

#[test]
fn a_failed_start_leaves_no_process_and_no_descriptor() {
    if !is_alone("spawn::programs::a_failed_start_leaves_no_process_and_no_descriptor") {
        return;
    }
    let tag = Tag::new();
    let _ = Start::new(&tag, &["/nonexistent/program"]).error();
    let before = crate::support::open_descriptors();
    for _ in 0..20 {
        let _ = Start::new(&tag, &["/nonexistent/program"]).error();
    }
    assert_eq!(crate::support::open_descriptors(), before);
    assert_eq!(zombies(), [0; 0]);
}

#[test]
fn a_file_without_an_interpreter_line_is_run_by_the_shell() {
    let place = Workspace::new();
    let program = place.program("program", "echo \"$0 $1 $2\"\n", 0o700);
    let program = program.to_str().unwrap();
    let tag = Tag::new();
    let start = Start { program, ..Start::new(&tag, &["x", "one", "two words"]) };
    assert_eq!(start.output(), format!("{program} one two words\n"));
}

#[test]
fn an_empty_file_is_run_by_the_shell_without_arguments() {
    let place = Workspace::new();
    let program = place.program("program", "", 0o700);
    let tag = Tag::new();
    let start = Start { program: program.to_str().unwrap(), ..Start::new(&tag, &["x"]) };
    assert_eq!(start.output(), "");
}

#[test]
fn the_first_program_in_path_that_may_be_executed_runs() {
    let place = Workspace::new();
    place.program("denied/program", "#!/bin/sh\necho denied\n", 0o600);
    place.program("file", "", 0o600);
    place.program("good/program", "#!/bin/sh\necho good\n", 0o700);
    place.program("late/program", "#!/bin/sh\necho late\n", 0o700);
    let path = ["missing", "file", "denied", "good", "late"]
        .map(|name| place.file(name).to_str().unwrap().to_owned())
        .join(":");
    let tag = Tag::new();
    let start = Start { path: Some(&path), ..Start::new(&tag, &["program"]) };
    assert_eq!(start.output(), "good\n");
}

#[test]
fn a_program_that_is_only_denied_in_path_is_denied_and_not_missing() {
    let place = Workspace::new();
    place.program("denied/program", "#!/bin/sh\n", 0o600);
    let path = format!("{}:/nonexistent", place.file("denied").display());
    let tag = Tag::new();
    let start = Start { path: Some(&path), ..Start::new(&tag, &["program"]) };
    assert_eq!(start.error(), SpawnError { step: Step::Execute, errno: Errno(libc::EACCES) });
}

#[test]
fn an_empty_entry_in_path_is_the_childs_working_directory() {
    let place = Workspace::new();
    place.program("program", "#!/bin/sh\necho here\n", 0o700);
    let tag = Tag::new();
    for path in [":/nonexistent", "/nonexistent:", "/nonexistent::/none"] {
        let start = Start { path: Some(path), directory: place.path(), ..Start::new(&tag, &["program"]) };
        assert_eq!(start.output(), "here\n", "{path}");
    }
}
