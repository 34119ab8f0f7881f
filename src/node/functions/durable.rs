//! Functions about durable jobs for JavaScript. They run on threads of libuv, because they read files and
//! wait for supervisors.

use std::path::PathBuf;
use std::time::Duration;

use napi::bindgen_prelude::{AsyncTask, Either, Env, Result, Task};
use napi_derive::napi;

use crate::durable::error::DurableError;
use crate::durable::find;
use crate::durable::info::DurableInfo;
use crate::durable::options::{JobFilter, new_id};
use crate::node::error::{NativeError, answer, guarded};
use crate::node::result::durable::DurableResult;
use crate::node::result::javascript_number;
use crate::node::spec::{duration, whole};

/// The durable jobs that are wanted. An absent property is no condition.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct DurableFilter {
    pub id: Option<String>,
    pub owner: Option<String>,
    pub root: Option<String>,
    pub name: Option<String>,
    pub running: Option<bool>,
}

impl From<DurableError> for NativeError {
    fn from(DurableError { code, message }: DurableError) -> Self {
        Self { code: code.to_owned(), message, option: None }
    }
}

/// Lists durable jobs.
#[derive(Debug)]
pub struct FindTask {
    directory: PathBuf,
    filter: JobFilter,
}

impl Task for FindTask {
    type Output = std::result::Result<Vec<DurableInfo>, NativeError>;
    type JsValue = Either<Vec<DurableResult>, NativeError>;

    fn compute(&mut self) -> Result<Self::Output> {
        let found = || Ok(find::find(&self.directory, &self.filter)?);
        Ok(guarded("the durable jobs could not be listed", found))
    }

    fn resolve(&mut self, _: Env, found: Self::Output) -> Result<Self::JsValue> {
        Ok(answer(found.map(|found| found.iter().map(DurableResult::from).collect())))
    }
}

/// Acts on a durable job, or on a directory of them.
#[derive(Debug)]
pub struct ActTask {
    directory: PathBuf,
    action: DurableAction,
}

#[derive(Debug)]
enum DurableAction {
    Extend { id: String, milliseconds: u64 },
    Stop { id: String, signal: i32, grace: Option<Duration> },
    Sweep,
}

impl Task for ActTask {
    type Output = std::result::Result<u64, NativeError>;
    type JsValue = Either<f64, NativeError>;

    fn compute(&mut self) -> Result<Self::Output> {
        let act = || {
            Ok(match &self.action {
                DurableAction::Extend { id, milliseconds } => {
                    find::extend(&self.directory, id, *milliseconds)?
                }
                DurableAction::Stop { id, signal, grace } => {
                    find::stop(&self.directory, id, *signal, *grace)?;
                    0
                }
                DurableAction::Sweep => find::remove_old(&self.directory)? as u64,
            })
        };
        Ok(guarded("the durable job could not be reached", act))
    }

    fn resolve(&mut self, _: Env, number: Self::Output) -> Result<Self::JsValue> {
        Ok(answer(number.map(javascript_number)))
    }
}

/// Returns an id for a new durable job.
#[napi(catch_unwind)]
#[must_use]
pub fn durable_id() -> String {
    new_id()
}

/// Lists the durable jobs of a directory that the filter lets through, in the order of their starts. Removes
/// ended ones that are too old first.
#[napi(catch_unwind)]
#[must_use]
pub fn find_durable(directory: String, filter: DurableFilter) -> AsyncTask<FindTask> {
    let DurableFilter { id, owner, root, name, running } = filter;
    let filter = JobFilter { id, owner, root, name, is_running: running };
    AsyncTask::new(FindTask { directory: PathBuf::from(directory), filter })
}

/// Sets the time that is left to a durable job (ms). Returns the end of its longest run (ms since 1970).
#[napi(catch_unwind)]
#[must_use]
pub fn extend_durable(directory: String, id: String, milliseconds: f64) -> AsyncTask<ActTask> {
    let action = DurableAction::Extend { id, milliseconds: whole(milliseconds) };
    AsyncTask::new(ActTask { directory: PathBuf::from(directory), action })
}

/// Ends a durable job: this signal to all processes, and SIGKILL after the grace (ms; infinity for none).
/// Returns 0 when the supervisor has the request, or the job has ended.
#[napi(catch_unwind)]
#[must_use]
pub fn stop_durable(directory: String, id: String, signal: i32, grace: f64) -> AsyncTask<ActTask> {
    let action = DurableAction::Stop { id, signal, grace: duration(grace) };
    AsyncTask::new(ActTask { directory: PathBuf::from(directory), action })
}

/// Removes the ended durable jobs of a directory that are too old or too many, and returns their number.
#[napi(catch_unwind)]
#[must_use]
pub fn sweep_durable(directory: String) -> AsyncTask<ActTask> {
    AsyncTask::new(ActTask { directory: PathBuf::from(directory), action: DurableAction::Sweep })
}
