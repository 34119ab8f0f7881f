//! The shell of a session: its directory, the commands that it runs, and what is seen of it.

use std::fs;
use std::path::{Path, PathBuf};

use agent_bash::helper::supervisor::protocol::enums::{FailedStep, OutputPipe};
use agent_bash::helper::supervisor::protocol::message::ToSupervisor;
use agent_bash::helper::supervisor::protocol::plan::{InShell, RemotePlan, Role, ShellFile};
use agent_bash::helper::supervisor::protocol::shell_scan::ShellScan;
use agent_bash::process::identity::Identity;

use super::client::{Sent, Supervisor, line};
use crate::support::{eventually, pid};

/// A shell that a supervisor has started.
struct TestShell {
    id: u32,
    pid: i32,
    directory: PathBuf,
}

impl TestShell {
    fn start(supervisor: &mut Supervisor) -> Self {
        let words = ["sh", "-s"].map(|word| word.as_bytes().to_vec()).to_vec();
        let missing = vec![b"/nowhere/shell".to_vec()];
        let plan = RemotePlan {
            words: vec![missing, words],
            has_input: true,
            role: Role::Shell,
            ..RemotePlan::default()
        };
        let id = supervisor.start(&plan);
        let (program, directory) = supervisor.until(|of, sent| match sent {
            Sent::Shell(program, directory) if of == id => Some((program, directory)),
            _ => None,
        });
        assert_eq!(program, 1);
        let pid = supervisor.until(|of, sent| match sent {
            Sent::Started(pid) if of == id => Some(pid),
            _ => None,
        });
        Self { id, pid: pid.cast_signed(), directory }
    }

    /// Runs the text of a file, and reports its end.
    fn run(&self, supervisor: &mut Supervisor, text: &str) -> u32 {
        let file = ShellFile { name: "command".into(), bytes: text.into(), is_constant: false };
        let part = InShell { shell: self.id, files: vec![file], has_streams: true };
        let id = supervisor.start(&RemotePlan { role: Role::InShell(part), ..RemotePlan::default() });
        let directory = self.directory.display();
        let line = format!(
            ". {directory}/command </dev/null >{directory}/o 2>{directory}/e\nprintf done >{directory}/ctl\n"
        );
        supervisor.send(self.id, ToSupervisor::Lines(line.as_bytes()));
        id
    }

    fn scan(&self, supervisor: &mut Supervisor, named: &str) -> ShellScan {
        supervisor.send(self.id, ToSupervisor::ScanShell { first: 10, named: named.as_bytes() });
        supervisor.until(|_, sent| match sent {
            Sent::ShellScan(scan) => Some(scan),
            _ => None,
        })
    }
}

#[test]
fn a_report_comes_behind_the_output_of_its_command() {
    let mut supervisor = Supervisor::new();
    let shell = TestShell::start(&mut supervisor);
    for round in 0..20 {
        let id = shell.run(&mut supervisor, &format!("seq 1 2000; echo {round}"));
        let mut output = Vec::new();
        let report = supervisor.until(|of, sent| match sent {
            Sent::Output(OutputPipe::Stdout, bytes) if of == id => {
                output.extend(bytes);
                None
            }
            Sent::Output(OutputPipe::Control, bytes) if of == shell.id => Some(bytes),
            _ => None,
        });
        assert_eq!(report, b"done");
        assert!(String::from_utf8_lossy(&output).ends_with(&format!("2000\n{round}\n")));
        supervisor.until(|of, sent| (of == id && sent == Sent::Gone).then_some(()));
    }
}

#[test]
fn output_that_is_held_open_reaches_no_later_command() {
    let mut supervisor = Supervisor::new();
    let shell = TestShell::start(&mut supervisor);
    let first = shell.run(&mut supervisor, "(sleep 0.3; echo late) &");
    supervisor.until(|of, sent| {
        matches!(sent, Sent::Output(OutputPipe::Control, _) if of == shell.id).then_some(())
    });
    let second = shell.run(&mut supervisor, "echo second; sleep 1");
    let mut outputs = Vec::new();
    supervisor.until(|of, sent| match sent {
        Sent::Output(OutputPipe::Stdout, bytes) => {
            outputs.push((of, bytes));
            None
        }
        Sent::Gone => (of == second).then_some(()),
        _ => None,
    });
    outputs.sort();
    assert_eq!(outputs, [(first, b"late\n".to_vec()), (second, b"second\n".to_vec())]);
}

#[test]
fn a_look_shows_the_shell_and_what_is_below_it() {
    let mut supervisor = Supervisor::new();
    let shell = TestShell::start(&mut supervisor);
    eventually("the shell waits", || shell.scan(&mut supervisor, "").is_idle.then_some(()));
    shell.run(&mut supervisor, "cd /usr; sleep 60");
    let scan = eventually("the program runs", || {
        Some(shell.scan(&mut supervisor, "/usr")).filter(|scan| scan.processes.len() == 1)
    });
    assert!(!scan.is_idle && !scan.is_stopped && scan.names_directory);
    assert_eq!(scan.directory.as_deref(), Some("/usr"));
    let identities: Vec<Identity> = scan.processes.iter().map(|process| process.identity).collect();
    supervisor.send(shell.id, ToSupervisor::SignalEach { number: libc::SIGKILL, identities });
    supervisor.until(|of, sent| {
        matches!(sent, Sent::Output(OutputPipe::Control, _) if of == shell.id).then_some(())
    });
    assert!(shell.scan(&mut supervisor, "").processes.is_empty());
}

#[test]
fn the_directory_goes_with_the_shell() {
    let mut supervisor = Supervisor::new();
    let shell = TestShell::start(&mut supervisor);
    assert!(shell.directory.starts_with("/tmp") && shell.directory.join("ctl").exists());
    supervisor.kill(shell.id);
    supervisor.finish(shell.id);
    eventually("the directory is gone", || (!shell.directory.exists()).then_some(()));
}

#[test]
fn a_killed_supervisor_leaves_no_directory() {
    let mut supervisor = Supervisor::new();
    let shell = TestShell::start(&mut supervisor);
    supervisor.process.kill().expect("killed");
    let is_gone = |path: &Path| !path.exists() && Identity::of(pid(shell.pid)).is_none();
    eventually("all is gone", || is_gone(&shell.directory).then_some(()));
}

#[test]
fn removed_files_are_made_again() {
    let mut supervisor = Supervisor::new();
    let shell = TestShell::start(&mut supervisor);
    fs::remove_dir_all(&shell.directory).expect("removed");
    let id = shell.run(&mut supervisor, "echo again");
    assert_eq!(supervisor.finish(id).text(), "again\n");
}

#[test]
fn a_command_without_its_shell_fails() {
    let mut supervisor = Supervisor::new();
    let other = supervisor.start(&line("sleep 60"));
    for shell in [other, 99] {
        let part = InShell { shell, files: Vec::new(), has_streams: true };
        let plan = RemotePlan { role: Role::InShell(part), ..RemotePlan::default() };
        assert_eq!(supervisor.run(&plan).failed, Some((FailedStep::Lost, libc::ESRCH)));
    }
}
