//! The name of a program.

use crate::process::identity::Pid;
use crate::process::windows::image;

/// Whether this system shows what threads sleep in.
pub const IS_SHOWN: bool = false;

/// Returns the name of the program of a process without directories, or an empty one if it has exited.
#[must_use]
pub fn name_of(pid: Pid) -> String {
    let path = image::of_pid(pid.as_raw_nonzero().get().cast_unsigned()).unwrap_or_default();
    path.rsplit('\\').next().unwrap_or_default().to_owned()
}
