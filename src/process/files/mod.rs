//! Files and directories, below a root that nothing leaves.
//!
//! Both sides of a copy use these functions: this machine, and the helper in its role
//! [`files`](crate::helper::files) on a target. A [`Request`] names everything that it needs, and no file
//! stays open between two of them, so a request can be repeated on another connection.
//!
//! * [`request`] has the requests and their answers, which pass between the two sides.
//! * [`message`] makes bytes of them, for a stream.
//! * `place` opens the directory of a path, with the check that the root contains it.
//! * `read`, `write` and `tree` carry the requests out: contents, new files, and everything about
//!   directories.

pub mod message;
mod place;
mod read;
pub mod request;
mod tree;
mod write;

pub use self::write::partial_name;

use self::request::{Answer, FileError, Request};

/// Carries a request out on this machine.
#[must_use]
pub fn perform(request: &Request) -> Answer {
    try_perform(request).unwrap_or_else(Answer::Failed)
}

fn try_perform(request: &Request) -> Result<Answer, FileError> {
    match request {
        Request::Stat { place, follows } => read::stat(place, *follows).map(Answer::Found),
        Request::Read { place, from, most } => read::read(place, *from, *most),
        Request::Ranges { place } => read::ranges(place).map(Answer::Ranges),
        Request::List { place, after } => tree::list(place, after.as_deref()),
        Request::Write { place, piece } => write::write(place, piece).map(|()| Answer::Done),
        Request::Put { place, bytes, attributes } => {
            write::put(place, bytes, attributes).map(|()| Answer::Done)
        }
        Request::Partial { place, tag } => write::partial(place, *tag).map(Answer::Size),
        Request::Finish { place, tag, size, attributes } => {
            write::finish(place, *tag, *size, attributes).map(|()| Answer::Done)
        }
        Request::DropPartial { place, tag } => write::drop_partial(place, *tag).map(|()| Answer::Done),
        Request::MakeDirectory { place, recursive, mode } => {
            tree::make_directory(place, *recursive, *mode).map(Answer::Created)
        }
        Request::Link { place, to } => tree::link(place, to).map(|()| Answer::Done),
        Request::HardLink { place, existing } => tree::hard_link(place, existing).map(|()| Answer::Done),
        Request::Change { place, attributes } => write::change(place, attributes).map(|()| Answer::Done),
        Request::Remove { place, recursive } => tree::remove(place, *recursive).map(|()| Answer::Done),
    }
}

#[cfg(test)]
mod tests;
