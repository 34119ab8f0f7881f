//! The input and the output of a command.
//!
//! ```text
//! 256 KiB are on their way to JavaScript ──▶ the I/O thread stops reading
//!   ──▶ the pipe fills ──▶ the command waits in write()
//! ```
//!
//! After the end of a job, another process may hold its output open. `discard` reads that output slowly and
//! drops it, because a closed pipe would kill the process.
//!
//! [`output`] reads one stream, decodes it (`decoding`), replaces secret values in it (`redaction`), keeps it
//! and hands it to the [`observer`], as text or as bytes (`conversion`), and `unfinished` reports the line
//! before it is finished; [`backpressure`] slows the command down to the consumer's pace; [`spill`] writes
//! all of it to a file; [`observed`] keeps its latest part for recordings and live views. [`input`] feeds
//! standard input.

pub mod backpressure;
mod conversion;
mod decoding;
pub(crate) mod discard;
pub mod input;
pub mod observed;
pub mod observer;
pub mod output;
mod pace;
mod redaction;
pub mod spill;
pub(crate) mod unfinished;
