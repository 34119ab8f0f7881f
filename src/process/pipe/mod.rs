//! The pipes between a command and the host.
//!
//! [`PipeReader`] is the host's end of the output, [`PipeWriter`] that of the input. Both live on the I/O
//! thread. `unix` has plain pipes, `windows` named pipes.

mod ends;
#[cfg_attr(unix, path = "unix/mod.rs")]
#[cfg_attr(windows, path = "windows/mod.rs")]
mod platform;

pub use ends::{Read, Write};
pub use platform::*;
