//! The permissions of directories, which are set at the end of a commit, deepest first: a directory that is
//! closed for its owner gets its entries before.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{Stat, fstat};

use super::super::change::Kind;
use super::super::conflict::Version;
use super::super::tree::attributes::{changed_permissions, give};
use super::super::tree::beneath::{is_missing, kind, open_path};
use super::super::tree::opened::Opened;
use super::super::tree::root::identity;
use super::apply::{ApplyFailure, Commit, Written};

impl Commit<'_> {
    /// Gives directories their permissions, deepest first: their former ones to those that were opened, then
    /// those of the layer. Updates the states of written ones.
    pub(super) fn finish(self, written: &mut [Written]) -> Result<(), ApplyFailure> {
        let mut last: BTreeMap<&Path, FinalPermissions> = BTreeMap::new();
        let opened = self.task.root.take_opened();
        for each in &opened {
            last.entry(&each.entry.path).or_default().opened.push(each);
        }
        for (path, made) in &self.directories {
            last.entry(path).or_default().made = Some(*made);
        }
        let mut first_failed = None;
        let mut states: HashMap<&Path, Version> = HashMap::new();
        for (path, FinalPermissions { opened, made }) in last.into_iter().rev() {
            // A directory that others have closed meanwhile was opened twice.
            let closed = opened.into_iter().rev().try_for_each(|opened| opened.close(self.task.root.top()));
            let given =
                closed.and_then(|()| made.map_or(Ok(None), |made| self.give_to_directory(path, made)));
            match given {
                Ok(given) => states.extend(given.map(|given| (path, Version::of(&given)))),
                Err(error) => {
                    first_failed.get_or_insert(ApplyFailure { path: path.to_owned(), reason: error.into() });
                }
            }
        }
        for each in written.iter_mut().filter(|each| each.root.is_some()) {
            if let Some(state) = states.get(each.path.as_path()) {
                each.root = Some(state.clone());
            }
        }
        first_failed.map_or(Ok(()), Err)
    }

    /// Gives a directory of the workspace the attributes that it has in the layer, unless others have
    /// replaced one of both. Returns its status then.
    fn give_to_directory(&self, path: &Path, made: (u64, u64)) -> io::Result<Option<Stat>> {
        let directory = match open_path(self.task.root.top(), path) {
            Err(error) if is_missing(&error) => return Ok(None),
            other => other?,
        };
        let before = fstat(&directory)?;
        // The inode of a removed directory may be that of a new file.
        let is_made = kind(&before) == Kind::Directory && identity(before) == made;
        let source = self.source(path, Kind::Directory)?;
        let Some((source, found)) = source.filter(|_| is_made) else { return Ok(None) };
        give(directory.as_fd(), changed_permissions(&found, &before), source.as_fd(), &found, None)?;
        Ok(Some(fstat(&directory)?))
    }
}

/// The permissions that a directory gets at the end.
#[derive(Default)]
struct FinalPermissions<'a> {
    /// The directory gets its former permissions.
    opened: Vec<&'a Opened>,
    /// The directory with this identity gets those of the layer.
    made: Option<(u64, u64)>,
}
