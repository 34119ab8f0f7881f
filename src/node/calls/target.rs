//! A target of commands, as JavaScript holds it, and the call that creates one. `files` has the calls about
//! its files.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

pub mod ports;

use std::path::PathBuf;
use std::sync::Arc;

use napi::bindgen_prelude::Either;
use napi_derive::napi;

use self::files::TargetFiles;
use self::ports::{OpenPortHandle, PortSpec};
use super::next_handle_id;
use crate::engine::running_engine;
use crate::job::model::plan::Environment;
use crate::node::binding::Binding;
use crate::node::error::{NativeError, answer};
use crate::node::mailbox::Message;
use crate::node::result::run_result::RunResult;
use crate::node::state::BindingState;
use crate::session::handle::OwnOutput;
use crate::target::options::{TargetOptions, WrongTarget};
use crate::target::{ConnectionPhase, Target};

/// The handle of a target, which its running commands keep alive too.
#[derive(Debug)]
#[napi(js_name = "NativeTarget")]
pub struct TargetHandle {
    state: Arc<BindingState>,
    target: Arc<Target>,
    files: TargetFiles,
    id: u32,
}

impl TargetHandle {
    /// Returns the target, for a command that runs there.
    pub(in crate::node) fn target(&self) -> Arc<Target> {
        Arc::clone(&self.target)
    }

    /// Returns the binding that has created the target.
    pub(in crate::node) const fn binding(&self) -> &Arc<BindingState> {
        &self.state
    }
}

#[napi]
impl TargetHandle {
    /// Returns a number that no other target of this process has.
    #[napi(getter, catch_unwind)]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Returns the state of the connection, in one word.
    #[napi(getter, catch_unwind)]
    pub fn state(&self) -> &'static str {
        match self.target.phase() {
            ConnectionPhase::New => "new",
            ConnectionPhase::Connecting => "connecting",
            ConnectionPhase::Open => "open",
            ConnectionPhase::Closed => "closed",
            ConnectionPhase::Lost => "lost",
        }
    }

    /// Returns the directory of the container that has the files of the workspace on this machine.
    #[napi(getter, catch_unwind)]
    pub fn workspace(&self) -> Option<&'static str> {
        self.target.workspace()
    }

    /// Returns the paragraph that tells a model where its commands run.
    #[napi(getter, catch_unwind)]
    pub fn paragraph(&self) -> String {
        self.target.paragraph()
    }

    /// Returns whether the target is a container that is made for it.
    #[napi(getter, catch_unwind)]
    pub fn is_own_container(&self) -> bool {
        self.target.is_own_container()
    }

    /// Returns the path on the target. A path below the workspace on this machine has another name there.
    #[napi(catch_unwind)]
    pub fn path_there(&self, path: String) -> String {
        self.target.path_there(path)
    }

    /// Opens a listener. An event has its port; the last event is its end, with the error if there is one.
    #[napi(catch_unwind)]
    pub fn open_port(&self, id: u32, spec: PortSpec) -> Either<OpenPortHandle, NativeError> {
        answer(ports::open(self, id, spec))
    }

    /// Ends the commands and the connection for good. An event reports when that is done.
    #[napi(catch_unwind)]
    pub fn dispose(&self, id: u32) {
        let (state, done) = (Arc::clone(&self.state), self.target.dispose());
        let report = move || {
            let result = RunResult::of_own_output(OwnOutput::default());
            state.mailbox().post(Message::End(id, Box::new(result.into())));
        };
        match running_engine() {
            Some(engine) => drop(engine.runtime().spawn(async move {
                // The sender is dropped, never used.
                let _ = done.await;
                report();
            })),
            None => report(),
        }
    }
}

#[napi]
impl Binding {
    /// Creates a target from its options, as JSON, the environment of its transport, as `NAME=value` with a
    /// NUL after each, and the files of the helpers for other machines.
    #[napi(catch_unwind)]
    pub fn create_target(
        &self,
        options: String,
        environment: String,
        other_helpers: Vec<String>,
    ) -> Either<TargetHandle, NativeError> {
        let options = TargetOptions::parse(&options);
        let target = options.map(|options| {
            let environment = Environment(environment).variables().map(str::to_owned).collect();
            let helpers = other_helpers.into_iter().map(PathBuf::from).collect();
            let target = Arc::new(Target::new(options, environment, helpers));
            let (state, files) = (Arc::clone(&self.state), TargetFiles::default());
            TargetHandle { state, target, files, id: next_handle_id() }
        });
        answer(target.map_err(|WrongTarget(message)| NativeError::of_option("", message)))
    }
}

// Behind the handle: the generator of types reads files in this order.
mod files;
