//! The results of one read or write of a pipe.

use crate::process::errno::Errno;

/// The result of one read from a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    Bytes(usize),
    /// The pipe is empty now.
    Empty,
    /// The pipe has ended: it is empty and no writer is left.
    End,
    /// The read failed. There may be writers left, but nothing more can be read.
    Failed(Errno),
}

/// The result of one write to a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// The kernel took this many bytes: at least one, unless the write was empty. There may be room for more.
    Bytes(usize),
    Full,
    Closed,
}
