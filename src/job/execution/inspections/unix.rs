//! The inspections that ask the kernel of Unix.

use std::os::fd::AsFd;

use crate::engine::scan::Scanner;
use crate::job::execution::streams::CommandStreams;
use crate::job::execution::{Execution, Step};
use crate::job::ports;
use crate::job::waiting::inspection::{
    inspect_all, prompt_of_streams, prompt_on_screen, state_of_pipe, state_of_terminal,
};
use crate::job::waiting::rule::InputState;
use crate::process::identity::Pid;
use crate::process::pipe::PipeWriter;

impl Execution {
    /// Checks whether one of the processes that `find` returns waits for input, and reports a wait.
    pub(crate) async fn check_input(&mut self, scanner: &Scanner, find: impl FnOnce() -> Vec<Pid>) -> Step {
        self.check_input_by(scanner, find, CommandStreams::input_state).await
    }

    /// Checks as [`Self::check_input`] does; `state` reads the state of the input.
    pub(crate) async fn check_input_by(
        &mut self,
        scanner: &Scanner,
        find: impl FnOnce() -> Vec<Pid>,
        state: impl FnOnce(&CommandStreams) -> Option<InputState>,
    ) -> Step {
        // Output that is not read yet ends a wait.
        if !self.may_read() || self.read_all() {
            self.inspections.record_activity();
            return self.after_reading();
        }
        let seen = match self.input_state(state) {
            Some((state, prompt)) => inspect_all(scanner, find(), state, prompt).await,
            None => None,
        };
        self.report_wait(seen)
    }

    /// Returns the state of the input, and the prompt; `None` where no process can wait for input: without an
    /// open input, and after the exit of a program in a terminal.
    fn input_state(
        &self,
        state: impl FnOnce(&CommandStreams) -> Option<InputState>,
    ) -> Option<(InputState, String)> {
        let streams = &self.streams;
        if streams.feeder.input().has_work() {
            return None;
        }
        let state = state(streams)?;
        let prompt = match &streams.screen {
            Some(screen) => prompt_on_screen(screen),
            None => prompt_of_streams(streams.ring.as_ref(), [streams.stdout.kept(), streams.stderr.kept()]),
        };
        let was_given_some = self.inspections.was_given_input;
        let has_prompt = !prompt.trim().is_empty();
        Some((InputState { was_given_some, has_prompt, ..state }, prompt))
    }

    /// Checks which ports these processes listen on, and reports a change.
    pub(crate) async fn check_ports(&mut self, scanner: &Scanner, processes: Vec<Pid>) {
        if let Some(ports) = ports::check(&mut self.inspections.ports, scanner, processes).await {
            self.end.observer().ports(ports);
        }
    }
}

impl CommandStreams {
    /// Returns the state of the input, whose writing end is here.
    fn input_state(&self) -> Option<InputState> {
        match (&self.terminal, &self.screen) {
            (Some(peer), _) => {
                state_of_terminal(self.feeder.pipe().map(PipeWriter::descriptor)?, peer.as_fd())
            }
            (None, Some(_)) => None,
            (None, None) => Some(state_of_pipe(self.feeder.pipe().map(PipeWriter::descriptor)?)),
        }
    }
}
