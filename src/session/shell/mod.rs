//! The shell of a session: its job, and the files through which the session communicates with it.
//!
//! [`flavor`] has the kinds of shells, and `start_lines`, `command_line` and `report_lines` have the lines
//! for each of them. [`directory`] creates the files, and `files` has their names.

pub(super) mod command_line;
pub mod directory;
pub(super) mod files;
pub mod flavor;
mod own_streams;
mod report_lines;
pub mod start_files;
mod start_lines;

use std::collections::HashSet;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::sync::mpsc::UnboundedSender;

use self::command_line::Tracing;
use self::directory::ShellDirectory;
use self::files::CTL;
use self::flavor::SessionFlavor;
use self::own_streams::OwnStreams;
use self::start_files::printed;
use crate::job::io::backpressure::{Backpressure, Demand};
use crate::job::io::observer::Observer;
use crate::job::io::observer::StreamName;
use crate::job::model::outcome::{Cause, Usage};
use crate::job::{self, Outcome};
use crate::job::{JobHandle, JobRequest};
use crate::process::blocked::{inode_of_descriptor, waits_for_open, waits_for_pipe};
use crate::process::directory::private::random;
use crate::process::directory::{current_directory, device_and_inode_seen_by};
use crate::process::fd::room::room_for_descriptors;
use crate::process::identity::Identity;
use crate::process::pipe::PipeReader;
use crate::process::registry::Owner;
use crate::process::signal::by_number;
use crate::process::table::row::Process;
use crate::process::table::{self, cpu_time};
use crate::process::tree;
use crate::session::handle::{OwnOutput, SessionMessage};
use crate::session::plan::SessionPlan;
use crate::session::report::{ReportReader, ShellReport};
use crate::text::Chunk;

/// The most output on each of a shell's own streams that is kept (bytes).
const OWN_OUTPUT: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct Shell {
    pub(super) number: u64,
    pub(super) flavor: SessionFlavor,
    pub(super) handle: JobHandle,
    pub(super) directory: ShellDirectory,
    pub(super) own_streams: OwnStreams,
    /// `$?` after the last command.
    pub(super) status: i32,
    /// What the shell traces since the last command.
    pub(super) tracing: Tracing,
    /// The shell's process, once the shell has reported for the first time. `None` where there is no process
    /// table.
    identity: Option<Identity>,
    control: PipeReader,
    /// A writing end of the control pipe, held so that the pipe does not end between two reports.
    #[allow(dead_code, reason = "it is only held")]
    control_writer: Option<OwnedFd>,
    reports: ReportReader,
    /// The inode of the shell's standard input, from which it reads its lines.
    commands: Option<u64>,
    /// The processes of commands that are over.
    older: HashSet<Identity>,
    own: Arc<Mutex<OwnOutput>>,
    used: (Duration, Duration),
}

impl Shell {
    /// Starts a shell, which reports with this token that it is ready.
    ///
    /// # Errors
    ///
    /// The system's error when its files can't be made.
    pub(super) fn start(
        plan: &SessionPlan,
        number: u64,
        owner: &Owner,
        messages: UnboundedSender<SessionMessage>,
        token: &str,
    ) -> io::Result<Self> {
        let own_streams = OwnStreams::below(plan.open_files());
        let directory = ShellDirectory::create(plan.flavor, own_streams)?;
        let (control, writer) = open_control(&directory)?;
        let flow = Arc::new(Backpressure::new(Demand::Wanted));
        let own = Arc::<Mutex<OwnOutput>>::default();
        let observer = ShellObserver { number, messages, flow: Arc::clone(&flow), own: Arc::clone(&own) };
        let mut shell_plan = plan.shell_plan();
        shell_plan.surroundings.files.push(PathBuf::from(directory.text()));
        let handle = job::start(shell_plan, owner, flow, Arc::new(observer));
        let shell = Self {
            number,
            flavor: plan.flavor,
            handle,
            directory,
            own_streams,
            status: 0,
            tracing: Tracing::default(),
            identity: None,
            control,
            control_writer: writer,
            reports: ReportReader::default(),
            commands: None,
            older: HashSet::new(),
            own,
            used: <(Duration, Duration)>::default(),
        };
        shell.send(&plan.flavor.first_lines(shell.directory.text(), plan.start_files, own_streams, token));
        shell.ask_for_report(token);
        Ok(shell)
    }

    /// Records the shell's process after its first report. Returns false while its pid is not known.
    pub(super) fn identify(&mut self) -> bool {
        let Some(pid) = self.handle.pid().and_then(Pid::from_raw) else { return false };
        self.identity = Identity::of(pid);
        if self.identity.is_some() {
            self.commands = inode_of_descriptor(pid, 0);
            self.used = cpu_time(pid).unwrap_or_default();
            self.note_older();
        }
        true
    }

    pub(super) fn pid(&self) -> Option<i32> {
        self.handle.pid()
    }

    /// Writes a line to the shell's standard input.
    pub(super) fn send(&self, line: &str) {
        self.handle.input().write(line.as_bytes().to_vec());
    }

    /// Requests a report about the end of the previous command.
    pub(super) fn ask_for_report(&self, token: &str) {
        self.send(&self.flavor.report_line(self.directory.text(), token, self.own_streams));
    }

    /// Creates the files again that a command has removed.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub(super) fn repair(&mut self) -> io::Result<()> {
        if self.directory.repair()? {
            (self.control, self.control_writer) = open_control(&self.directory)?;
        }
        Ok(())
    }

    /// Waits until the control pipe may hold a report.
    pub(super) async fn reported(&mut self) {
        // After an error, the pipe is not awaited: the next read reports the error.
        self.control.ready().await.unwrap_or_default();
    }

    /// Drops reports that no command waits for any longer.
    pub(super) fn forget_reports(&mut self) {
        self.control.read(self.reports.buffer());
        self.reports.clear();
    }

    /// Reads the control pipe, and returns the report with this token, if it is complete.
    pub(super) fn report(&mut self, token: &str) -> Option<ShellReport> {
        let buffer = self.reports.buffer();
        while let crate::process::pipe::Read::Bytes(_) = self.control.read(buffer) {}
        self.reports.find(token)
    }

    /// Returns whether the shell has read all lines and waits for the next one.
    pub(super) fn is_idle(&self) -> bool {
        matches!((self.identity, self.commands), (Some(identity), Some(inode))
            if waits_for_pipe(identity.pid, inode))
    }

    /// Returns whether a signal would make the shell go on with its list instead of giving it up: a zsh that
    /// is interrupted while it opens a named pipe reports an error, and handles the signal only after the
    /// next command.
    pub(super) fn misses_signals(&self) -> bool {
        self.flavor == SessionFlavor::Zsh
            && !self.is_idle()
            && self.identity.is_some_and(|identity| waits_for_open(identity.pid))
    }

    /// Returns whether the shell has too few descriptors left to read and redirect a command.
    pub(super) fn lacks_descriptors(&self) -> bool {
        let (first, needed) = self.flavor.needed_descriptors();
        let room = |identity: Identity| room_for_descriptors(identity.pid, first);
        self.identity.and_then(room).is_some_and(|room| room < needed)
    }

    /// Returns whether the signal of the stop trap does not reach the shell, which would go on with its list:
    /// a command has made the shell ignore it, or there is no process table.
    pub(super) fn ignores_stop(&self) -> bool {
        let Some(signal) = by_number(self.flavor.stop_signal()) else { return false };
        self.identity.is_none_or(|identity| table::ignores(identity.pid, signal))
    }

    /// Sends a signal to the shell alone.
    pub(super) fn signal(&self, signal: Signal) {
        if let Some(identity) = self.identity {
            identity.send(signal);
        }
    }

    /// Returns whether the shell is stopped or gone.
    pub(super) fn is_stopped(&self) -> bool {
        self.identity.is_none_or(|identity| table::is_stopped_or_gone(identity.pid))
    }

    /// Kills the shell alone. A shell that can't be signalled is left to its job, which also ends without the
    /// death of its processes: the shell is not identified, or has become a program of another user.
    pub(super) fn kill(&self) {
        let is_killed = |identity: Identity| identity.send(Signal::KILL) || !identity.is_alive();
        if !self.identity.is_some_and(is_killed) {
            // The request fails if the job is over, which is the goal.
            let _ = self.handle.ask(JobRequest::StopAtOnce(Cause::Killed));
        }
    }

    /// Returns the living processes of the running command: the shell's descendants except for those of
    /// earlier commands.
    pub(super) fn processes(&self) -> Vec<Process> {
        let Some(identity) = self.identity else { return Vec::new() };
        let mut excluded = HashSet::new();
        let mut found = tree::descendants(identity.pid);
        // Parents come before their children.
        found.retain(|process| {
            let is_older = self.older.contains(&process.identity) || excluded.contains(&process.parent);
            if is_older {
                excluded.insert(process.pid());
            }
            !is_older
        });
        found
    }

    /// Returns whether earlier commands have left processes, as far as is known.
    pub(super) fn has_older(&self) -> bool {
        !self.older.is_empty()
    }

    /// Records that all processes below the shell belong to commands that are over.
    pub(super) fn note_older(&mut self) {
        let Some(identity) = self.identity else { return };
        let has_none = table::children_of(identity.pid).is_some_and(|children| children.is_empty());
        self.older = if has_none {
            HashSet::new()
        } else {
            tree::descendants(identity.pid).into_iter().map(|process| process.identity).collect()
        };
    }

    /// Returns the pids that do not belong to earlier commands.
    pub(super) fn new_among(&self, mut pids: Vec<i32>) -> Vec<i32> {
        pids.retain(|&pid| !self.older.iter().any(|older| older.pid.as_raw_nonzero().get() == pid));
        pids
    }

    /// Returns the resources that the shell, and the programs that it has waited for, have used since the
    /// last call.
    pub(super) fn take_usage(&mut self) -> Option<Usage> {
        let now = cpu_time(self.identity?.pid)?;
        let (user, system) = std::mem::replace(&mut self.used, now);
        Some(Usage {
            user: now.0.saturating_sub(user),
            system: now.1.saturating_sub(system),
            peak_memory: None,
        })
    }

    /// Returns the part of a shell's total usage that falls after the last call.
    pub(super) fn rest_of_usage(&self, all: Usage) -> Usage {
        let (user, system) = self.used;
        Usage {
            user: all.user.saturating_sub(user),
            system: all.system.saturating_sub(system),
            peak_memory: None,
        }
    }

    /// Returns the directory of the shell: by its `$PWD` if that names the directory, or else by the kernel's
    /// path. In a sandbox, both are paths as the shell sees them.
    pub(super) fn true_directory(&self, named: &Path) -> String {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let Some(identity) = self.identity else { return text(named) };
        let Some(real) = current_directory(identity.pid) else { return text(named) };
        let is_true = named.is_absolute()
            && device_and_inode_seen_by(identity.pid, named) == Some(real.device_and_inode);
        real.path.filter(|_| !is_true).map_or_else(|| text(named), |real| text(&real))
    }

    /// Takes the text that the start files have printed.
    pub(super) fn take_start_output(&self, token: &str) -> OwnOutput {
        let own = self.take_own_output();
        OwnOutput { stdout: printed(&own.stdout, token), stderr: printed(&own.stderr, token) }
    }

    /// Takes the text that the shell has written to its own streams since the last call.
    pub(super) fn take_own_output(&self) -> OwnOutput {
        std::mem::take(&mut *self.own.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn open_control(directory: &ShellDirectory) -> io::Result<(PipeReader, Option<OwnedFd>)> {
    let reader = directory.open_reader(CTL)?;
    let writer = directory.open_writer(CTL);
    Ok((PipeReader::new(reader)?, writer))
}

/// Returns the token of a command, which the commands before it can't know.
pub(super) fn new_token() -> String {
    // 32 bits: two tokens in a row don't match by chance. A longer token would cost zsh one system call for
    // each byte.
    format!("{:08x}", random() & u64::from(u32::MAX))
}

/// Receives the events of the shell's job.
struct ShellObserver {
    number: u64,
    messages: UnboundedSender<SessionMessage>,
    flow: Arc<Backpressure>,
    own: Arc<Mutex<OwnOutput>>,
}

impl ShellObserver {
    fn report_end(&self, outcome: Outcome) {
        // The send fails if the session is over, which needs no report.
        let _ = self.messages.send(SessionMessage::ShellEnded(self.number, Box::new(outcome)));
    }
}

impl Observer for ShellObserver {
    fn output(&self, stream: StreamName, chunk: Chunk) {
        self.flow.consumed(chunk.len());
        let text = chunk.into_text();
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = match stream {
            StreamName::Stdout => &mut own.stdout,
            StreamName::Stderr => &mut own.stderr,
        };
        if kept.len() + text.len() <= OWN_OUTPUT {
            kept.push_str(&text);
        }
    }

    fn moved_to_background(&self, outcome: Outcome) {
        self.report_end(outcome);
    }

    fn ended(&self, outcome: Outcome) {
        self.report_end(outcome);
    }
}
