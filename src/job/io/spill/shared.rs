//! A spill file as the writing threads see it: the queued pieces, and what became of them.

use std::collections::VecDeque;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::process::errno::Errno;

/// Permissions: for the user alone.
const MODE: u32 = 0o600;
const DIRECTORY_MODE: u32 = 0o700;

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) path: String,
    pub(super) file: Option<File>,
    pieces: Mutex<Pieces>,
    pub(super) waiting: AtomicUsize,
    pub(super) written: AtomicU64,
    error: Mutex<Option<Errno>>,
    pub(super) changed: Notify,
}

#[derive(Debug, Default)]
struct Pieces {
    waiting: VecDeque<Vec<u8>>,
    /// Whether the file is in the queue, or a thread is writing it. Two threads would mix up its pieces.
    is_queued: bool,
}

impl Shared {
    /// Returns a file that was created, or could not be.
    pub(super) fn new(path: String, created: io::Result<File>) -> Self {
        let (file, error) = match created {
            Ok(file) => (Some(file), None),
            Err(error) => (None, Some(Errno::of(&error))),
        };
        Self {
            path,
            file,
            pieces: Mutex::default(),
            waiting: AtomicUsize::new(0),
            written: AtomicU64::new(0),
            error: Mutex::new(error),
            changed: Notify::new(),
        }
    }

    /// Queues a piece. Tells whether the file must be queued for it.
    pub(super) fn add(&self, piece: Vec<u8>) -> bool {
        let mut pieces = self.pieces();
        pieces.waiting.push_back(piece);
        !std::mem::replace(&mut pieces.is_queued, true)
    }

    /// Writes one piece. Tells whether there are more.
    pub(super) fn write_one(&self) -> bool {
        let piece = self.pieces().waiting.pop_front();
        if let Some(piece) = piece {
            self.write(&piece);
        }
        let mut pieces = self.pieces();
        pieces.is_queued = !pieces.waiting.is_empty();
        pieces.is_queued
    }

    fn pieces(&self) -> MutexGuard<'_, Pieces> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, bytes: &[u8]) {
        if self.error().is_none()
            && let Some(file) = &self.file
        {
            let mut file = CountedFile { file, written: &self.written };
            if let Err(error) = file.write_all(bytes) {
                *self.error() = Some(Errno::of(&error));
            }
        }
        self.waiting.fetch_sub(bytes.len(), Ordering::AcqRel);
        self.changed.notify_one();
    }

    pub(super) fn error(&self) -> MutexGuard<'_, Option<Errno>> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts the bytes that are in the file, also when the disk is full in the middle of a chunk.
struct CountedFile<'a> {
    file: &'a File,
    written: &'a AtomicU64,
}

impl Write for CountedFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.written.fetch_add(count as u64, Ordering::AcqRel);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Creates a file. Returns its path, also when that fails.
pub(super) fn create_file(directory: &str) -> (String, io::Result<File>) {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let directory = directory.trim_end_matches('/');
    // If this fails, so does the creation of the file below, whose error is reported.
    let _ = DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(directory);
    loop {
        let (host, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = format!("{directory}/output-{host}-{number}.txt");
        // `create_new` follows no link and opens no existing file.
        match OpenOptions::new().append(true).create_new(true).mode(MODE).open(&path) {
            // A file of an earlier process with the same pid.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => return (path, result),
        }
    }
}
