//! The roles that need Linux, but no sandbox.

use std::env::ArgsOs;
use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;

use crate::helper::keeper::{KeeperPlan, keep};
use crate::helper::{askpass, durable, files, supervisor};
use crate::process::helper_program::{ASKPASS, DURABLE, FILES, KEEPER, SUPERVISE};

/// Plays the role that a name selects, to its end. Returns `None` for any other name.
pub(super) fn play_by_name(name: &OsStr, arguments: &mut ArgsOs) -> Option<ExitCode> {
    if name == KEEPER {
        #[allow(clippy::disallowed_methods, reason = "this process has one thread")]
        let environment: Vec<_> = std::env::vars_os().collect();
        return Some(KeeperPlan::decode(arguments).map_or(2, |plan| keep(&plan, &environment)).into());
    }
    if Path::new(name).file_name().is_some_and(|name| name == ASKPASS) {
        #[allow(clippy::disallowed_methods, reason = "this process has one thread")]
        let hint = std::env::var_os("SSH_ASKPASS_PROMPT");
        return Some(askpass::ask(name, arguments.next().as_deref(), hint.as_deref()).into());
    }
    None
}

/// Plays the role that the first argument selects, to its end. Returns `None` for any other argument.
pub fn play_by_argument(role: &OsStr, arguments: &mut ArgsOs) -> Option<ExitCode> {
    if role == SUPERVISE {
        let nonce = arguments.next().unwrap_or_default();
        let cache = arguments.next().filter(|path| !path.is_empty());
        #[allow(clippy::disallowed_methods, reason = "this process has one thread")]
        let environment = std::env::vars_os().collect();
        let cache = cache.as_deref().map(Path::new);
        return Some(supervisor::supervise(&nonce.to_string_lossy(), cache, environment).into());
    }
    if role == DURABLE {
        let id = arguments.next().unwrap_or_default();
        return Some(durable::run(&id.to_string_lossy()).into());
    }
    if role == FILES {
        return Some(files::serve());
    }
    None
}
