//! Files and directories, below a root that nothing leaves.
//!
//! Both sides of a copy use these functions: this machine, and the helper in its role
//! [`files`](crate::helper::files) on a target. A [`Request`] names everything that it needs, and no file
//! stays open between two of them, so a request can be repeated on another connection.
//!
//! * [`request`] has the requests and their answers, which pass between the two sides.
//! * [`message`] makes bytes of them, for a stream.
//! * `locate` opens the directory of a path, with the check that the root contains it.
//! * `read`, `write` and `tree` carry the requests out: contents, new files, and everything about
//!   directories. `platform` has what only one kernel can do.

mod locate;
pub mod message;
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
mod platform;
mod read;
pub mod request;
mod tree;
mod write;

pub use self::write::partial_name;

use std::mem::take;

use self::request::{FileError, Request, Response};

/// Carries a request out on this machine.
#[must_use]
pub fn perform(request: &Request) -> Response {
    perform_with(request, &mut Vec::new())
}

/// Carries a request out on this machine. The bytes of a file that is read get the memory of `buffer`, which
/// was that of earlier ones: new memory for each would cost a page fault for each page.
#[must_use]
pub fn perform_with(request: &Request, buffer: &mut Vec<u8>) -> Response {
    try_perform(request, buffer).unwrap_or_else(Response::Failed)
}

fn try_perform(request: &Request, buffer: &mut Vec<u8>) -> Result<Response, FileError> {
    match request {
        Request::Stat { place, follows } => read::stat(place, *follows).map(Response::Found),
        Request::Read { place, from, most } => read::read(place, *from, *most, take(buffer)),
        Request::Ranges { place } => read::ranges(place).map(Response::Ranges),
        Request::List { place, after } => tree::list(place, after.as_deref()),
        Request::Write { place, piece } => write::write(place, piece).map(|()| Response::Done),
        Request::Put { place, bytes, attributes } => {
            write::put(place, bytes, attributes).map(|()| Response::Done)
        }
        Request::Partial { place, tag } => write::partial(place, *tag).map(Response::Size),
        Request::Finish { place, tag, size, attributes } => {
            write::finish(place, *tag, *size, attributes).map(|()| Response::Done)
        }
        Request::DropPartial { place, tag } => write::drop_partial(place, *tag).map(|()| Response::Done),
        Request::MakeDirectory { place, recursive, mode } => {
            tree::make_directory(place, *recursive, *mode).map(Response::Created)
        }
        Request::Link { place, to } => tree::link(place, to).map(|()| Response::Done),
        Request::HardLink { place, existing } => tree::hard_link(place, existing).map(|()| Response::Done),
        Request::Change { place, attributes } => write::change(place, attributes).map(|()| Response::Done),
        Request::Remove { place, recursive } => tree::remove(place, *recursive).map(|()| Response::Done),
    }
}

#[cfg(test)]
mod tests;
