//! Words that several dialects share.

use super::outcome::Status;

/// A time in seconds, without needless digits: `2 s`, `0.3 s`.
#[must_use]
pub fn seconds(milliseconds: f64) -> String {
    format!("{} s", milliseconds / 1000.0)
}

/// The name of a status, as `run()` writes it.
#[must_use]
pub const fn status_name(status: Status) -> &'static str {
    match status {
        Status::Exited => "exited",
        Status::Signaled => "signaled",
        Status::Timeout => "timeout",
        Status::IdleTimeout => "idleTimeout",
        Status::Background => "background",
        Status::Aborted => "aborted",
        Status::Denied => "denied",
        Status::Failed => "failed",
        Status::Unknown => "unknown",
    }
}
