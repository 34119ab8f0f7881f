//! The directory of a layer: the files that the kernel writes, the records of the engine, and a lock that
//! each sandbox in the overlay holds.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};

use super::super::conflict::Record;
use crate::process::directory::private::{PrivateDirectory, random};
use crate::process::directory::remove::remove_tree;
use crate::process::fd::above_standard_streams;
use crate::sandbox::plan::OverlayMount;
use crate::wire::{self, raw};

/// The longest wait for the end of an overlay's last sandbox, after its commands have ended.
pub(in crate::sandbox::overlay) const END_DEADLINE: Duration = Duration::from_secs(2);

/// The same wait where the end is not required. It is enough on an idle machine.
pub(in crate::sandbox::overlay) const SHORT_DEADLINE: Duration = Duration::from_millis(200);

const END_INTERVAL: Duration = Duration::from_millis(5);

/// The names in the directory.
const UPPER: &str = "upper";
const WORK: &str = "work";
const LOCK: &str = "lock";
const RECORD: &str = "record";
const COMMIT: &str = "commit";
const OPENED: &str = "opened";

/// The beginning of the names of unfinished files in the workspace.
const TEMPORARY: &str = ".agent-bash-";

/// The former upper directory, until all of it is removed.
const REMOVED: &str = "removed";

/// An empty file, which marks a directory that the engine has created and removes with the layer.
const MADE: &str = "made";

#[derive(Debug)]
pub(in crate::sandbox::overlay) struct LayerDirectory {
    path: PathBuf,
    held: Held,
    /// The record on the disk, as far as this process has written it.
    written: Vec<u8>,
}

/// The owner of the directory, who removes it.
#[derive(Debug)]
enum Held {
    /// The engine, the guardian or a later host, when the host has ended.
    Private {
        #[expect(dead_code, reason = "dropping it removes the directory")]
        directory: PrivateDirectory,
    },
    /// The caller, who has chosen the directory, so that it outlives the host.
    Chosen {
        #[expect(dead_code, reason = "the open file has the lock")]
        lock: File,
        /// Whether the directory existed before.
        is_callers: bool,
    },
}

impl LayerDirectory {
    /// Creates a directory for a new layer, which is removed when the host ends, or before.
    pub(in crate::sandbox::overlay) fn create() -> io::Result<Self> {
        let directory = PrivateDirectory::create_large(Ok)?;
        let layer = Self {
            path: directory.path().to_owned(),
            held: Held::Private { directory },
            written: Vec::new(),
        };
        layer.fill()?;
        Ok(layer)
    }

    /// Opens or creates a layer in the caller's directory.
    pub(in crate::sandbox::overlay) fn open(path: &Path) -> io::Result<Self> {
        match DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => {
                other?;
                File::create(path.join(MADE))?;
            }
        }
        let wrong = |text: &str| io::Error::other(format!("'{}' {text}", path.display()));
        let metadata = fs::symlink_metadata(path)?;
        if !metadata.is_dir() || metadata.uid() != geteuid().as_raw() {
            return Err(wrong("is no directory of this user"));
        }
        if metadata.permissions().mode() & 0o077 != 0 {
            return Err(wrong("is open to others: expected the mode 0700"));
        }
        let is_layer = path.join(LOCK).is_file();
        let is_callers = !path.join(MADE).exists();
        if !is_layer && is_callers && fs::read_dir(path)?.next().is_some() {
            return Err(wrong("is neither empty nor a layer"));
        }
        let lock = File::open(path)?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Err(rustix::io::Errno::WOULDBLOCK) => return Err(wrong("is in use by another overlay")),
            other => other?,
        }
        let layer =
            Self { path: path.to_owned(), held: Held::Chosen { lock, is_callers }, written: Vec::new() };
        if path.join(REMOVED).exists() {
            // The removal of a layer was interrupted. Its record would take each committed path for a later
            // deletion.
            layer.remove_records()?;
            remove_tree(&path.join(REMOVED))?;
        }
        layer.fill()?;
        Ok(layer)
    }

    fn fill(&self) -> io::Result<()> {
        for name in [UPPER, WORK] {
            match DirBuilder::new().mode(0o700).create(self.path.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        File::options().create(true).append(true).open(self.path.join(LOCK)).map(|_| ())
    }

    /// Copies the permissions of the root to a new layer, because commands see those of the layer there.
    pub(in crate::sandbox::overlay) fn copy_permissions(&self, root: &fs::Metadata) -> io::Result<()> {
        let upper = self.path.join(UPPER);
        if fs::read_dir(&upper)?.next().is_none() {
            // Only root can change the owner.
            let _ = std::os::unix::fs::chown(&upper, Some(root.uid()), Some(root.gid()));
            fs::set_permissions(&upper, root.permissions())?;
        }
        Ok(())
    }

    /// Returns the mount of this layer over a root.
    pub(in crate::sandbox::overlay) fn mount(&self, root: &Path) -> OverlayMount {
        let work = self.path.join(WORK);
        let is_volatile = matches!(self.held, Held::Private { .. });
        OverlayMount { root: root.to_owned(), upper: self.upper(), work, is_alone: false, is_volatile }
    }

    pub(in crate::sandbox::overlay) fn upper(&self) -> PathBuf {
        self.path.join(UPPER)
    }

    /// Returns the path of the log of open directories; `None` if no later process reads it.
    pub(in crate::sandbox::overlay) fn opened_log(&self) -> Option<PathBuf> {
        matches!(self.held, Held::Chosen { .. }).then(|| self.path.join(OPENED))
    }

    /// Returns a lock that marks the layer as used while a copy of the descriptor is open.
    pub(in crate::sandbox::overlay) fn use_lock(&self) -> io::Result<OwnedFd> {
        let file = File::open(self.path.join(LOCK))?;
        flock(&file, FlockOperation::LockShared)?;
        above_standard_streams(file.into())
    }

    /// Waits until the last sandbox has ended, at most until the deadline. Returns whether the layer is
    /// unused.
    pub(in crate::sandbox::overlay) fn is_unused(&self, deadline: Duration) -> io::Result<bool> {
        let file = File::open(self.path.join(LOCK))?;
        let until = Instant::now() + deadline;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(true),
                Err(rustix::io::Errno::WOULDBLOCK) if Instant::now() < until => {
                    thread::sleep(END_INTERVAL);
                }
                Err(rustix::io::Errno::WOULDBLOCK) => return Ok(false),
                Err(error) => return Err(error.into()),
            }
        }
    }

    pub(in crate::sandbox::overlay) fn read_record(&self) -> io::Result<Option<Record>> {
        let path = self.path.join(RECORD);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        // Without it, protected paths and conflicts would be unknown.
        wire::decode(&bytes).map(Some).map_err(|_| {
            io::Error::other(format!(
                "'{}' is damaged, or of another version of agent-bash. Remove the directory to drop its changes",
                path.display()
            ))
        })
    }

    /// Writes the record atomically and to the disk, if it has changed.
    pub(in crate::sandbox::overlay) fn write_record(
        &mut self,
        record: impl FnOnce() -> Record,
    ) -> io::Result<()> {
        if let Held::Private { .. } = self.held {
            // No later host reads the record.
            return Ok(());
        }
        let bytes = wire::encode(&record());
        if bytes == self.written {
            return Ok(());
        }
        let new = self.path.join("record.new");
        let mut file = File::create(&new)?;
        file.write_all(&bytes)?;
        file.sync_data()?;
        fs::rename(new, self.path.join(RECORD))?;
        File::open(&self.path)?.sync_all()?;
        self.written = bytes;
        Ok(())
    }

    /// Begins the journal of a commit, or goes on with that of an interrupted one.
    pub(in crate::sandbox::overlay) fn journal(&self) -> io::Result<CommitJournal> {
        let known = self.journal_entries().into_iter().next();
        let file = File::options().create(true).append(true).open(self.path.join(COMMIT))?;
        if known.is_none() {
            file.set_len(0)?;
        }
        let temporary = known.clone().unwrap_or_else(|| format!("{TEMPORARY}{:016x}", random()).into());
        let mut journal = CommitJournal { file, temporary };
        if known.is_none() {
            journal.begin(&journal.temporary.clone())?;
        }
        Ok(journal)
    }

    /// Returns the paths that an interrupted commit has begun, in order; none without one.
    pub(in crate::sandbox::overlay) fn begun(&self) -> Vec<PathBuf> {
        self.journal_entries().into_iter().skip(1).collect()
    }

    /// Returns the temporary name of an interrupted commit, then the paths that it has begun.
    fn journal_entries(&self) -> Vec<PathBuf> {
        let bytes = fs::read(self.path.join(COMMIT)).unwrap_or_default();
        let entries = wire::decode_each(&bytes).into_iter().map(|JournalEntry(path)| path);
        let entries: Vec<PathBuf> = entries.collect();
        if entries.first().is_some_and(|first| is_temporary(first)) { entries } else { Vec::new() }
    }

    /// Removes the journal of a completed commit.
    pub(in crate::sandbox::overlay) fn end_journal(&self) -> io::Result<()> {
        remove_file(&self.path.join(COMMIT))
    }

    /// Removes the layer, atomically for a process that opens the directory later: it would take the missing
    /// parts of a half-removed layer for changes. A directory that the caller has created stays, empty.
    pub(in crate::sandbox::overlay) fn remove(self) -> io::Result<()> {
        fs::rename(self.upper(), self.path.join(REMOVED))?;
        let Held::Chosen { is_callers, .. } = &self.held else { return remove_tree(&self.path) };
        // The former upper directory says, until it is gone, that the records are of no layer.
        self.remove_records()?;
        for name in [REMOVED, WORK] {
            remove_tree(&self.path.join(name))?;
        }
        // The mark of a directory that the engine has created is removed last.
        for name in [LOCK, MADE] {
            remove_file(&self.path.join(name))?;
        }
        if *is_callers { Ok(()) } else { fs::remove_dir(&self.path) }
    }

    fn remove_records(&self) -> io::Result<()> {
        [RECORD, COMMIT, OPENED].iter().try_for_each(|name| remove_file(&self.path.join(name)))
    }
}

/// Returns whether a name is one of unfinished files: a file of any other name is somebody's.
fn is_temporary(name: &Path) -> bool {
    let digits = name.to_str().and_then(|name| name.strip_prefix(TEMPORARY));
    digits.is_some_and(|digits| digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// An entry of the journal of a commit.
#[derive(Serialize, Deserialize)]
struct JournalEntry(#[serde(with = "raw")] PathBuf);

/// The journal of a commit: the name of its unfinished files, then the paths whose changes it has begun, in
/// order.
pub(in crate::sandbox::overlay) struct CommitJournal {
    file: File,
    /// Random, so that no program has a file of this name. A killed commit may leave one of it.
    pub(in crate::sandbox::overlay) temporary: PathBuf,
}

impl CommitJournal {
    /// Records a path that is about to be changed.
    pub(in crate::sandbox::overlay) fn begin(&mut self, path: &Path) -> io::Result<()> {
        self.file.write_all(&wire::encode(&JournalEntry(path.to_owned())))
    }
}
