//! The input that a job waits for and the ports that it listens on, as JavaScript sees them.

use napi_derive::napi;

use crate::job::ports::ListeningPort;
use crate::job::waiting::InputWait;

/// A job that waits for input. `index.d.ts` explains each field.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct InputWaitState {
    /// `line`, `password`, `keys` or `pipe`.
    pub kind: &'static str,
    /// `read` or `poll`.
    pub how: &'static str,
    /// The time after which the program stops waiting (ms).
    pub timeout: Option<f64>,
    /// Whether the process listens on a socket.
    pub listening: bool,
    /// Whether the kernel showed the wait, as opposed to a guess.
    pub certain: bool,
    /// The process.
    pub pid: i32,
    /// The name of the process's program.
    pub program: String,
    /// The last unfinished line.
    pub prompt: String,
}

impl From<Box<InputWait>> for InputWaitState {
    fn from(wait: Box<InputWait>) -> Self {
        Self {
            kind: wait.kind.as_str(),
            how: wait.how.as_str(),
            timeout: wait.timeout.map(|timeout| timeout.as_secs_f64() * 1_000.0),
            listening: wait.is_listening,
            certain: wait.is_certain,
            pid: wait.pid,
            program: wait.program,
            prompt: wait.prompt,
        }
    }
}

/// A port that a job listens on.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct PortState {
    pub port: u16,
    pub address: String,
    /// The process.
    pub pid: i32,
}

impl From<ListeningPort> for PortState {
    fn from(ListeningPort { port, address, pid }: ListeningPort) -> Self {
        Self { port, address: address.to_string(), pid }
    }
}
