//! The life of a command as far as it does not depend on how its processes are found and signalled: its
//! streams, its deadlines, its state, and the step that follows from each event.
//!
//! A job runs a command in a process of its own (`job/task.rs`), and a session runs one in its shell
//! ([`crate::session`]). Both have an [`Execution`], report their events to it, and carry out the steps that
//! it returns.
//!
//! `streams` has the input and the outputs of the command, `inspections` what its callers follow (waits for
//! input, ports), and `asking` its prompts.

mod asking;
pub(crate) mod inspections;
pub(crate) mod streams;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::yield_now;

use self::inspections::Inspections;
use self::streams::CommandStreams;
use super::handle::JobRequest;
use super::io::observer::StreamName;
use super::io::spill::SpillFile;
use super::launch::pending::EndOnce;
use super::life::clock::{Clock, Due, Pause};
use super::life::{Event, Life, Phase, Step};
use super::model::outcome::{Captured, Cause, End, Outcome};
use super::model::plan::Plan;
use super::prompts::{OpenPrompts, PromptCount};
use crate::process::signal::Signal;
use crate::text::view::ViewBuilder;

/// Delays between re-checks of processes that outlive the end of output: a program closes its pipes shortly
/// before it exits.
const EXIT_RECHECK_DELAYS: [Duration; 4] =
    [Duration::from_millis(1), Duration::from_millis(3), Duration::from_millis(6), Duration::from_millis(10)];

/// A running command.
#[derive(Debug)]
pub(crate) struct Execution {
    pub(crate) plan: Arc<Plan>,
    pub(crate) end: EndOnce,
    pub(crate) started_at: Instant,
    pub(crate) streams: CommandStreams,
    pub(crate) inspections: Inspections,
    pub(crate) life: Life,
    pub(crate) clock: Clock,
    pub(crate) prompts: OpenPrompts,
    pub(crate) prompt_count: PromptCount,
    /// The signal that ends the command: that of the plan, or the last one that a caller has chosen.
    pub(crate) stop_signal: Signal,
    /// Whether other processes held the output open after the exit.
    was_held: bool,
}

impl Execution {
    /// Returns a command that has just been started. `started_at` is the time of the call.
    pub(crate) fn new(
        plan: Arc<Plan>,
        end: EndOnce,
        started_at: Instant,
        streams: CommandStreams,
        life: Life,
    ) -> Self {
        Self {
            end,
            started_at,
            streams,
            inspections: Inspections::new(plan.on_waiting),
            life,
            clock: Clock::new(&plan, started_at),
            prompts: OpenPrompts::default(),
            prompt_count: PromptCount::default(),
            stop_signal: plan.ending.signal,
            was_held: false,
            plan,
        }
    }

    /// Returns whether the output may be read now. The output of a command that is being ended is read in any
    /// case.
    pub(crate) fn may_read(&self) -> bool {
        (self.life.is_stopping() || self.streams.is_wanted()) && self.streams.has_room()
    }

    pub(crate) async fn read(&mut self, name: StreamName) -> Step {
        let turn = self.streams.read(name, self.end.observer());
        if turn.has_read {
            self.record_activity();
        }
        if turn.is_full {
            // The pipe may hold more, but the other jobs have their turn first.
            yield_now().await;
        }
        self.after_reading()
    }

    /// Reads the data in the pipes, also when the consumer is slow. Returns whether there was any.
    pub(crate) fn read_all(&mut self) -> bool {
        let has_read = self.streams.read_all(self.end.observer());
        if has_read {
            self.record_activity();
        }
        has_read
    }

    fn record_activity(&mut self) {
        self.clock.restart_idle();
        self.inspections.record_activity();
    }

    fn after_reading(&mut self) -> Step {
        if self.streams.has_ended() { self.life.apply(Event::OutputEnded) } else { Step::Wait }
    }

    /// Writes one turn of the input.
    pub(crate) async fn feed(&mut self) -> Step {
        self.streams.stdout.expect_answer();
        self.inspections.record_input();
        if self.streams.feeder.feed(self.end.observer()) {
            // The pipe may have room for more, but the other jobs have their turn first.
            yield_now().await;
        }
        Step::Wait
    }

    /// Handles the exit of the leader, or the end of a list. Starts the drain if other processes hold the
    /// output open.
    pub(crate) fn leader_exited(&mut self) -> Step {
        self.read_all();
        if self.streams.has_ended() {
            self.life.apply(Event::OutputEnded);
        } else {
            self.was_held = true;
            if let Some(drain) = self.plan.drain
                && self.life.phase() == Phase::Running
            {
                self.clock.drain(drain, self.life.is_in_background());
            }
        }
        self.life.apply(Event::LeaderExited)
    }

    /// Handles a request. Requests that concern the processes or the terminal are the caller's.
    pub(crate) fn handle_request(&mut self, request: JobRequest) -> Step {
        match request {
            JobRequest::Stop(cause, None) => return self.stop(cause),
            JobRequest::Stop(cause, Some(signal)) => {
                self.stop_signal = signal;
                return self.life.apply(Event::StopBySignal(cause));
            }
            JobRequest::StopAtOnce(cause) => return self.life.apply(Event::StopAtOnce(cause)),
            JobRequest::FollowWaits(is_followed) => self.inspections.follow_waits(is_followed),
            JobRequest::ReportUnfinished => self.streams.ask_for_unfinished(self.end.observer()),
            JobRequest::CheckInput => self.inspections.ask(),
            JobRequest::AnswerPrompt(number, answer) => self.answer_prompt(number, answer.as_ref()),
            JobRequest::FollowPorts(is_followed) => self.inspections.follow_ports(is_followed),
            JobRequest::HoldTime(true) => self.clock.pause(Pause::Connection),
            JobRequest::HoldTime(false) => self.clock.resume(Pause::Connection),
            JobRequest::Forward(_)
            | JobRequest::ReportSpawn
            | JobRequest::ReportState
            | JobRequest::Resize(_)
            | JobRequest::Detach => {}
        }
        Step::Wait
    }

    fn stop(&mut self, cause: Cause) -> Step {
        let is_at_once = self.plan.ending.is_at_once();
        self.life.apply(if is_at_once { Event::StopAtOnce(cause) } else { Event::StopGently(cause) })
    }

    /// Handles a deadline that has passed.
    pub(crate) fn handle_deadline(&mut self) -> Step {
        match self.clock.take_due() {
            Some(Due::Timeout) => self.life.apply(Event::TimeUp),
            Some(Due::Idle) if !self.may_read() => {
                // The command may have written, but the consumer keeps its output from being read.
                self.clock.restart_idle();
                Step::Wait
            }
            // Output may be unread if this process was stopped, or did not run for a while.
            Some(Due::Idle | Due::DrainIdle) if self.read_all() => self.after_reading(),
            Some(Due::Idle) => self.stop(Cause::IdleTimeout),
            Some(Due::DrainIdle | Due::DrainEnd) => {
                self.clock.drained();
                self.read_all();
                self.life.apply(Event::DrainOver)
            }
            Some(Due::Grace) => self.life.apply(Event::GraceOver),
            Some(Due::Recheck) => self.life.apply(Event::RecheckDue),
            None => Step::Wait,
        }
    }

    /// Returns the delays after which processes that are left should be looked for again: some only where the
    /// end of output shows that they are about to exit.
    pub(crate) const fn recheck_delays(&self) -> &'static [Duration] {
        if self.was_held && self.streams.has_ended() { &EXIT_RECHECK_DELAYS } else { &[] }
    }

    /// Returns the outcome as it is now, without what is known of the processes.
    pub(crate) fn outcome(
        &self,
        end: End,
        [stdout, stderr]: [Captured; 2],
        view: Option<ViewBuilder>,
    ) -> Outcome {
        Outcome {
            end,
            cause: self.life.cause(),
            pid: None,
            background_pids: Vec::new(),
            directory: None,
            stdout,
            stderr,
            output_error: self.streams.error(),
            cursor: self.streams.cursor(),
            spilled: self.streams.spill.as_ref().and_then(SpillFile::spilled),
            view: view.map(ViewBuilder::finished),
            usage: None,
            in_session: None,
            limits: None,
            sandbox: None,
            target: None,
            durable: None,
            duration: self.started_at.elapsed(),
        }
    }
}
