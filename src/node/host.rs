//! What JavaScript holds: one host for each Node environment. Its jobs die with the environment.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use napi::bindgen_prelude::{Either, Env, Function, Result};
use napi::threadsafe_function::UnknownReturnValue;
use napi_derive::napi;

use super::event::{Event, RunResult};
use super::mailbox::{Delivery, Letter, Mailbox};
use crate::job::flow::Flow;
use crate::job::handle::{Observer, Request};
use crate::job::outcome::Cause;
use crate::job::output::StreamName;
use crate::job::plan::Environment;
use crate::job::{self, JobHandle, Outcome};
use crate::process::registry::Owner;
use crate::process::signal;
use crate::tools::voice;

/// The arguments of the voice tool, as JavaScript hands them over.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct VoiceCall {
    /// `args.command`, if it is a string.
    pub command: Option<String>,
    /// `args.cmd`, if it is a string.
    pub cmd: Option<String>,
    /// The working directory, if it is a string.
    pub workspace_root: Option<String>,
    /// Whether only programs of the allow list may run.
    pub safe_mode: bool,
    /// The environment: `NAME=value`, with a NUL after each.
    pub environment: String,
    /// How long the command may take (ms); absent for as long as it likes.
    pub timeout: Option<f64>,
}

/// The jobs of one Node environment.
#[derive(Debug)]
#[napi]
pub struct Host {
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    owner: Owner,
    mailbox: Arc<Mailbox>,
    jobs: Mutex<HashMap<u32, JobHandle>>,
}

#[napi]
impl Host {
    /// A host that tells `deliver(events, isMore)` what its jobs say. When `isMore` is true, JavaScript calls
    /// [`Self::take`] in the next turn of its loop.
    ///
    /// # Errors
    ///
    /// When Node can't make the channel between the threads.
    #[napi(constructor, catch_unwind)]
    pub fn new(env: Env, deliver: Function<Delivery, UnknownReturnValue>) -> Result<Self> {
        let state = Arc::new(State {
            owner: Owner::default(),
            mailbox: Mailbox::new(&deliver)?,
            jobs: Mutex::default(),
        });
        env.add_env_cleanup_hook(Arc::clone(&state), |state| state.close())?;
        Ok(Self { state })
    }

    /// Runs `bash()`. The answer comes as an event; a refusal is returned at once.
    #[napi(catch_unwind)]
    pub fn bash(&self, id: u32, call: VoiceCall) -> Option<String> {
        match voice::plan(call.into()) {
            Ok(plan) => {
                let state = Arc::clone(&self.state);
                let observer = Arc::new(Caller { id, state, timeout: plan.timeout });
                self.state.start(id, plan, Arc::default(), observer);
                None
            }
            Err(refusal) => Some(refusal.text()),
        }
    }

    /// Starts a `BashJob`. Its output, if it is wanted, and its end come as events; a refusal is returned at once.
    #[napi(catch_unwind)]
    pub fn start(&self, id: u32, call: VoiceCall, is_wanted: bool) -> Option<RunResult> {
        match voice::plan(call.into()) {
            Ok(plan) => {
                let state = Arc::clone(&self.state);
                let flow = Arc::new(Flow::new(is_wanted));
                let listener = Listener { id, state, flow: Arc::clone(&flow), timeout: plan.timeout };
                self.state.start(id, plan, flow, Arc::new(listener));
                None
            }
            Err(refusal) => Some(RunResult::refused(refusal)),
        }
    }

    /// Takes more events: `[events, isMore]`.
    #[napi(catch_unwind, ts_return_type = "[Array<Event>, boolean]")]
    pub fn take(&self) -> (Vec<Event>, bool) {
        self.state.mailbox.take()
    }

    /// Sends a signal (a name or a number) to all that belongs to the job. Whether it was still there; null for a
    /// signal that does not exist. The number 0 only asks.
    #[napi(catch_unwind)]
    pub fn kill(&self, id: u32, signal: Either<String, i32>) -> Option<bool> {
        let job = self.state.job(id);
        let signal = match signal {
            Either::B(0) => return Some(job.is_some_and(|job| job.is_live())),
            Either::A(name) => signal::by_name(&name)?,
            Either::B(number) => signal::by_number(number)?,
        };
        Some(job.is_some_and(|job| job.signal(signal)))
    }

    /// Ends the job since its `AbortSignal` fired.
    #[napi(catch_unwind)]
    pub fn abort(&self, id: u32) {
        if let Some(job) = self.state.job(id) {
            // A job that is over needs no end.
            let _ = job.ask(Request::Stop(Cause::Aborted));
        }
    }

    /// Says whether anybody wants the job's output.
    #[napi(catch_unwind)]
    pub fn want(&self, id: u32, is_wanted: bool) {
        if let Some(job) = self.state.job(id) {
            job.flow().want(is_wanted);
        }
    }

    /// Stops reading the job's output, or goes on.
    #[napi(catch_unwind)]
    pub fn pause(&self, id: u32, is_paused: bool) {
        if let Some(job) = self.state.job(id) {
            job.flow().pause(is_paused);
        }
    }

    /// The job's process number, while there is one.
    #[napi(catch_unwind)]
    pub fn pid(&self, id: u32) -> Option<i32> {
        self.state.job(id)?.pid()
    }

    /// Whether Node stays alive for this host's jobs.
    ///
    /// # Errors
    ///
    /// When the environment is ending.
    #[napi(catch_unwind)]
    pub fn keep_alive(&self, env: Env, is_needed: bool) -> Result<()> {
        self.state.mailbox.keep_alive(&env, is_needed)
    }

    /// Kills all jobs. The environment ends.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.state.close();
    }
}

impl State {
    fn start(&self, id: u32, plan: job::Plan, flow: Arc<Flow>, observer: Arc<dyn Observer>) {
        let job = job::start(plan, &self.owner, flow, observer);
        let mut jobs = self.lock();
        // It may be over already, and then nobody would take it out again.
        if job.is_live() {
            jobs.insert(id, job);
        }
    }

    fn job(&self, id: u32) -> Option<JobHandle> {
        self.lock().get(&id).cloned()
    }

    fn close(&self) {
        self.mailbox.close();
        job::engine::close(&self.owner);
        for job in std::mem::take(&mut *self.lock()).into_values() {
            // What the kill above has not reached: the holders of its output.
            let _ = job.ask(Request::StopAtOnce(Cause::OwnerGone));
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u32, JobHandle>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who waits for the answer of `bash()`.
struct Caller {
    id: u32,
    state: Arc<State>,
    timeout: Option<Duration>,
}

impl Observer for Caller {
    fn output(&self, _stream: StreamName, _text: String) {}

    fn ended(&self, outcome: Outcome) {
        let answer = voice::result::text(&outcome, self.timeout);
        self.state.mailbox.post(Letter::Answer(self.id, answer));
        self.state.lock().remove(&self.id);
    }
}

/// A `BashJob`.
struct Listener {
    id: u32,
    state: Arc<State>,
    flow: Arc<Flow>,
    timeout: Option<Duration>,
}

impl Observer for Listener {
    fn output(&self, stream: StreamName, text: String) {
        self.state.mailbox.post(Letter::Text(self.id, stream, text, Arc::clone(&self.flow)));
    }

    fn ended(&self, outcome: Outcome) {
        let result = Box::new(RunResult::of(&outcome, self.timeout));
        self.state.mailbox.post(Letter::End(self.id, result));
        self.state.lock().remove(&self.id);
    }
}

impl From<VoiceCall> for voice::Call {
    fn from(call: VoiceCall) -> Self {
        Self {
            candidates: [call.command, call.cmd],
            workspace_root: call.workspace_root,
            safe_mode: call.safe_mode,
            environment: Environment(call.environment),
            timeout: call.timeout.and_then(|ms| Duration::try_from_secs_f64(ms / 1000.0).ok()),
        }
    }
}
