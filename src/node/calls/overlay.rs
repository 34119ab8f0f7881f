//! An overlay, as JavaScript holds it. Its methods run on threads of libuv, because they read and write
//! files.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use napi::bindgen_prelude::{AsyncTask, Env, Error, Result, Task};
use napi_derive::napi;

use crate::node::numbered::OVERLAYS;
use crate::node::result::overlay::OverlayAnswer;
use crate::node::spec::whole;
use crate::process::thread::named;
use crate::sandbox::overlay::diff::DiffOptions;
use crate::sandbox::overlay::{Committed, OnConflict, Overlay, OverlayError};

/// The handle of an overlay, which running commands keep alive too.
#[derive(Debug)]
#[napi(js_name = "NativeOverlay")]
pub struct OverlayHandle {
    overlay: Option<Arc<Overlay>>,
    number: u32,
}

/// A method call on an overlay.
#[derive(Debug)]
enum Question {
    Changes,
    Conflicts,
    Diff(Option<Vec<PathBuf>>, DiffOptions),
    Commit(Option<Vec<PathBuf>>, OnConflict),
    Discard,
}

/// Runs a method of an overlay on a thread of libuv.
#[derive(Debug)]
pub struct OverlayTask {
    overlay: Arc<Overlay>,
    question: Question,
}

impl OverlayTask {
    fn answer(&self) -> std::result::Result<OverlayAnswer, OverlayError> {
        let overlay = &self.overlay;
        Ok(match &self.question {
            Question::Changes => OverlayAnswer::of_changes(&overlay.changes()?),
            Question::Conflicts => OverlayAnswer::of_conflicts(&overlay.conflicts()?),
            Question::Diff(paths, options) => {
                OverlayAnswer::of_diff(&overlay.diff(paths.as_deref(), *options)?)
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
        // A panic in a task would end Node.
        let answer = catch_unwind(AssertUnwindSafe(|| self.answer()))
            .map_err(|_| Error::from_reason("the overlay failed; please report this"))?;
        Ok(answer.unwrap_or_else(|error| OverlayAnswer::of_error(&error)))
    }

    fn resolve(&mut self, _: Env, answer: OverlayAnswer) -> Result<OverlayAnswer> {
        Ok(answer)
    }
}

#[napi]
impl OverlayHandle {
    /// Creates an overlay over a directory, with a layer in `directory`, or in a directory that is removed
    /// when this process ends.
    ///
    /// # Errors
    ///
    /// The option that is wrong.
    #[napi(factory, catch_unwind)]
    pub fn create(root: String, directory: Option<String>, max_bytes: Option<f64>) -> Result<Self> {
        let overlay = Overlay::create(root.as_ref(), directory.map(PathBuf::from), max_bytes.map(whole));
        let wrong = |(option, expected)| {
            Error::from_reason(format!("Invalid option 'options.{option}': expected {expected}"))
        };
        let overlay = Arc::new(overlay.map_err(wrong)?);
        let number = OVERLAYS.add(&overlay);
        Ok(Self { overlay: Some(overlay), number })
    }

    /// Returns the number by which the options of a command name the overlay.
    #[napi(getter, catch_unwind)]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Lists what the commands have changed.
    ///
    /// # Errors
    ///
    /// Only when the handle is dropped meanwhile.
    #[napi(catch_unwind)]
    pub fn changes(&self) -> Result<AsyncTask<OverlayTask>> {
        self.ask(Question::Changes)
    }

    /// Lists the changes whose paths have also changed in the workspace.
    ///
    /// # Errors
    ///
    /// Only when the handle is dropped meanwhile.
    #[napi(catch_unwind)]
    pub fn conflicts(&self) -> Result<AsyncTask<OverlayTask>> {
        self.ask(Question::Conflicts)
    }

    /// Returns the changes as a patch in the format of git.
    ///
    /// # Errors
    ///
    /// Only when the handle is dropped meanwhile.
    #[napi(catch_unwind)]
    pub fn diff(
        &self,
        paths: Option<Vec<String>>,
        context: Option<u32>,
        max_bytes: Option<u32>,
    ) -> Result<AsyncTask<OverlayTask>> {
        let usual = DiffOptions::default();
        let options = DiffOptions {
            context: context.unwrap_or(usual.context),
            max_bytes: max_bytes.map_or(usual.max_bytes, |bytes| bytes as usize),
        };
        self.ask(Question::Diff(paths.map(below), options))
    }

    /// Applies the changes to the workspace.
    ///
    /// # Errors
    ///
    /// Only when the handle is dropped meanwhile.
    #[napi(catch_unwind)]
    pub fn commit(
        &self,
        paths: Option<Vec<String>>,
        on_conflict: Option<String>,
    ) -> Result<AsyncTask<OverlayTask>> {
        let on_conflict = match on_conflict.as_deref() {
            Some("skip") => OnConflict::Skip,
            Some("overwrite") => OnConflict::Overwrite,
            _ => OnConflict::Fail,
        };
        self.ask(Question::Commit(paths.map(below), on_conflict))
    }

    /// Drops the changes.
    ///
    /// # Errors
    ///
    /// Only when the handle is dropped meanwhile.
    #[napi(catch_unwind)]
    pub fn discard(&self) -> Result<AsyncTask<OverlayTask>> {
        self.ask(Question::Discard)
    }

    fn ask(&self, question: Question) -> Result<AsyncTask<OverlayTask>> {
        let overlay = self.overlay.clone().ok_or_else(|| Error::from_reason("the overlay is closed"))?;
        Ok(AsyncTask::new(OverlayTask { overlay, question }))
    }
}

impl Drop for OverlayHandle {
    fn drop(&mut self) {
        OVERLAYS.remove(self.number);
        // The layer may be large, and JavaScript's thread must not wait.
        let overlay = self.overlay.take();
        let _ = named("agent-bash-clean").spawn(move || drop(overlay));
    }
}

fn below(paths: Vec<String>) -> Vec<PathBuf> {
    paths.into_iter().map(PathBuf::from).collect()
}
