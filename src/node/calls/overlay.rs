//! An overlay, as JavaScript holds it. Its methods run on threads of libuv, because they read and write
//! files.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::Arc;

use napi::bindgen_prelude::{AsyncTask, Either, Env, Result, Task, Uint8Array};
use napi_derive::napi;

use super::next_handle_id;
use crate::node::error::{NativeError, answer, guarded};
use crate::node::result::overlay::OverlayAnswer;
use crate::node::spec::whole;
use crate::process::thread::named;
use crate::sandbox::overlay::diff::DiffOptions;
use crate::sandbox::overlay::{Committed, OnConflict, Overlay, OverlayError};

/// The handle of an overlay, which running commands keep alive too.
#[derive(Debug)]
#[napi(js_name = "NativeOverlay")]
pub struct OverlayHandle {
    /// `None` only while the handle is dropped.
    overlay: Option<Arc<Overlay>>,
    id: u32,
}

impl OverlayHandle {
    /// Returns the overlay, for a command that runs in it.
    pub(in crate::node) fn overlay(&self) -> Option<Arc<Overlay>> {
        self.overlay.clone()
    }
}

/// A method call on an overlay.
#[derive(Debug)]
enum Question {
    Changes(Vec<PathBuf>),
    Conflicts,
    Diff { paths: Option<Vec<PathBuf>>, exclude: Vec<PathBuf>, options: DiffOptions },
    Commit(Option<Vec<PathBuf>>, OnConflict),
    Discard,
}

/// Runs a method of an overlay on a thread of libuv.
#[derive(Debug)]
pub struct OverlayTask {
    /// Absent after the drop of the handle, which JavaScript holds while it calls.
    overlay: Option<Arc<Overlay>>,
    question: Question,
}

impl OverlayTask {
    fn answer(&self, overlay: &Overlay) -> std::result::Result<OverlayAnswer, OverlayError> {
        Ok(match &self.question {
            Question::Changes(exclude) => OverlayAnswer::of_changes(&overlay.changes(exclude)?),
            Question::Conflicts => OverlayAnswer::of_conflicts(&overlay.conflicts()?),
            Question::Diff { paths, exclude, options } => {
                OverlayAnswer::of_diff(&overlay.diff(paths.as_deref(), exclude, *options)?)
            }
            Question::Commit(paths, on_conflict) => {
                let Committed { applied, conflicts } = overlay.commit(paths.as_deref(), *on_conflict)?;
                OverlayAnswer {
                    conflicts: OverlayAnswer::of_conflicts(&conflicts).conflicts,
                    ..OverlayAnswer::of_changes(&applied)
                }
            }
            Question::Discard => {
                overlay.discard()?;
                OverlayAnswer::default()
            }
        })
    }
}

impl Task for OverlayTask {
    type Output = OverlayAnswer;
    type JsValue = OverlayAnswer;

    fn compute(&mut self) -> Result<OverlayAnswer> {
        let closed = || NativeError::invalid("the overlay is closed".to_owned());
        let answer = || {
            let overlay = self.overlay.as_ref().ok_or_else(closed)?;
            Ok(self.answer(overlay).unwrap_or_else(|error| OverlayAnswer::of_error(&error)))
        };
        let failed = |error| OverlayAnswer { error: Some(error), ..OverlayAnswer::default() };
        Ok(guarded("the overlay failed; please report this", answer).unwrap_or_else(failed))
    }

    fn resolve(&mut self, _: Env, answer: OverlayAnswer) -> Result<OverlayAnswer> {
        Ok(answer)
    }
}

#[napi]
impl OverlayHandle {
    /// Creates an overlay over a directory, with a layer in `directory`, or in a directory that is removed
    /// when this process ends.
    #[napi(catch_unwind)]
    pub fn create(
        root: String,
        directory: Option<String>,
        max_bytes: Option<f64>,
    ) -> Either<OverlayHandle, NativeError> {
        let overlay = Overlay::create(root.as_ref(), directory.map(PathBuf::from), max_bytes.map(whole));
        let wrong = |(option, expected)| NativeError::of_option(option, format!("expected {expected}"));
        let handle = |overlay| Self { overlay: Some(Arc::new(overlay)), id: next_handle_id() };
        answer(overlay.map_err(wrong).map(handle))
    }

    /// Returns a number that no other overlay of this process has.
    #[napi(getter, catch_unwind)]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Lists what the commands have changed, except at these paths.
    #[napi(catch_unwind)]
    pub fn changes(&self, exclude: Vec<Uint8Array>) -> AsyncTask<OverlayTask> {
        self.ask(Question::Changes(below(exclude)))
    }

    /// Lists the changes whose paths have also changed in the workspace.
    #[napi(catch_unwind)]
    pub fn conflicts(&self) -> AsyncTask<OverlayTask> {
        self.ask(Question::Conflicts)
    }

    /// Returns the changes as a patch in the format of git.
    #[napi(catch_unwind)]
    pub fn diff(&self, choice: DiffChoice) -> AsyncTask<OverlayTask> {
        let usual = DiffOptions::default();
        let options = DiffOptions {
            context: choice.context.unwrap_or(usual.context),
            max_bytes: choice.max_bytes.map_or(usual.max_bytes, |bytes| bytes as usize),
            has_binary: choice.binary.unwrap_or(usual.has_binary),
        };
        let (paths, exclude) = (choice.paths.map(below), below(choice.exclude));
        self.ask(Question::Diff { paths, exclude, options })
    }

    /// Applies the changes to the workspace.
    #[napi(catch_unwind)]
    pub fn commit(
        &self,
        paths: Option<Vec<Uint8Array>>,
        on_conflict: Option<String>,
    ) -> AsyncTask<OverlayTask> {
        let on_conflict = match on_conflict.as_deref() {
            Some("skip") => OnConflict::Skip,
            Some("overwrite") => OnConflict::Overwrite,
            _ => OnConflict::Fail,
        };
        self.ask(Question::Commit(paths.map(below), on_conflict))
    }

    /// Drops the changes.
    #[napi(catch_unwind)]
    pub fn discard(&self) -> AsyncTask<OverlayTask> {
        self.ask(Question::Discard)
    }

    fn ask(&self, question: Question) -> AsyncTask<OverlayTask> {
        AsyncTask::new(OverlayTask { overlay: self.overlay.clone(), question })
    }
}

impl Drop for OverlayHandle {
    fn drop(&mut self) {
        // The layer may be large, and JavaScript's thread must not wait.
        let overlay = self.overlay.take();
        let _ = named("agent-bash-clean").spawn(move || drop(overlay));
    }
}

/// The options of a diff.
#[napi(object, object_to_js = false)]
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct DiffChoice {
    pub paths: Option<Vec<Uint8Array>>,
    pub exclude: Vec<Uint8Array>,
    pub context: Option<u32>,
    pub max_bytes: Option<u32>,
    pub binary: Option<bool>,
}

/// Returns paths below the root, which are bytes: a name may be no UTF-8.
fn below(paths: Vec<Uint8Array>) -> Vec<PathBuf> {
    paths.into_iter().map(|path| OsString::from_vec(path.to_vec()).into()).collect()
}
