//! The role askpass: passes a program's question for a password or a name to the host, whose person answers.
//!
//! * Started by: `sudo`, `ssh` or `git`, by the path that their variables name, with the question as the only
//!   argument. The path is a link in a job's directory, beside the socket of that job.
//! * May: connect to that socket, and hand over its standard output.
//! * Ends: with 0 when the host has written the answer, and with 1 and without output when there is none,
//!   when the host ends, or when nobody reads the output any more.
//!
//! The host writes the answer into the output itself, so this process never has it.
//!
//! [`AskpassRequest`] is what the role sends; `ask` is the role.

#[cfg(target_os = "linux")]
mod ask;
mod request;

#[cfg(target_os = "linux")]
pub use ask::ask;
pub use request::{ANSWERED, AskpassHint, AskpassRequest, MAX_REQUEST, SOCKET};
