//! The steps of a copy: what is to be done, and what follows each answer.

use super::large::{attributes_of, is_same};
use super::{Copy, FilesError, MAX_SKIPPED, Side, Trouble, is_copied, is_large, trouble};
use crate::process::files::request::{
    DirectoryEntry, FileError, FileKind, FileStat, PIECE, Request, Response,
};

/// The names below the top.
type Names = Vec<Vec<u8>>;

/// One step of a copy.
pub(super) enum Work {
    /// Find out what the source is.
    Top,
    Make {
        names: Names,
        stat: FileStat,
    },
    List {
        names: Names,
        after: Option<Vec<u8>>,
    },
    /// `is_single` tells that another name of the file is no reason to make a link.
    File {
        names: Names,
        stat: FileStat,
        is_single: bool,
    },
    Link {
        names: Names,
        to: Vec<u8>,
    },
    Change {
        names: Names,
        stat: FileStat,
    },
}

/// A request without an answer, and what it is about.
pub(super) enum Step {
    Top,
    Made {
        names: Names,
        stat: FileStat,
    },
    Above,
    Listed {
        names: Names,
        after: Option<Vec<u8>>,
    },
    /// A whole small file was read.
    Read {
        names: Names,
        stat: FileStat,
    },
    /// A piece of a large file was read.
    Piece {
        names: Names,
        stat: FileStat,
        at: u64,
        length: usize,
    },
    /// A piece was written.
    Wrote {
        names: Names,
        stat: FileStat,
        to: u64,
    },
    /// A large file was sent whole, apart from `resumed` bytes that were there already.
    Complete {
        names: Names,
        stat: FileStat,
        resumed: u64,
    },
    Finished {
        names: Names,
        stat: FileStat,
        resumed: u64,
    },
    Put {
        names: Names,
        stat: FileStat,
    },
    /// The turn of a further name of a file, which follows the file.
    Another {
        names: Names,
        stat: FileStat,
        existing: Names,
    },
    Same {
        names: Names,
        stat: FileStat,
    },
    Linked {
        names: Names,
        to: Vec<u8>,
    },
    Changed {
        names: Names,
        stat: FileStat,
    },
}

impl Work {
    /// Returns whether both are about the same file.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        matches!((self, other), (Self::File { names: one, .. }, Self::File { names: two, .. }) if one == two)
    }
}

impl Step {
    /// Returns the side that was asked.
    pub(super) const fn side(&self) -> Side {
        match self {
            Self::Top | Self::Listed { .. } | Self::Read { .. } | Self::Piece { .. } => Side::Source,
            _ => Side::Destination,
        }
    }

    pub(super) fn names(&self) -> &[Vec<u8>] {
        match self {
            Self::Top | Self::Above => &[],
            Self::Made { names, .. }
            | Self::Listed { names, .. }
            | Self::Read { names, .. }
            | Self::Piece { names, .. }
            | Self::Wrote { names, .. }
            | Self::Complete { names, .. }
            | Self::Finished { names, .. }
            | Self::Put { names, .. }
            | Self::Another { names, .. }
            | Self::Same { names, .. }
            | Self::Linked { names, .. }
            | Self::Changed { names, .. } => names,
        }
    }

    pub(super) const fn is_of_large(&self) -> bool {
        matches!(
            self,
            Self::Piece { .. } | Self::Wrote { .. } | Self::Complete { .. } | Self::Finished { .. }
        )
    }

    /// Returns what is to be done if there is no answer.
    pub(super) fn into_work(self) -> Work {
        match self {
            Self::Top | Self::Above => Work::Top,
            Self::Made { names, stat } => Work::Make { names, stat },
            Self::Listed { names, after } => Work::List { names, after },
            Self::Read { names, stat }
            | Self::Piece { names, stat, .. }
            | Self::Wrote { names, stat, .. }
            | Self::Complete { names, stat, .. }
            | Self::Finished { names, stat, .. }
            | Self::Put { names, stat } => Work::File { names, stat, is_single: true },
            Self::Another { names, stat, .. } | Self::Same { names, stat } => {
                Work::File { names, stat, is_single: false }
            }
            Self::Linked { names, to } => Work::Link { names, to },
            Self::Changed { names, stat } => Work::Change { names, stat },
        }
    }
}

impl Copy {
    /// Sends the request that begins a work.
    pub(super) fn begin(&mut self, work: Work) -> Result<(), Trouble> {
        match work {
            Work::Top => {
                let place = self.sides.place(Side::Source, &[]);
                self.send(Request::Stat { place, follows: true }, Step::Top, 0);
            }
            Work::Make { names, stat } => {
                let place = self.sides.place(Side::Destination, &names);
                let request = Request::MakeDirectory { place, recursive: true, mode: Some(0o700) };
                self.send(request, Step::Made { names, stat }, 0);
            }
            Work::List { names, after } => {
                let place = self.sides.place(Side::Source, &names);
                let request = Request::List { place, after: after.clone() };
                self.send(request, Step::Listed { names, after }, 0);
            }
            Work::File { names, stat, is_single } => {
                if stat.links > 1 && !is_single {
                    let key = (stat.device, stat.inode);
                    if let Some(existing) = self.names.get(&key).cloned() {
                        self.wait_turn(Step::Another { names, stat, existing });
                        return Ok(());
                    }
                    self.names.insert(key, names.clone());
                }
                if is_large(&stat) {
                    return self.begin_large(names, stat);
                }
                let place = self.sides.place(Side::Source, &names);
                let request = Request::Read { place, from: 0, most: PIECE };
                self.send(request, Step::Read { names, stat }, stat.size);
            }
            Work::Link { names, to } => {
                let place = self.sides.place(Side::Destination, &names);
                self.send(Request::Link { place, to: to.clone() }, Step::Linked { names, to }, 0);
            }
            Work::Change { names, stat } => {
                let place = self.sides.place(Side::Destination, &names);
                let request = Request::Change { place, attributes: attributes_of(&stat) };
                self.send(request, Step::Changed { names, stat }, 0);
            }
        }
        Ok(())
    }

    /// Queues a step behind those that were sent before.
    fn wait_turn(&mut self, step: Step) {
        self.flights.push_back(super::Flight { pending: super::Pending::nothing(), step, bytes: 0 });
    }

    /// Goes on after an answer.
    pub(super) fn handle(&mut self, step: Step, answer: Response) -> Result<(), Trouble> {
        match (step, answer) {
            (Step::Top, Response::Found(stat)) => return self.begin_top(stat),
            (Step::Made { names, stat }, Response::Created(is_new)) => {
                // A top that was there before stays as it is.
                if is_new || !names.is_empty() {
                    self.directories.push((names.clone(), stat));
                }
                self.copied.directories += 1;
                self.todo.push(Work::List { names, after: None });
            }
            (Step::Listed { names, .. }, Response::Listed { entries, has_more }) => {
                self.add_entries(&names, entries, has_more);
            }
            (Step::Read { names, stat }, Response::Data { stat: now, bytes }) => {
                if bytes.len() as u64 != stat.size || !is_same(&stat, &now) {
                    return self.start_anew(&names, stat, Side::Source, FilesError::Changed);
                }
                let place = self.sides.place(Side::Destination, &names);
                let length = bytes.len() as u64;
                let request = Request::Put { place, bytes, attributes: attributes_of(&stat) };
                self.send(request, Step::Put { names, stat }, length);
            }
            (Step::Piece { names, stat, at, length }, Response::Data { stat: now, bytes }) => {
                if bytes.len() != length || !is_same(&stat, &now) {
                    return self.start_anew(&names, stat, Side::Source, FilesError::Changed);
                }
                self.write_piece(names, stat, at, bytes);
            }
            (Step::Wrote { to, .. }, Response::Done) => self.large_bytes = to,
            (Step::Complete { names, stat, resumed }, _) => self.finish_large(names, stat, resumed),
            (Step::Finished { names, stat, resumed }, Response::Done) => {
                self.large_bytes = 0;
                // Added here, once: each cut begins the file again, with more of it there.
                self.copied.resumed += resumed;
                self.partial = self.partial.take().filter(|(partial, _)| *partial != names);
                self.note_file(&stat);
            }
            (Step::Put { stat, .. } | Step::Same { stat, .. }, Response::Done) => self.note_file(&stat),
            (Step::Another { names, stat, existing }, _) => {
                let place = self.sides.place(Side::Destination, &names);
                let existing = self.sides.place(Side::Destination, &existing);
                self.send(Request::HardLink { place, existing }, Step::Same { names, stat }, 0);
            }
            (Step::Linked { .. }, Response::Done) => self.copied.links += 1,
            (Step::Changed { .. }, Response::Done) | (Step::Above, Response::Created(_)) => {}
            (step, _) => {
                let error = super::super::unexpected();
                return Err(trouble(error, step.side(), step.names()));
            }
        }
        Ok(())
    }

    fn begin_top(&mut self, stat: FileStat) -> Result<(), Trouble> {
        let names = Vec::new();
        match stat.kind {
            FileKind::Directory => self.todo.push(Work::Make { names, stat }),
            FileKind::File => {
                self.copied.total = stat.size;
                self.todo.push(Work::File { names, stat, is_single: true });
                if let Some(place) = self.sides.place(Side::Destination, &[]).parent() {
                    let request = Request::MakeDirectory { place, recursive: true, mode: None };
                    self.send(request, Step::Above, 0);
                }
            }
            FileKind::Link | FileKind::Other => {
                return Err(trouble(FileError::NotFile.into(), Side::Source, &names));
            }
        }
        Ok(())
    }

    /// Adds the entries of a directory to what is to be done.
    fn add_entries(&mut self, names: &[Vec<u8>], entries: Vec<DirectoryEntry>, has_more: bool) {
        if has_more && let Some(last) = entries.last() {
            self.todo.push(Work::List { names: names.to_vec(), after: Some(last.name.clone()) });
        }
        for DirectoryEntry { name, stat, link } in entries.into_iter().rev() {
            let names = [names, &[name]].concat();
            let work = match (stat.kind, link) {
                (FileKind::File, _) => {
                    self.copied.total += stat.size;
                    Work::File { names, stat, is_single: false }
                }
                (FileKind::Directory, _) => Work::Make { names, stat },
                (FileKind::Link, Some(to)) => Work::Link { names, to },
                (kind, _) => {
                    if !is_copied(kind) && self.copied.skipped.len() < MAX_SKIPPED {
                        self.copied.skipped.push(names.join(&b'/'));
                    }
                    continue;
                }
            };
            self.todo.push(work);
        }
    }

    const fn note_file(&mut self, stat: &FileStat) {
        self.copied.files += 1;
        self.copied.bytes += stat.size;
        self.restarts = 0;
    }
}
