//! The options of a session.

use napi_derive::napi;

use super::duration;
use super::surroundings::SurroundingsSpec;
use crate::job::model::shell::Shell;
use crate::node::error::NativeError;
use crate::session::SessionPlan;
use crate::session::plan::{START_TIMEOUT, ShellProgram};
use crate::session::shell::flavor::SessionFlavor;
use crate::session::shell::start_files::StartFiles;

/// The options of a session. Times are milliseconds; absent options have their defaults.
#[napi(object, object_to_js = false)]
#[allow(missing_debug_implementations, reason = "the objects of JavaScript have none")]
pub struct SessionSpec {
    pub surroundings: SurroundingsSpec,
    /// The start files that the shell reads.
    pub start_files: Option<StartFilesSpec>,
    /// The longest time for the start files (ms); infinity for no limit.
    pub start_timeout: Option<f64>,
    /// Whether background processes live on when the session is closed.
    pub keep_background: bool,
}

/// The start files that a shell reads.
#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
pub enum StartFilesSpec {
    None,
    Login,
    Interactive,
    Both,
}

impl SessionSpec {
    /// Returns the plan of a session.
    ///
    /// # Errors
    ///
    /// When sessions don't support the shell.
    pub fn plan(self) -> Result<SessionPlan, NativeError> {
        let surroundings = self.surroundings.surroundings()?;
        let there = surroundings.target.as_ref().map(|elsewhere| elsewhere.shells.clone());
        let shells = there.filter(|shells| !shells.is_empty());
        let shells = shells.unwrap_or_else(|| vec![surroundings.shell.clone()]);
        let known = |Shell { program: path, .. }: Shell| {
            SessionFlavor::of(&path).map(|flavor| ShellProgram { path, flavor })
        };
        let shells: Option<Vec<ShellProgram>> = shells.into_iter().map(known).collect();
        let unknown = || NativeError::of_option("shell", "expected a shell that sessions support".to_owned());
        Ok(SessionPlan {
            surroundings,
            shells: shells.ok_or_else(unknown)?,
            start_files: self.start_files.map_or(StartFiles::default(), StartFiles::from),
            start_timeout: self.start_timeout.map_or(Some(START_TIMEOUT), duration),
            keeps_background: self.keep_background,
        })
    }
}

impl From<StartFilesSpec> for StartFiles {
    fn from(files: StartFilesSpec) -> Self {
        match files {
            StartFilesSpec::None => Self::None,
            StartFilesSpec::Login => Self::Login,
            StartFilesSpec::Interactive => Self::Interactive,
            StartFilesSpec::Both => Self::Both,
        }
    }
}
