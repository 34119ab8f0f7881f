//! The state of a session.

use napi_derive::napi;

/// The state of a session.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct SessionStatus {
    /// The state: `idle`, `starting`, `busy` or `closed`.
    pub state: &'static str,
    /// The number of queued commands.
    pub pending: u32,
    /// The pid of the shell.
    pub pid: Option<i32>,
    /// The shell's directory after the last command.
    pub cwd: Option<String>,
}
