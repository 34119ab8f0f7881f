//! The queue of one spill file: the output that is to be written, and the result of each write. The job adds
//! pieces, a thread of the pool writes them.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::process::errno::Errno;

/// A spill file and the pieces of output that are to be written to it.
#[derive(Debug)]
pub(super) struct WriteQueue {
    pub(super) path: String,
    pub(super) file: Option<File>,
    pieces: Mutex<QueuedPieces>,
    pub(super) waiting: AtomicUsize,
    pub(super) written: AtomicU64,
    error: Mutex<Option<Errno>>,
    pub(super) changed: Notify,
}

#[derive(Debug, Default)]
struct QueuedPieces {
    waiting: VecDeque<Vec<u8>>,
    /// Whether the file is in the queue, or a thread is writing it. Two threads would mix up its pieces.
    is_queued: bool,
}

impl WriteQueue {
    /// Returns the empty queue of a file. If its creation failed, the queue has that error and takes nothing.
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

    /// Adds a piece. Returns whether the pool must queue the file.
    pub(super) fn add(&self, piece: Vec<u8>) -> bool {
        let mut pieces = self.pieces();
        pieces.waiting.push_back(piece);
        !std::mem::replace(&mut pieces.is_queued, true)
    }

    /// Writes one piece. Returns whether there are more.
    pub(super) fn write_one(&self) -> bool {
        let piece = self.pieces().waiting.pop_front();
        if let Some(piece) = piece {
            self.write(&piece);
        }
        let mut pieces = self.pieces();
        pieces.is_queued = !pieces.waiting.is_empty();
        pieces.is_queued
    }

    fn pieces(&self) -> MutexGuard<'_, QueuedPieces> {
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
