//! A command that is longer than an argument may be reaches its shell through a descriptor.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::OwnedFd;

use crate::process::nameless_file::nameless_file;

/// The descriptor under which the child finds [`super::Request::script`].
pub const SCRIPT_DESCRIPTOR: i32 = 3;

/// The longest single argument that Linux takes, in bytes, without its final NUL.
pub const LONGEST_ARGUMENT: usize = 128 * 1024 - 1;

/// What a shell is told instead of the command: read it from the descriptor, and run it without that descriptor.
pub const READ_SCRIPT: &str = "eval \"$(cat <&3)\" 3<&-";

/// An open file with the command in it, at its beginning.
///
/// # Errors
///
/// The system's error, such as `EMFILE` or `ENOMEM`.
pub fn script_file(command: &str) -> io::Result<OwnedFd> {
    let mut file = File::from(nameless_file()?);
    file.write_all(command.as_bytes())?;
    file.rewind()?;
    Ok(file.into())
}
