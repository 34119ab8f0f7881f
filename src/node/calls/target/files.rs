//! The files of a target: each call is answered by an event with its id.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;
use tokio::sync::{oneshot, watch};

use super::TargetHandle;
use crate::engine::engine;
use crate::node::mailbox::Message;
use crate::node::result::files::{FilesOutcome, FilesValue};
use crate::node::spec::whole;
use crate::node::state::BindingState;
use crate::process::files::request::{Request, Response, RootedPath};
use crate::process::thread::named;
use crate::target::files::copy::{Copied, Copy, CopyPlan};
use crate::target::files::{Files, FilesError};

/// The files of a target, and the calls that run.
#[derive(Debug, Default)]
pub(super) struct TargetFiles {
    files: OnceLock<Arc<Files>>,
    calls: Arc<Mutex<HashMap<u32, Cancel>>>,
}

/// The switch that aborts a call.
#[derive(Debug)]
enum Cancel {
    /// The operation is dropped.
    Operation(#[allow(dead_code, reason = "dropping it ends the operation")] oneshot::Sender<()>),
    Copy(watch::Sender<bool>),
}

/// A path on the target, or on this machine.
#[napi(object, object_to_js = false)]
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct PlaceSpec {
    pub path: Uint8Array,
    /// The directory that must contain everything.
    pub root: Option<Uint8Array>,
}

impl From<PlaceSpec> for RootedPath {
    fn from(PlaceSpec { path, root }: PlaceSpec) -> Self {
        Self { root: root.map(|root| root.to_vec()), path: path.to_vec(), below: Vec::new() }
    }
}

#[napi]
impl TargetHandle {
    /// Reads at most `most` bytes of a file. With `is_whole`, a file with more is an error.
    #[napi(catch_unwind)]
    pub fn read_file(&self, id: u32, place: PlaceSpec, from: f64, most: f64, is_whole: bool) {
        let (from, most) = (whole(from), usize::try_from(whole(most)).unwrap_or(usize::MAX));
        self.operate(id, async move |files| {
            files.read(place.into(), from, most, is_whole).await.map(FilesValue::Bytes)
        });
    }

    /// Writes bytes to a file, a new one if there is none.
    #[napi(catch_unwind)]
    pub fn write_file(
        &self,
        id: u32,
        place: PlaceSpec,
        bytes: Uint8Array,
        mode: Option<u32>,
        is_atomic: bool,
    ) {
        let bytes = bytes.to_vec();
        self.operate(id, async move |files| {
            files.write(place.into(), bytes, mode, is_atomic).await.map(|()| FilesValue::Nothing)
        });
    }

    /// Returns what is known of a file. With `follows`, a symbolic link stands for what it leads to.
    #[napi(catch_unwind)]
    pub fn stat_file(&self, id: u32, place: PlaceSpec, follows: bool) {
        self.ask(id, Request::Stat { place: place.into(), follows });
    }

    /// Lists a directory.
    #[napi(catch_unwind)]
    pub fn list_files(&self, id: u32, place: PlaceSpec) {
        self.operate(id, async move |files| files.list(place.into()).await.map(FilesValue::Entries));
    }

    /// Makes a directory; with `recursive`, also those above it.
    #[napi(catch_unwind)]
    pub fn make_directory(&self, id: u32, place: PlaceSpec, recursive: bool, mode: Option<u32>) {
        self.ask(id, Request::MakeDirectory { place: place.into(), recursive, mode });
    }

    /// Removes a file or a directory.
    #[napi(catch_unwind)]
    pub fn remove_file(&self, id: u32, place: PlaceSpec, recursive: bool) {
        self.ask(id, Request::Remove { place: place.into(), recursive });
    }

    /// Copies a file or a directory. Events report the progress.
    #[napi(catch_unwind)]
    pub fn copy_files(&self, id: u32, here: PlaceSpec, there: PlaceSpec, is_to_target: bool) {
        let state = Arc::clone(&self.state);
        let Some(files) = self.opened(id) else { return };
        let (cancel, cancelled) = watch::channel(false);
        let calls = Arc::clone(&self.files.calls);
        lock(&calls).insert(id, Cancel::Copy(cancel));
        let plan = CopyPlan { here: here.into(), there: there.into(), is_to_target };
        let started = named("agent-bash-copy").spawn(move || {
            let progress = {
                let state = Arc::clone(&state);
                move |copied: &Copied| report(&state, id, FilesOutcome::Progress(copied.clone()))
            };
            let copied = Copy::new(files, plan, cancelled, Box::new(progress)).run();
            lock(&calls).remove(&id);
            report(
                &state,
                id,
                copied.map_or_else(FilesOutcome::CopyFailed, |copied| {
                    FilesOutcome::Done(FilesValue::Copied(copied))
                }),
            );
        });
        if let Err(error) = started {
            lock(&self.files.calls).remove(&id);
            report(&self.state, id, FilesOutcome::Failed(FilesError::File(error.into())));
        }
    }

    /// Ends a call. An operation has no event then; the copy still has its last one.
    #[napi(catch_unwind)]
    pub fn cancel_files(&self, id: u32) {
        let mut calls = lock(&self.files.calls);
        if let Some(Cancel::Copy(cancel)) = calls.get(&id) {
            cancel.send_replace(true);
            return;
        }
        calls.remove(&id);
    }
}

impl TargetHandle {
    fn ask(&self, id: u32, request: Request) {
        self.operate(id, async move |files| {
            files.ask(request).await.map(|answer| match answer {
                Response::Found(stat) => FilesValue::Stat(stat),
                Response::Created(is_new) => FilesValue::Created(is_new),
                _ => FilesValue::Nothing,
            })
        });
    }

    /// Runs an operation, and reports its end.
    fn operate<F, O>(&self, id: u32, operation: F)
    where
        F: FnOnce(Arc<Files>) -> O + Send + 'static,
        O: Future<Output = Result<FilesValue, FilesError>> + Send + 'static,
    {
        let Some(files) = self.opened(id) else { return };
        let (cancel, cancelled) = oneshot::channel::<()>();
        let (state, calls) = (Arc::clone(&self.state), Arc::clone(&self.files.calls));
        lock(&calls).insert(id, Cancel::Operation(cancel));
        let done = operation(Arc::clone(&files));
        files.clone().spawn(async move {
            tokio::select! {
                outcome = done => {
                    lock(&calls).remove(&id);
                    report(&state, id, outcome.map_or_else(FilesOutcome::Failed, FilesOutcome::Done));
                }
                _ = cancelled => files.drop_abandoned(),
            }
        });
    }

    /// Returns the files; reports the error if the engine can't be started.
    fn opened(&self, id: u32) -> Option<Arc<Files>> {
        match engine() {
            Ok(engine) => {
                let new = || Arc::new(Files::new(engine, self.state.owner().clone(), self.target()));
                Some(Arc::clone(self.files.files.get_or_init(new)))
            }
            Err(error) => {
                report(&self.state, id, FilesOutcome::Failed(FilesError::File(error.into())));
                None
            }
        }
    }
}

fn report(state: &BindingState, id: u32, outcome: FilesOutcome) {
    state.mailbox().post(Message::Files(id, Box::new(outcome)));
}

fn lock(calls: &Mutex<HashMap<u32, Cancel>>) -> MutexGuard<'_, HashMap<u32, Cancel>> {
    calls.lock().unwrap_or_else(PoisonError::into_inner)
}
