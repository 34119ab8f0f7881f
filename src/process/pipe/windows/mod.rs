//! Named pipes of Windows, of which only the host's end is overlapped.
//!
//! `pair` makes both ends of a pipe; `reader` and `writer` are the host's. The reader does without the pipes
//! of the runtime, which read 4 KiB at a time.

mod pair;
mod reader;
mod writer;

pub use pair::{ChildEnd, Stream, empty_input, input_pipe, pipe};
pub use reader::{PipeReader, available};
pub use writer::PipeWriter;
