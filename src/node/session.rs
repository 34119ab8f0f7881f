//! A shell session, as JavaScript holds it.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use std::sync::Arc;

use napi::bindgen_prelude::{Either, Error, Result};
use napi_derive::napi;

use super::event::RunResult;
use super::host::{State, demand_of};
use super::mailbox::Letter;
use super::run_spec::{LimitsSpec, RunSpec, WrongOption, duration, signal_of};
use crate::job::model::invocation::Invocation;
use crate::job::model::plan::{Directory, Environment};
use crate::process::spawn::Limits;
use crate::session::flavor::{Flavor, StartFiles};
use crate::session::handle::{OnDone, State as Activity};
use crate::session::{SessionHandle, SessionPlan};

/// What a session is to be: checked in JavaScript, with its defaults in place. Times are milliseconds.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct SessionSpec {
    /// The shell; absent for the usual one.
    pub shell: Option<String>,
    /// Where it begins, absolute.
    pub cwd: String,
    /// The directory that it must begin in, absolute.
    pub root: Option<String>,
    /// The environment: `NAME=value`, with a NUL after each.
    pub environment: String,
    /// What its commands may use.
    pub limits: Option<LimitsSpec>,
    /// `none`, `login`, `interactive` or `both`.
    pub start_files: String,
    /// How long they may take; absent for as long as they like.
    pub start_timeout: Option<f64>,
    /// Whether background processes live on when the session is closed.
    pub keep_background: bool,
}

/// What is known of a session.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct SessionStatus {
    /// `idle`, `starting`, `busy` or `closed`.
    pub state: &'static str,
    /// How many commands wait.
    pub pending: u32,
    /// The pid of the shell.
    pub pid: Option<i32>,
    /// Where the shell was after the last command.
    pub cwd: Option<String>,
}

/// A session.
#[derive(Debug)]
#[napi(js_name = "NativeSession")]
pub struct Session {
    state: Arc<State>,
    handle: SessionHandle,
}

impl Session {
    pub(super) const fn new(state: Arc<State>, handle: SessionHandle) -> Self {
        Self { state, handle }
    }

    /// What tells JavaScript that something is done.
    fn on_done(&self, id: u32) -> OnDone {
        let state = Arc::clone(&self.state);
        Box::new(move |own| state.post(Letter::End(id, Box::new(RunResult::of_own_output(own)))))
    }
}

#[napi]
impl Session {
    /// Queues a command. Its output, if it is wanted, and its end come as events; an option that can't be used is returned
    /// at once.
    #[napi(catch_unwind)]
    pub fn run(
        &self,
        id: u32,
        spec: RunSpec,
        pipe_status: bool,
        is_wanted: Option<bool>,
    ) -> Option<WrongOption> {
        match spec.plan() {
            Ok(plan) => {
                self.state.run_in(&self.handle, id, plan, pipe_status, demand_of(is_wanted));
                None
            }
            Err(wrong) => Some(wrong),
        }
    }

    /// Sends a signal to the running command. Whether one runs; null for a signal that does not exist.
    #[napi(catch_unwind)]
    pub fn interrupt(&self, signal: Either<String, i32>) -> Option<bool> {
        Some(self.handle.interrupt(signal_of(&signal)?))
    }

    /// Ends the shell. An event comes when that is done.
    #[napi(catch_unwind)]
    pub fn restart(&self, id: u32, cwd: Option<String>, root: Option<String>) {
        self.handle.restart(cwd.map(|path| Directory { path, root }), self.on_done(id));
    }

    /// Ends the session. An event comes when that is done, with what the shell has said at its end.
    #[napi(catch_unwind)]
    pub fn close(&self, id: u32) {
        let (state, handle, on_done) = (Arc::clone(&self.state), self.handle.clone(), self.on_done(id));
        self.handle.close(Box::new(move |own| {
            state.forget_session(&handle);
            on_done(own);
        }));
    }

    /// What is known of it.
    #[napi(catch_unwind)]
    pub fn status(&self) -> SessionStatus {
        let status = self.handle.status();
        SessionStatus {
            state: match status.state() {
                Activity::Idle => "idle",
                Activity::Starting => "starting",
                Activity::Busy => "busy",
                Activity::Closed => "closed",
            },
            pending: u32::try_from(status.pending()).unwrap_or(u32::MAX),
            pid: status.pid(),
            cwd: status.directory(),
        }
    }
}

impl SessionSpec {
    pub(super) fn plan(self) -> Result<SessionPlan> {
        let shell =
            self.shell.unwrap_or_else(|| Invocation::by_usual_shell(String::new()).program().to_owned());
        let flavor =
            Flavor::of(&shell).ok_or_else(|| Error::from_reason("no session can have this shell"))?;
        Ok(SessionPlan {
            shell,
            flavor,
            start_files: match self.start_files.as_str() {
                "login" => StartFiles::Login,
                "interactive" => StartFiles::Interactive,
                "both" => StartFiles::Both,
                _ => StartFiles::None,
            },
            start_timeout: self.start_timeout.and_then(duration),
            directory: Directory { path: self.cwd, root: self.root },
            environment: Environment(self.environment),
            limits: self.limits.as_ref().map_or_else(Limits::default, LimitsSpec::limits),
            keeps_background: self.keep_background,
        })
    }
}
