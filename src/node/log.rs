//! The log for bug reports: the engine's events for each command, on standard error.

#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use std::io;

use napi_derive::napi;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt;

/// Writes the crate's `tracing` events of this level and above to standard error from now on, for all threads
/// of the process. Returns whether the level exists: `error`, `warn`, `info`, `debug`, `trace`, or `off`.
/// Only the first call sets the level.
///
/// JavaScript reads the variable `AGENT_BASH_LOG`: the crate never reads the environment.
#[napi(catch_unwind)]
pub fn start_log(level: String) -> bool {
    let Ok(level) = level.parse::<LevelFilter>() else { return false };
    let subscriber =
        fmt().with_max_level(level).with_writer(io::stderr).with_thread_names(true).with_ansi(false);
    // Fails if another Node environment of this process has started the log already.
    let _ = tracing::subscriber::set_global_default(subscriber.finish());
    true
}
