//! The pipes between a command and the host.
//!
//! [`PipeReader`] is the host's end of the output, [`PipeWriter`] that of the input. Both live on the I/O
//! thread. `unix` has plain pipes, `windows` named pipes.

mod ends;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub use ends::{Read, Write};
#[cfg(target_os = "linux")]
pub use unix::put_into;
#[cfg(unix)]
pub use unix::{
    ChildEnd, PipeReader, PipeWriter, Stream, empty_input, inode, input_pipe, nonblocking_pipe, pipe,
    write_queue,
};
#[cfg(windows)]
pub use windows::{ChildEnd, PipeReader, PipeWriter, Stream, empty_input, input_pipe, pipe};
