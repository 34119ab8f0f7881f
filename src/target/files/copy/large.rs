//! A large file: its pieces, in their order, and the partial copy that they make.

use std::collections::VecDeque;
use std::os::unix::ffi::OsStrExt;

use sha2::{Digest, Sha256};

use super::step::{Step, Work};
use super::{Copy, FilesError, Side, Trouble, trouble};
use crate::process::files::request::{Attributes, FileStat, PIECE, Piece, Request, Response, RootedPath};

/// How often a file that changes meanwhile is started anew.
const MAX_RESTARTS: u32 = 3;

/// The size from which on a copy goes on where an earlier one was cut (bytes). To ask takes a round trip.
const RESUMED_FROM: u64 = 1024 * 1024;

/// The large file whose pieces are being sent.
pub(super) struct Large {
    names: Vec<Vec<u8>>,
    stat: FileStat,
    /// The ranges that are left.
    ranges: VecDeque<(u64, u64)>,
    /// The size of the partial copy that was there (bytes).
    resumed: u64,
}

impl Large {
    pub(super) fn into_work(self) -> Work {
        Work::File { names: self.names, stat: self.stat, is_single: true }
    }
}

impl Copy {
    /// Begins a large file: finds out what is there of it already, and where it has data.
    pub(super) fn begin_large(&mut self, names: Vec<Vec<u8>>, stat: FileStat) -> Result<(), Trouble> {
        let place = self.sides.place(Side::Destination, &names);
        let tag = tag_of(&place, &stat);
        let mut from = 0;
        if stat.size >= RESUMED_FROM {
            let partial = Request::Partial { place: place.clone(), tag };
            let answer = self.ask_again(&names, stat, Side::Destination, partial)?;
            if let Response::Size(size) = answer
                && size <= stat.size
            {
                from = size;
            }
        }
        let mut ranges = VecDeque::from([(0, stat.size)]);
        if stat.blocks.saturating_mul(512) < stat.size {
            let source = self.sides.place(Side::Source, &names);
            let answer = self.ask_again(&names, stat, Side::Source, Request::Ranges { place: source })?;
            if let Response::Ranges(found) = answer {
                ranges = found.into_iter().map(|(begin, end)| (begin, end.min(stat.size))).collect();
            }
        }
        ranges.retain_mut(|(begin, end)| {
            *begin = from.max(*begin);
            begin < end
        });
        if from == 0 {
            let piece = Piece { tag: Some(tag), begins: true, mode: Some(0o600), ..Piece::default() };
            let step = Step::Wrote { names: names.clone(), stat, to: 0 };
            self.send(Request::Write { place, piece }, step, 0);
        }
        self.large_bytes = from;
        self.partial = Some((names.clone(), stat));
        self.large = Some(Large { names, stat, ranges, resumed: from });
        Ok(())
    }

    /// Asks for something that a large file begins with. If that fails, the file is still to be done.
    fn ask_again(
        &mut self,
        names: &[Vec<u8>],
        stat: FileStat,
        side: Side,
        request: Request,
    ) -> Result<Response, Trouble> {
        let answer = self.ask(side, names, request);
        if answer.is_err() {
            self.todo.push(Work::File { names: names.to_vec(), stat, is_single: true });
        }
        answer
    }

    /// Sends the request for the next piece, or the end of the file. Returns whether one was sent.
    pub(super) fn send_piece(&mut self) -> bool {
        let Some(large) = &mut self.large else { return false };
        let (names, stat, resumed) = (large.names.clone(), large.stat, large.resumed);
        let Some((begin, end)) = large.ranges.pop_front() else {
            // All pieces are on their way, and the end follows them.
            self.large = None;
            self.flights.push_back(super::Flight {
                pending: super::Pending::nothing(),
                step: Step::Complete { names, stat, resumed },
                bytes: 0,
            });
            return true;
        };
        let most = PIECE.min(usize::try_from(end - begin).unwrap_or(PIECE));
        let next = begin + most as u64;
        if next < end {
            large.ranges.push_front((next, end));
        }
        let place = self.sides.place(Side::Source, &names);
        let step = Step::Piece { names, stat, at: begin, length: most };
        self.send(Request::Read { place, from: begin, most }, step, most as u64);
        true
    }

    /// Writes a piece that was read.
    pub(super) fn write_piece(&mut self, names: Vec<Vec<u8>>, stat: FileStat, at: u64, bytes: Vec<u8>) {
        let place = self.sides.place(Side::Destination, &names);
        let tag = Some(tag_of(&place, &stat));
        let length = bytes.len() as u64;
        let step = Step::Wrote { names, stat, to: at + length };
        let piece = Piece { at, bytes, tag, begins: false, mode: None };
        self.send(Request::Write { place, piece }, step, length);
    }

    /// Gives a complete copy its name and attributes.
    pub(super) fn finish_large(&mut self, names: Vec<Vec<u8>>, stat: FileStat, resumed: u64) {
        let place = self.sides.place(Side::Destination, &names);
        let tag = tag_of(&place, &stat);
        let request = Request::Finish { place, tag, size: stat.size, attributes: attributes_of(&stat) };
        self.send(request, Step::Finished { names, stat, resumed }, 0);
    }

    /// Copies a file anew, which has changed meanwhile. `error` is that of one that changes again and again.
    pub(super) fn start_anew(
        &mut self,
        names: &[Vec<u8>],
        stat: FileStat,
        side: Side,
        error: FilesError,
    ) -> Result<(), Trouble> {
        self.restarts += 1;
        if self.restarts > MAX_RESTARTS {
            return Err(trouble(error, side, names));
        }
        // The answers that are still to come are about the copy that is given up.
        self.large = self.large.take().filter(|large| large.names != names);
        self.flights.retain(|flight| flight.step.names() != names || !flight.step.is_of_large());
        self.flying = self.flights.iter().map(|flight| flight.bytes).sum();
        self.large_bytes = 0;
        let place = self.sides.place(Side::Destination, names);
        let tag = tag_of(&place, &stat);
        let _ = self.sides.send(Side::Destination, Request::DropPartial { place, tag });
        let place = self.sides.place(Side::Source, names);
        let follows = names.is_empty();
        let found = self.ask_again(names, stat, Side::Source, Request::Stat { place, follows })?;
        if let Response::Found(stat) = found {
            self.todo.push(Work::File { names: names.to_vec(), stat, is_single: true });
        }
        Ok(())
    }
}

/// Returns the number in the name of a partial copy: the same for the same file that has not changed.
pub(super) fn tag_of(place: &RootedPath, stat: &FileStat) -> u64 {
    let name = place.below.last().unwrap_or(&place.path);
    let name = std::path::Path::new(std::ffi::OsStr::from_bytes(name)).file_name().unwrap_or_default();
    let mut hash = Sha256::new();
    hash.update(name.as_bytes());
    let numbers =
        [stat.size, stat.modified.seconds.cast_unsigned(), stat.modified.nanoseconds.into(), stat.inode];
    for number in numbers {
        hash.update(number.to_le_bytes());
    }
    let digest = hash.finalize();
    digest.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

pub(super) const fn attributes_of(stat: &FileStat) -> Attributes {
    Attributes { mode: Some(stat.mode), accessed: Some(stat.accessed), modified: Some(stat.modified) }
}

/// Returns whether a file is still the same.
pub(super) fn is_same(one: &FileStat, other: &FileStat) -> bool {
    let key = |stat: &FileStat| (stat.size, stat.modified, stat.inode, stat.device);
    key(one) == key(other)
}
