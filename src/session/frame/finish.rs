//! The end of a command: its remaining processes, its streams and its result.

use std::path::Path;

use tokio::time::sleep;

use super::CommandFrame;
use crate::job::Outcome;
use crate::job::discard_output;
use crate::job::execution::Execution;
use crate::job::model::outcome::End;
use crate::process::cgroup::tree::LimitedTree;
use crate::process::pipe::PipeReader;
use crate::process::wait::Exit;
use crate::session::shell::LiveShell;
use crate::session::shell::files::{STDERR, STDOUT};
use crate::session::shell::flavor::SessionFlavor;
use crate::session::shell::lines::command_line::CommandInput;
use crate::session::shell::place::{BelowShell, ShellPlace};

impl CommandFrame {
    /// Counts the remaining processes, releases the streams and settles the command.
    pub(in crate::session) async fn finish(mut self, shell: &mut LiveShell) {
        self.refuse_prompts(shell);
        // Nobody is asked about what remains of the command, until the next one begins.
        if let Some(sandbox) = shell.handle.sandbox() {
            sandbox.refuse_questions();
        }
        self.execution.streams.feeder.close(self.execution.end.observer());
        if self.shell_end.is_none() {
            shell.refresh_in(self.report.as_ref().map_or(Path::new(""), |report| &report.directory)).await;
        }
        let (end, directory) = self.end_and_directory(shell);
        let (background_pids, is_alone) = self.count_left(shell).await;
        let usage = shell.take_usage();
        if self.shell_end.is_some() {
            self.add_own_output(shell);
        }
        let held = self.execution.streams.finish(self.execution.end.observer()).await;
        self.replace_streams(held, shell);
        if !is_alone {
            shell.refresh().await;
            shell.record_background_processes();
        }
        let session = &self.record.session;
        if let Some(directory) = &directory {
            session.set_directory(directory);
        }
        if let Some(sandbox) = shell.handle.sandbox() {
            sandbox.record_changes().await;
        }
        let captured = self.execution.streams.take_captured();
        let view = self.execution.streams.view.take();
        let outcome = Outcome {
            pid: shell.pid(),
            background_pids,
            directory: directory.or_else(|| session.directory()),
            usage: usage.or_else(|| Some(shell.rest_of_usage(self.shell_end.as_ref()?.usage?))),
            in_session: Some(self.in_session),
            limits: match &self.shell_end {
                Some(end) => end.limits.clone(),
                None => shell.handle.tree().as_deref().map(LimitedTree::take_report),
            },
            sandbox: match &self.shell_end {
                Some(end) => end.sandbox.clone(),
                None => shell.handle.sandbox().map(|sandbox| sandbox.take_report(&end)),
            },
            target: shell.take_target_report(),
            ..self.execution.outcome(end, captured, view)
        };
        let Execution { end, .. } = self.execution;
        self.record.settle(end, outcome);
    }

    /// Returns the processes that the command has left, and whether no process is left below the shell.
    async fn count_left(&self, shell: &mut LiveShell) -> (Vec<i32>, bool) {
        if let Some(end) = &self.shell_end {
            return (shell.new_among(end.background_pids.clone()), false);
        }
        let processes = shell.processes();
        if processes.is_empty() && !shell.has_background_processes() {
            return (Vec::new(), true);
        }
        let living = |processes: Vec<BelowShell>| -> Vec<i32> {
            processes.iter().filter(|process| !process.is_exiting).map(BelowShell::pid).collect()
        };
        let mut found = living(processes);
        for &delay in self.execution.recheck_delays() {
            if found.is_empty() {
                break;
            }
            sleep(delay).await;
            shell.refresh().await;
            found = living(shell.processes());
        }
        (found, false)
    }

    fn end_and_directory(&mut self, shell: &LiveShell) -> (End, Option<String>) {
        if let Some(outcome) = &self.shell_end {
            let end = if self.in_session.error.is_some() { End::BrokenOff } else { outcome.end.clone() };
            return (end, None);
        }
        let Some(report) = &self.report else { return (End::BrokenOff, None) };
        let is_stopped = self.execution.life.cause().is_some();
        let end = if is_stopped { End::BrokenOff } else { End::Exit(Exit::Code(report.status)) };
        (end, Some(shell.true_directory(&report.directory)))
    }

    /// Adds what the shell wrote to its own streams: zsh and dash run an EXIT trap after they have closed the
    /// command's.
    fn add_own_output(&mut self, shell: &LiveShell) {
        let own = shell.take_own_output();
        if own.stdout.is_empty() || shell.flavor == SessionFlavor::Bash {
            return;
        }
        let Execution { streams, end, .. } = &mut self.execution;
        streams.append(own.stdout.as_bytes(), end.observer());
    }

    /// Replaces each stream that a remaining process still holds open, so that its output can't reach the
    /// next command.
    fn replace_streams(&self, held: [Option<PipeReader>; 2], shell: &mut LiveShell) {
        // On a target, each command has new ones, and `hold` drops the rest of the output.
        let ShellPlace::Local(here) = &mut shell.place else { return };
        for (name, stream) in [STDOUT, STDERR].into_iter().zip(held) {
            if let Some(stream) = stream {
                tokio::spawn(discard_output(stream));
                // If the pipe can't be created, the next command reports the error.
                let _ = here.directory.renew_pipe(name);
            }
        }
        if let CommandInput::Named(name) = self.input {
            here.directory.remove(name);
        }
    }
}
