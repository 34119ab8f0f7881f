//! The object that JavaScript holds: one binding for each Node environment, the main thread or a worker. Its
//! jobs die with the environment.
//!
//! The methods for jobs and sessions are in [`super::calls`].

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use std::sync::Arc;

use napi::bindgen_prelude::{Env, Function, Result};
use napi::threadsafe_function::UnknownReturnValue;
use napi_derive::napi;

use super::mailbox::Delivery;
use super::result::event::Event;
use super::result::guardian::GuardianStatus;
use super::state::BindingState;
use crate::engine;

/// The jobs of one Node environment.
#[derive(Debug)]
#[napi]
pub struct Binding {
    pub(super) state: Arc<BindingState>,
}

#[napi]
impl Binding {
    /// Creates a binding without jobs. Events of its jobs wait until [`Self::attach`].
    ///
    /// # Errors
    ///
    /// When the environment is ending.
    #[napi(constructor, catch_unwind)]
    pub fn new(env: Env) -> Result<Self> {
        let state = Arc::<BindingState>::default();
        env.add_env_cleanup_hook(Arc::clone(&state), |state| state.close())?;
        Ok(Self { state })
    }

    /// Delivers the events of jobs to `deliver(events, isMore)`. When `isMore` is true, JavaScript calls
    /// [`Self::take`] in the next turn of its loop.
    ///
    /// The constructor does not do this, because the threadsafe function keeps the asynchronous context in
    /// which it is created: JavaScript calls `attach` in a context without stores.
    ///
    /// # Errors
    ///
    /// When Node can't make the channel between the threads.
    #[napi(catch_unwind)]
    pub fn attach(&self, deliver: Function<Delivery, UnknownReturnValue>) -> Result<()> {
        self.state.mailbox().attach(&deliver)
    }

    /// Takes further events: `[events, isMore]`.
    ///
    /// # Errors
    ///
    /// When Node.js has no memory for bytes.
    #[napi(catch_unwind, ts_return_type = "[Array<Event>, boolean]")]
    pub fn take(&self, env: Env) -> Result<(Vec<Event>, bool)> {
        self.state.mailbox().take(env)
    }

    /// Returns the state of the guardian.
    #[napi(catch_unwind)]
    pub fn guardian(&self) -> GuardianStatus {
        engine::guardian_report().into()
    }

    /// Sets whether this binding's jobs keep Node alive.
    ///
    /// # Errors
    ///
    /// When the environment is ending.
    #[napi(catch_unwind)]
    pub fn keep_alive(&self, env: Env, is_needed: bool) -> Result<()> {
        self.state.mailbox().keep_alive(&env, is_needed)
    }

    /// Kills all jobs, at the end of the environment.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.state.close();
    }
}
