//! A shell session, as JavaScript holds it, and the call that opens one.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use std::sync::Arc;

use napi::bindgen_prelude::Either;
use napi_derive::napi;

use crate::job::model::plan::Directory;
use crate::node::binding::Binding;
use crate::node::error::{NativeError, answer};
use crate::node::mailbox::Message;
use crate::node::result::run_result::RunResult;
use crate::node::result::session::SessionStatus;
use crate::node::spec::run::RunSpec;
use crate::node::spec::session::SessionSpec;
use crate::node::spec::signal_of;
use crate::node::state::{BindingState, demand_of};
use crate::session::SessionHandle;
use crate::session::handle::OnDone;
use crate::session::status::SessionState;

#[derive(Debug)]
#[napi(js_name = "NativeSession")]
pub struct Session {
    state: Arc<BindingState>,
    handle: SessionHandle,
}

impl Session {
    pub(super) const fn new(state: Arc<BindingState>, handle: SessionHandle) -> Self {
        Self { state, handle }
    }

    /// Returns the callback that reports the end of an action as an event.
    fn on_done(&self, id: u32) -> OnDone {
        let state = Arc::clone(&self.state);
        Box::new(move |own| {
            state.mailbox().post(Message::End(id, Box::new(RunResult::of_own_output(own).into())));
        })
    }
}

#[napi]
impl Session {
    /// Queues a command. Its output (if wanted) and its end arrive as events; an invalid option is returned
    /// at once.
    #[napi(catch_unwind)]
    pub fn run(
        &self,
        id: u32,
        spec: RunSpec,
        pipe_status: bool,
        is_wanted: Option<bool>,
    ) -> Option<NativeError> {
        match spec.plan() {
            Ok(plan) => {
                self.state.run_in(&self.handle, id, plan, pipe_status, demand_of(is_wanted));
                None
            }
            Err(wrong) => Some(wrong),
        }
    }

    /// Sends a signal to the running command. Returns whether one runs; null for a signal that does not
    /// exist.
    #[napi(catch_unwind)]
    pub fn interrupt(&self, signal: Either<String, i32>) -> Option<bool> {
        Some(self.handle.interrupt(signal_of(&signal)?))
    }

    /// Ends the shell. An event reports when that is done.
    #[napi(catch_unwind)]
    pub fn restart(&self, id: u32, cwd: Option<String>, root: Option<String>) {
        self.handle.restart(cwd.map(|path| Directory { path, root }), self.on_done(id));
    }

    /// Ends the session. An event reports when that is done, with the text that the shell has written at its
    /// end.
    #[napi(catch_unwind)]
    pub fn close(&self, id: u32) {
        let (state, handle, on_done) = (Arc::clone(&self.state), self.handle.clone(), self.on_done(id));
        self.handle.close(Box::new(move |own| {
            state.forget_session(&handle);
            on_done(own);
        }));
    }

    /// Returns the state of the session.
    #[napi(catch_unwind)]
    pub fn status(&self) -> SessionStatus {
        let status = self.handle.status();
        SessionStatus {
            state: match status.state() {
                SessionState::Idle => "idle",
                SessionState::Starting => "starting",
                SessionState::Busy => "busy",
                SessionState::Closed => "closed",
            },
            pending: u32::try_from(status.pending()).unwrap_or(u32::MAX),
            pid: status.pid(),
            cwd: status.directory(),
        }
    }
}

#[napi]
impl Binding {
    /// Opens a session of commands in one shell.
    #[napi(catch_unwind)]
    pub fn open_session(&self, spec: SessionSpec) -> Either<Session, NativeError> {
        let open = |plan| self.state.open_session(plan).map_err(|error| NativeError::of_system(&error));
        let handle = spec.plan().and_then(open);
        answer(handle.map(|handle| Session::new(Arc::clone(&self.state), handle)))
    }
}
