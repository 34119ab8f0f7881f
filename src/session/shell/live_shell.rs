//! A shell that runs.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Resource, getrlimit};
use tokio::sync::mpsc::UnboundedSender;

use super::control_pipe::ControlPipe;
use super::directory::ShellDirectory;
use super::flavor::SessionFlavor;
use super::lines::command_line::Tracing;
use super::lines::own_streams::OwnStreams;
use super::lines::prompt_hooks::HIDES_HOOKS;
use super::observer::ShellObserver;
use super::place::{BelowShell, LocalShell, ShellPlace, TargetShell};
use super::start_files::output_of_start_files;
use crate::job;
use crate::job::io::backpressure::{Backpressure, Demand};
use crate::job::model::outcome::{Cause, Usage};
use crate::job::prompts::Answer;
use crate::job::{JobHandle, JobRequest};
use crate::process::directory::private::random;
use crate::process::identity::Identity;
use crate::process::identity::Pid;
use crate::process::registry::Owner;
use crate::process::signal::Signal;
use crate::process::signal::by_number;
use crate::session::handle::{OwnOutput, SessionMessage};
use crate::session::plan::SessionPlan;
use crate::session::report::ShellReport;
use crate::target::remote_command::TargetReport;
use crate::target::shell::ShellSlot;

#[derive(Debug)]
pub(in crate::session) struct LiveShell {
    pub(in crate::session) number: u64,
    pub(in crate::session) flavor: SessionFlavor,
    pub(in crate::session) handle: JobHandle,
    pub(in crate::session) own_streams: OwnStreams,
    /// `$?` after the last command.
    pub(in crate::session) status: i32,
    /// The tracing of the shell since the last command.
    pub(in crate::session) tracing: Tracing,
    /// Whether the shell has hidden hooks since the last report.
    pub(in crate::session) hides_hooks: bool,
    pub(in crate::session) place: ShellPlace,
    control: ControlPipe,
    /// The processes of commands that are over.
    older: HashSet<Identity>,
    own: Arc<Mutex<OwnOutput>>,
    used: (Duration, Duration),
}

impl LiveShell {
    /// Starts a shell. On this machine, it reports with this token that it is ready; on a target, it has to
    /// be [connected](Self::connect) first.
    ///
    /// # Errors
    ///
    /// The system's error when its files can't be made.
    pub(in crate::session) fn start(
        plan: &SessionPlan,
        number: u64,
        owner: &Owner,
        messages: UnboundedSender<SessionMessage>,
        token: &str,
    ) -> io::Result<Self> {
        let own_streams = OwnStreams::below(open_files(plan));
        let flavor = plan.flavor(0);
        let slot = ShellSlot::default();
        let mut shell_plan = plan.shell_plan(&slot);
        let (place, control) = if plan.is_elsewhere() {
            (ShellPlace::Target(Box::new(TargetShell::new(slot.subscribe()))), ControlPipe::awaited())
        } else {
            let (here, control) = LocalShell::new(ShellDirectory::create(flavor, own_streams)?)?;
            shell_plan.surroundings.files.push(PathBuf::from(here.directory.text()));
            (ShellPlace::Local(Box::new(here)), ControlPipe::open(control))
        };
        let flow = Arc::new(Backpressure::new(Demand::Wanted));
        let own = Arc::<Mutex<OwnOutput>>::default();
        let observer = ShellObserver { number, messages, flow: Arc::clone(&flow), own: Arc::clone(&own) };
        let handle = job::start(shell_plan, owner, flow, Arc::new(observer));
        let shell = Self {
            number,
            flavor,
            handle,
            own_streams,
            status: 0,
            tracing: Tracing::default(),
            hides_hooks: false,
            place,
            control,
            older: HashSet::new(),
            own,
            used: <(Duration, Duration)>::default(),
        };
        if shell.is_connected() {
            shell.send_first_lines(plan, token);
        }
        Ok(shell)
    }

    fn send_first_lines(&self, plan: &SessionPlan, token: &str) {
        let lines = self.flavor.first_lines(
            self.directory(),
            plan.start_files,
            self.own_streams,
            token,
            plan.reads_state(),
        );
        self.send(&lines);
        self.ask_for_report(token);
    }

    /// Returns whether the shell has got its first lines.
    pub(in crate::session) const fn is_connected(&self) -> bool {
        !self.control.is_awaited()
    }

    /// Sends the first lines to a shell that runs on a target since [`Self::reported`]. It reports with this
    /// token that it is ready.
    ///
    /// # Errors
    ///
    /// The system's error there when its files can't be made.
    pub(in crate::session) async fn connect(&mut self, plan: &SessionPlan, token: &str) -> io::Result<()> {
        let ShellPlace::Target(there) = &mut self.place else { return Ok(()) };
        let (program, control) = there.connect().ok_or(io::ErrorKind::NotConnected)?;
        self.flavor = plan.flavor(program);
        self.control.set(control);
        there.write_files(self.flavor, self.own_streams).await?;
        self.send_first_lines(plan, token);
        Ok(())
    }

    /// Records the shell's process after its first report. Returns false while its pid is not known.
    pub(in crate::session) async fn identify(&mut self) -> bool {
        match &mut self.place {
            ShellPlace::Local(here) => {
                let Some(pid) = self.handle.pid().and_then(Pid::from_raw) else { return false };
                here.identify(pid);
            }
            ShellPlace::Target(_) => self.refresh().await,
        }
        self.used = self.place.cpu_time().unwrap_or_default();
        self.record_background_processes();
        true
    }

    pub(in crate::session) fn pid(&self) -> Option<i32> {
        match &self.place {
            ShellPlace::Local(_) => self.handle.pid(),
            ShellPlace::Target(there) => there.pid(),
        }
    }

    /// Returns the shell's private directory, as its lines contain it.
    pub(in crate::session) fn directory(&self) -> &str {
        self.place.directory()
    }

    /// Scans a shell on a target anew. On this machine, each fact is read when it is needed.
    pub(in crate::session) async fn refresh(&mut self) {
        self.refresh_in(Path::new("")).await;
    }

    /// Scans a shell on a target anew. The shell names its directory `named`.
    pub(in crate::session) async fn refresh_in(&mut self, named: &Path) {
        let (first, _) = self.flavor.needed_descriptors();
        self.place.refresh(first, named).await;
    }

    /// Returns the time that a signal and its effect are under way besides.
    pub(in crate::session) const fn latency(&self) -> Duration {
        self.place.latency()
    }

    /// Writes a line to the shell's standard input.
    pub(in crate::session) fn send(&self, line: &str) {
        match &self.place {
            ShellPlace::Local(_) => {
                self.handle.input().write(line.as_bytes().to_vec());
            }
            ShellPlace::Target(there) => there.send(line),
        }
    }

    /// Answers a question of a program in the shell, or refuses an answer.
    pub(in crate::session) fn answer(&self, number: u32, answer: Option<Answer>) {
        // The questions of a shell that has ended are refused already.
        let _ = self.handle.ask(JobRequest::AnswerPrompt(number, answer));
    }

    /// Ends the lines, so that the shell ends.
    pub(in crate::session) fn end_lines(&self) {
        match &self.place {
            ShellPlace::Local(_) => self.handle.input().end(),
            ShellPlace::Target(there) => there.end_lines(),
        }
    }

    /// Requests a report about the end of the previous command.
    pub(in crate::session) fn ask_for_report(&self, token: &str) {
        self.send(&self.flavor.report_line(self.directory(), token, self.own_streams));
    }

    /// Creates the files again that a command has removed.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub(in crate::session) async fn repair(&mut self) -> io::Result<()> {
        match &mut self.place {
            ShellPlace::Local(here) => {
                if let Some(pipe) = here.repair()? {
                    self.control.set(pipe);
                }
                Ok(())
            }
            ShellPlace::Target(there) => there.repair().await,
        }
    }

    /// Waits until the control pipe may hold a report, or until a shell on a target runs.
    pub(in crate::session) async fn reported(&mut self) {
        match &mut self.place {
            ShellPlace::Target(there) if self.control.is_awaited() => there.launched().await,
            _ => self.control.ready().await,
        }
    }

    /// Drops reports that no command waits for any longer.
    pub(in crate::session) fn forget_reports(&mut self) {
        self.control.clear();
    }

    /// Reads the control pipe, and returns the report with this token, if it is complete.
    pub(in crate::session) fn report(&mut self, token: &str) -> Option<ShellReport> {
        let report = self.control.find(token, matches!(self.place, ShellPlace::Target(_)))?;
        self.hides_hooks = report.options.contains(HIDES_HOOKS);
        Some(report)
    }

    /// Returns whether the shell has read all lines and waits for the next one.
    pub(in crate::session) fn is_idle(&self) -> bool {
        self.place.is_idle()
    }

    /// Returns whether a signal would make the shell go on with its list instead of giving it up: a zsh that
    /// is interrupted while it opens a named pipe reports an error, and handles the signal only after the
    /// next command.
    pub(in crate::session) fn misses_signals(&self) -> bool {
        self.flavor == SessionFlavor::Zsh && !self.is_idle() && self.place.waits_for_open()
    }

    /// Returns whether the shell has too few descriptors left to read and redirect a command.
    pub(in crate::session) fn lacks_descriptors(&self) -> bool {
        let (first, needed) = self.flavor.needed_descriptors();
        let needed = if self.hides_hooks { needed + 3 } else { needed };
        self.place.room_for_descriptors(first).is_some_and(|room| room < needed)
    }

    /// Returns whether the signal of the stop trap does not reach the shell, which would go on with its list:
    /// a command has made the shell ignore it, or there is no process table.
    pub(in crate::session) fn ignores_stop(&self) -> bool {
        by_number(self.flavor.stop_signal()).is_some_and(|signal| self.place.ignores(signal))
    }

    /// Sends a signal to the shell alone.
    pub(in crate::session) fn signal(&self, signal: Signal) {
        self.place.signal(signal);
    }

    /// Sends a signal to processes below the shell.
    pub(in crate::session) fn signal_each(&self, signal: Signal, identities: &[Identity]) {
        self.place.signal_each(signal, identities);
    }

    /// Returns whether the shell is stopped or gone.
    pub(in crate::session) fn is_stopped(&self) -> bool {
        self.place.is_stopped()
    }

    /// Kills the shell alone. A shell that can't be signalled is left to its job, which also ends without the
    /// death of its processes: the shell is not identified, or has become a program of another user.
    pub(in crate::session) fn kill(&self) {
        if !self.place.kill() {
            // The request fails if the job is over, which is the goal.
            let _ = self.handle.ask(JobRequest::StopAtOnce(Cause::Killed));
        }
    }

    /// Returns the living processes of the running command: the shell's descendants except for those of
    /// earlier commands.
    pub(in crate::session) fn processes(&self) -> Vec<BelowShell> {
        let mut excluded = HashSet::new();
        let mut found = self.place.processes();
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
    pub(in crate::session) fn has_background_processes(&self) -> bool {
        !self.older.is_empty()
    }

    /// Records that all processes below the shell belong to commands that are over.
    pub(in crate::session) fn record_background_processes(&mut self) {
        let processes = if self.place.has_no_children() { Vec::new() } else { self.place.processes() };
        self.older = processes.into_iter().map(|process| process.identity).collect();
    }

    /// Returns the pids that do not belong to earlier commands.
    pub(in crate::session) fn new_among(&self, mut pids: Vec<i32>) -> Vec<i32> {
        pids.retain(|&pid| !self.older.iter().any(|older| older.pid.as_raw_nonzero().get() == pid));
        pids
    }

    /// Returns the resources that the shell, and the programs that it has waited for, have used since the
    /// last call.
    pub(in crate::session) fn take_usage(&mut self) -> Option<Usage> {
        let now = self.place.cpu_time()?;
        let (user, system) = std::mem::replace(&mut self.used, now);
        Some(Usage {
            user: now.0.saturating_sub(user),
            system: now.1.saturating_sub(system),
            peak_memory: None,
        })
    }

    /// Returns the part of a shell's total usage that falls after the last call.
    pub(in crate::session) fn rest_of_usage(&self, all: Usage) -> Usage {
        let (user, system) = self.used;
        Usage {
            user: all.user.saturating_sub(user),
            system: all.system.saturating_sub(system),
            peak_memory: None,
        }
    }

    /// Returns the directory of the shell: by its `$PWD` if that names the directory, or else by the kernel's
    /// path. In a sandbox, both are paths as the shell sees them. On a target, the last scan had this name.
    pub(in crate::session) fn true_directory(&self, named: &Path) -> String {
        let known = self.place.directory_of_shell(named);
        let real = known.and_then(|(real, is_named)| real.filter(|_| !is_named));
        real.unwrap_or_else(|| named.to_string_lossy().into_owned())
    }

    /// Returns what a result says about the target of the shell.
    pub(in crate::session) fn take_target_report(&self) -> Option<TargetReport> {
        self.place.take_target_report()
    }

    /// Takes the text that the start files have printed.
    pub(in crate::session) fn take_start_output(&self, token: &str) -> OwnOutput {
        let own = self.take_own_output();
        OwnOutput {
            stdout: output_of_start_files(&own.stdout, token),
            stderr: output_of_start_files(&own.stderr, token),
        }
    }

    /// Takes the text that the shell has written to its own streams since the last call.
    pub(in crate::session) fn take_own_output(&self) -> OwnOutput {
        std::mem::take(&mut *self.own.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Returns the token of a command, which the commands before it can't know.
pub(in crate::session) fn new_token() -> String {
    // 32 bits: two tokens in a row don't match by chance. A longer token would cost zsh one system call for
    // each byte.
    format!("{:08x}", random() & u64::from(u32::MAX))
}

/// Returns the limit of open files of a shell: the highest descriptor plus one. A target's own limit is not
/// known.
fn open_files(plan: &SessionPlan) -> u64 {
    let own = getrlimit(Resource::Nofile).current.filter(|_| !plan.is_elsewhere()).unwrap_or(u64::MAX);
    plan.surroundings.limits.open_files.map_or(own, |limit| limit.min(own))
}
