//! The input and the output of a command.
//!
//! [`output`] reads one stream, keeps it and hands it to the [`observer`]; [`backpressure`] slows the command down to the
//! consumer's pace; [`spill`] writes all of it to a file. [`input`] feeds standard input.

pub mod backpressure;
pub(crate) mod discard;
pub mod input;
pub mod observer;
pub mod output;
pub mod spill;
