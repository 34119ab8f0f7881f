//! The options of a session.

use napi::bindgen_prelude::{Error, Result};
use napi_derive::napi;

use super::duration;
use super::run::LimitsSpec;
use crate::job::model::invocation::Invocation;
use crate::job::model::plan::{Directory, Environment};
use crate::process::spawn::Limits;
use crate::session::SessionPlan;
use crate::session::shell::flavor::SessionFlavor;
use crate::session::shell::start_files::StartFiles;

/// The options of a session, checked by JavaScript, with the defaults filled in. Times are milliseconds.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct SessionSpec {
    /// The shell; absent for the usual one.
    pub shell: Option<String>,
    /// The directory in which the session begins; an absolute path.
    pub cwd: String,
    /// The directory that must contain `cwd`; an absolute path.
    pub root: Option<String>,
    /// The environment: `NAME=value`, with a NUL after each.
    pub environment: String,
    /// The resource limits of its commands.
    pub limits: Option<LimitsSpec>,
    /// The start files that the shell reads: `none`, `login`, `interactive` or `both`.
    pub start_files: String,
    /// The longest time for the start files (ms); absent for no limit.
    pub start_timeout: Option<f64>,
    /// Whether background processes live on when the session is closed.
    pub keep_background: bool,
}

impl SessionSpec {
    /// Returns the plan of a session.
    ///
    /// # Errors
    ///
    /// When sessions don't support the shell.
    pub fn plan(self) -> Result<SessionPlan> {
        let shell =
            self.shell.unwrap_or_else(|| Invocation::by_usual_shell(String::new()).program().to_owned());
        let flavor =
            SessionFlavor::of(&shell).ok_or_else(|| Error::from_reason("no session can have this shell"))?;
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
