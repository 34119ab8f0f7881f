//! The calls that act on a job: write to its input, pause its output, end it.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use napi::bindgen_prelude::Either;
use napi_derive::napi;

use crate::job::model::outcome::Cause;
use crate::job::prompts::Answer;
use crate::job::{JobRequest, ends_job};
use crate::node::binding::Binding;
use crate::node::result::durable::DurableResult;
use crate::node::spec::signal_of;
use crate::process::identity;

#[napi]
impl Binding {
    /// Writes to a job's standard input. Returns whether an event `drain` follows when the bytes are in the
    /// pipe or dropped.
    #[napi(catch_unwind)]
    pub fn write(&self, id: u32, bytes: &[u8]) -> bool {
        self.state.job(id).is_some_and(|job| job.input().write(bytes.to_vec()))
    }

    /// Ends a job's standard input after everything written before.
    #[napi(catch_unwind)]
    pub fn end_input(&self, id: u32) {
        if let Some(job) = self.state.job(id) {
            job.input().end();
        }
    }

    /// Sends a signal (a name or a number) to all processes of the job. Returns whether the job was live;
    /// null for a signal that does not exist. The number 0 sends nothing.
    #[napi(catch_unwind)]
    pub fn kill(&self, id: u32, signal: Either<String, i32>) -> Option<bool> {
        let job = self.state.job(id);
        if matches!(signal, Either::B(0)) {
            return Some(job.is_some_and(|job| job.is_live()));
        }
        let signal = signal_of(&signal)?;
        Some(job.is_some_and(|job| job.signal(signal)))
    }

    /// Returns the number of a signal (a name or a number); null for one that does not exist.
    #[napi(catch_unwind)]
    pub fn signal_number(&self, signal: Either<String, i32>) -> Option<i32> {
        signal_of(&signal).map(crate::process::signal::Signal::as_raw)
    }

    /// Returns whether a signal ends a job with this kill signal, rather than being passed on.
    #[napi(catch_unwind)]
    pub fn ends_job(&self, signal: Either<String, i32>, kill_signal: Either<String, i32>) -> bool {
        match (signal_of(&signal), signal_of(&kill_signal)) {
            (Some(signal), Some(kill_signal)) => ends_job(signal, kill_signal),
            _ => false,
        }
    }

    /// Ends the job because its `AbortSignal` fired.
    #[napi(catch_unwind)]
    pub fn abort(&self, id: u32) {
        if let Some(job) = self.state.job(id) {
            // The request fails if the job is over, which is the goal.
            let _ = job.ask(JobRequest::Stop(Cause::Aborted, None));
        }
    }

    /// Ends the job as its timeout does.
    #[napi(catch_unwind)]
    pub fn expire(&self, id: u32) {
        if let Some(job) = self.state.job(id) {
            // The request fails if the job is over, which is the goal.
            let _ = job.ask(JobRequest::Stop(Cause::Timeout, None));
        }
    }

    /// Answers a prompt of the job; null refuses an answer. Returns false for an answer that no program may
    /// get: it is too long or has more than one line.
    #[napi(catch_unwind)]
    pub fn answer_prompt(&self, id: u32, number: u32, answer: Option<String>) -> bool {
        let given = answer.is_some();
        let answer = answer.and_then(Answer::new);
        let is_fit = answer.is_some() || !given;
        if let Some(job) = self.state.job(id) {
            // The prompts of a job that is over are refused already.
            let _ = job.ask(JobRequest::AnswerPrompt(number, answer));
        }
        is_fit
    }

    /// Lets a durable job go, which runs on. The event `end` follows, with the status of a job in the
    /// background. Returns whether the job was live.
    #[napi(catch_unwind)]
    pub fn detach(&self, id: u32) -> bool {
        self.state.job(id).is_some_and(|job| job.ask(JobRequest::Detach))
    }

    /// Returns what is known of a durable job to which this environment is attached.
    #[napi(catch_unwind)]
    pub fn durable(&self, id: u32) -> Option<DurableResult> {
        Some(DurableResult::from(&self.state.job(id)?.durable()?))
    }

    /// Sets whether JavaScript wants the job's output.
    #[napi(catch_unwind)]
    pub fn want(&self, id: u32, is_wanted: bool) {
        if let Some(job) = self.state.job(id) {
            job.flow().want(is_wanted);
        }
    }

    /// Pauses or resumes the reading of the job's output.
    #[napi(catch_unwind)]
    pub fn pause(&self, id: u32, is_paused: bool) {
        if let Some(job) = self.state.job(id) {
            job.flow().pause(is_paused);
        }
    }

    /// Asks for one event `spawn`, which reports that the process runs.
    #[napi(catch_unwind)]
    pub fn report_spawn(&self, id: u32) {
        if let Some(job) = self.state.job(id) {
            // A job that is over has its pid in the result.
            let _ = job.ask(JobRequest::ReportSpawn);
        }
    }

    /// Asks for one event `unfinished`, as soon as the lines that are not finished differ from the last one.
    #[napi(catch_unwind)]
    pub fn report_unfinished(&self, id: u32) {
        if let Some(job) = self.state.job(id) {
            // A job that is over has no unfinished line.
            let _ = job.ask(JobRequest::ReportUnfinished);
        }
    }

    /// Returns the job's pid, while it has a process.
    #[napi(catch_unwind)]
    pub fn pid(&self, id: u32) -> Option<i32> {
        self.state.job(id)?.pid()
    }

    /// Returns those of these processes that still run.
    #[napi(catch_unwind)]
    pub fn running_of(&self, pids: Vec<i32>) -> Vec<i32> {
        pids.into_iter().filter(|&pid| identity::runs(pid)).collect()
    }

    /// Returns whether the job is not over. JavaScript learns of the end a moment after it, by an event.
    #[napi(catch_unwind)]
    pub fn is_live(&self, id: u32) -> bool {
        self.state.job(id).is_some()
    }
}
