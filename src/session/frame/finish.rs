//! The end of a command: its remaining processes, its streams and its result.

use std::time::Duration;

use tokio::time::sleep;

use super::Frame;
use crate::job::Outcome;
use crate::job::discard_output;
use crate::job::io::spill::SpillFile;
use crate::job::model::outcome::End;
use crate::process::table::row::Process;
use crate::process::wait::Exit;
use crate::session::shell::Shell;
use crate::session::shell::files::{STDERR, STDOUT};
use crate::session::shell::flavor::{SessionFlavor, Source};
use crate::text::view::ViewBuilder;

/// Delays between re-checks of processes that outlive the end of output: a program closes its pipes shortly before it
/// exits.
const EXIT_RECHECK_DELAYS: [Duration; 4] =
    [Duration::from_millis(1), Duration::from_millis(3), Duration::from_millis(6), Duration::from_millis(10)];

impl Frame {
    /// Counts the remaining processes, releases the streams and settles the command.
    pub(in crate::session) async fn finish(mut self, shell: &mut Shell) {
        self.feeder.close(self.command.end.observer());
        let (background_pids, is_alone) = self.count_left(shell).await;
        let usage = shell.take_usage();
        if self.shell_end.is_some() {
            self.add_own_output(shell);
        }
        self.release_streams(shell);
        if !is_alone {
            shell.note_older();
        }
        if let Some(spill) = &self.spill {
            spill.flush().await;
        }
        let (end, directory) = self.end_and_directory(shell);
        if let Some(directory) = &directory {
            self.command.status.is_in(directory);
        }
        let outcome = Outcome {
            end,
            cause: self.cause,
            pid: shell.pid(),
            background_pids,
            directory: directory.or_else(|| self.command.status.directory()),
            stdout: self.stdout.take_captured(),
            stderr: self.stderr.take_captured(),
            output_error: self.stdout.error().or(self.stderr.error()),
            cursor: None,
            spilled: self.spill.as_ref().and_then(SpillFile::spilled),
            view: self.view.take().map(ViewBuilder::finished),
            usage: usage.or_else(|| Some(shell.rest_of_usage(self.shell_end.as_ref()?.usage?))),
            in_session: Some(self.facts),
            duration: self.started_at.elapsed(),
        };
        self.command.settle(outcome);
    }

    /// Returns the processes that the command has left, and whether no process is left below the shell.
    async fn count_left(&self, shell: &Shell) -> (Vec<i32>, bool) {
        if let Some(end) = &self.shell_end {
            return (shell.new_among(end.background_pids.clone()), false);
        }
        let processes = shell.processes();
        if processes.is_empty() && !shell.has_older() {
            return (Vec::new(), true);
        }
        let living = |mut processes: Vec<Process>| {
            processes.retain(|process| !process.is_exiting);
            processes.iter().map(Process::pid).collect::<Vec<i32>>()
        };
        let mut found = living(processes);
        if self.was_held && self.output_has_ended() {
            for moment in EXIT_RECHECK_DELAYS {
                if found.is_empty() {
                    break;
                }
                sleep(moment).await;
                found = living(shell.processes());
            }
        }
        (found, false)
    }

    fn end_and_directory(&mut self, shell: &Shell) -> (End, Option<String>) {
        if let Some(outcome) = &self.shell_end {
            let end = if self.facts.error.is_some() { End::BrokenOff } else { outcome.end.clone() };
            return (end, None);
        }
        let Some(report) = &self.report else { return (End::BrokenOff, None) };
        let end = if self.cause.is_some() { End::BrokenOff } else { End::Exit(Exit::Code(report.status)) };
        (end, Some(shell.true_directory(&report.directory)))
    }

    /// Adds what the shell wrote to its own streams: zsh and dash run an EXIT trap after they have closed the
    /// command's.
    fn add_own_output(&mut self, shell: &Shell) {
        let own = shell.take_own_output();
        if own.stdout.is_empty() || shell.flavor == SessionFlavor::Bash {
            return;
        }
        self.with_sinks(|[stdout, _], sinks| stdout.append(own.stdout.as_bytes(), sinks));
    }

    /// Replaces each stream that a remaining process still holds open, so that its output can't reach the next
    /// command.
    fn release_streams(&mut self, shell: &mut Shell) {
        let streams = self.with_sinks(|outputs, sinks| outputs.map(|output| output.abandon(sinks)));
        for (name, stream) in [STDOUT, STDERR].into_iter().zip(streams) {
            if let Some(stream) = stream {
                tokio::spawn(discard_output(stream));
                // If the pipe can't be created, the next command reports the error.
                let _ = shell.directory.renew_pipe(name);
            }
        }
        if let Source::Named(name) = self.source {
            shell.directory.remove(name);
        }
    }
}
