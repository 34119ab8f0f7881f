//! Files of a target, by the helper there in its role [`files`](crate::helper::files).
//!
//! That process is a command of the connection, so its requests and answers have the flow control of streams,
//! beside those of all other commands. A request names everything that it needs, and one process answers
//! them in order; a caller sends many without waiting for answers, which hides long round trips.
//!
//! * [`Files`] is the way in: whole operations of one request, or of a few.
//! * `channel` is one process there and the requests to it.
//! * [`copy`] copies files and directories, in both directions, by the same requests on both sides.
//! * `by_shell` carries requests out where no helper can run.

mod by_shell;
mod channel;
pub mod copy;

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use self::channel::Channel;
use super::Target;
use super::error::TargetError;
use crate::engine::Engine;
use crate::process::directory::private::random;
use crate::process::files::request::{
    Attributes, DirectoryEntry, FileError, FileStat, PIECE, Piece, Request, Response, RootedPath,
};
use crate::process::registry::Owner;

/// The most processes for requests at a time, besides one for each copy.
const MAX_CHANNELS: usize = 4;

/// The number of requests that wait in each channel before another one is opened.
const BUSY: usize = 8;

/// The reasons why an operation fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilesError {
    /// The target could not be asked.
    Target(TargetError),
    File(FileError),
    /// The file has more bytes than the caller takes.
    TooLarge,
    /// The file changed again and again while it was copied.
    Changed,
    Aborted,
}

impl From<FileError> for FilesError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<TargetError> for FilesError {
    fn from(error: TargetError) -> Self {
        Self::Target(error)
    }
}

/// The answer to a request.
type Reply = Result<Response, TargetError>;

/// The files of a target.
#[derive(Debug)]
pub struct Files {
    engine: &'static Engine,
    owner: Owner,
    target: Arc<Target>,
    channels: Mutex<Vec<Channel>>,
}

impl Files {
    /// Returns the files of a target. Nothing is started before the first request.
    #[must_use]
    pub fn new(engine: &'static Engine, owner: Owner, target: Arc<Target>) -> Self {
        Self { engine, owner, target, channels: Mutex::default() }
    }

    /// Runs an operation on the I/O thread.
    pub fn spawn(&self, operation: impl Future<Output = ()> + Send + 'static) {
        self.engine.runtime().spawn(operation);
    }

    /// Opens a channel for one caller alone.
    fn open(&self) -> Channel {
        Channel::open(self.engine, &self.owner, Arc::clone(&self.target))
    }

    /// Sends requests, which are carried out in their order.
    fn send(&self, requests: impl IntoIterator<Item = Request>) -> Vec<oneshot::Receiver<Reply>> {
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        channels.retain(Channel::is_open);
        let least = channels.iter().min_by_key(|channel| channel.waiting());
        let mut channel = match least {
            Some(channel) if channel.waiting() < BUSY || channels.len() >= MAX_CHANNELS => channel.clone(),
            _ => {
                channels.push(self.open());
                channels[channels.len() - 1].clone()
            }
        };
        let mut send = |request| {
            channel.send(request).or_else(|request| {
                channel = self.open();
                channels.push(channel.clone());
                channel.send(request)
            })
        };
        // Without the engine's thread, nobody answers.
        let nobody = |_| oneshot::channel().1;
        requests.into_iter().map(|request| send(Box::new(request)).unwrap_or_else(nobody)).collect()
    }

    /// Ends the processes that hang in requests whose callers have all gone.
    pub fn drop_abandoned(&self) {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(Channel::check);
    }

    /// Carries one request out.
    ///
    /// # Errors
    ///
    /// When the target can't be asked, or the request fails there.
    pub async fn ask(&self, request: Request) -> Result<Response, FilesError> {
        settle(self.send([request])).await
    }

    /// Reads `most` bytes of a file, or those up to its end. With `is_whole`, a file with more bytes is an
    /// error.
    ///
    /// # Errors
    ///
    /// When the target can't be asked, or the file can't be read.
    pub async fn read(
        &self,
        place: RootedPath,
        from: u64,
        most: usize,
        is_whole: bool,
    ) -> Result<Vec<u8>, FilesError> {
        let limit = if is_whole { most.saturating_add(1) } else { most };
        let mut read = Vec::new();
        loop {
            let at = from.saturating_add(read.len() as u64);
            let wanted = PIECE.min(limit - read.len());
            let piece = Request::Read { place: place.clone(), from: at, most: wanted };
            let Response::Data { stat, bytes } = self.ask(piece).await? else { return Err(unexpected()) };
            let is_end = bytes.len() < wanted;
            read.extend_from_slice(&bytes[..bytes.len().min(wanted)]);
            if !is_end && read.len() < limit {
                self.read_rest(&place, from, limit, &stat, &mut read).await?;
            }
            if is_end || read.len() >= limit {
                break;
            }
        }
        if is_whole && read.len() > most { Err(FilesError::TooLarge) } else { Ok(read) }
    }

    /// Reads what a file had when its first piece was read, all pieces at once.
    async fn read_rest(
        &self,
        place: &RootedPath,
        from: u64,
        limit: usize,
        stat: &FileStat,
        read: &mut Vec<u8>,
    ) -> Result<(), FilesError> {
        let size = usize::try_from(stat.size.saturating_sub(from)).unwrap_or(usize::MAX);
        let end = limit.min(size);
        let pieces = (read.len()..end).step_by(PIECE).map(|at| Request::Read {
            place: place.clone(),
            from: from + at as u64,
            most: PIECE.min(end - at),
        });
        for (reply, at) in self.send(pieces).into_iter().zip((read.len()..end).step_by(PIECE)) {
            let Response::Data { bytes, .. } = settle([reply]).await? else { return Err(unexpected()) };
            if read.len() != at || bytes.len() > PIECE.min(end - at) {
                // The file has become shorter, or the answer is too long.
                break;
            }
            read.extend_from_slice(&bytes);
        }
        Ok(())
    }

    /// Writes a file. An atomic write puts a new file in place of the old one at its end.
    ///
    /// # Errors
    ///
    /// When the target can't be asked, or the file can't be written. Then nothing of an atomic write is left,
    /// unless the connection was lost.
    pub async fn write(
        &self,
        place: RootedPath,
        bytes: Vec<u8>,
        mode: Option<u32>,
        is_atomic: bool,
    ) -> Result<(), FilesError> {
        let attributes = Attributes { mode, ..Attributes::default() };
        if is_atomic && bytes.len() <= PIECE {
            return self.ask(Request::Put { place, bytes, attributes }).await.map(drop);
        }
        let (tag, size) = (is_atomic.then(random), bytes.len() as u64);
        let starts = (0..bytes.len().max(1)).step_by(PIECE);
        let mut requests: Vec<_> = starts
            .map(|at| {
                let part = bytes[at..].get(..PIECE).unwrap_or(&bytes[at..]).to_vec();
                let piece = Piece { at: at as u64, bytes: part, tag, begins: at == 0, mode };
                Request::Write { place: place.clone(), piece }
            })
            .collect();
        requests.extend(tag.map(|tag| Request::Finish { place: place.clone(), tag, size, attributes }));
        let written = settle(self.send(requests)).await.map(drop);
        if let (Some(tag), Err(FilesError::File(_))) = (tag, &written) {
            let _ = self.ask(Request::DropPartial { place, tag }).await;
        }
        written
    }

    /// Lists a directory.
    ///
    /// # Errors
    ///
    /// When the target can't be asked, or the directory can't be listed.
    pub async fn list(&self, place: RootedPath) -> Result<Vec<DirectoryEntry>, FilesError> {
        let mut all = Vec::new();
        loop {
            let after = all.last().map(|entry: &DirectoryEntry| entry.name.clone());
            let list = Request::List { place: place.clone(), after };
            let Response::Listed { entries, has_more } = self.ask(list).await? else {
                return Err(unexpected());
            };
            let is_empty = entries.is_empty();
            all.extend(entries);
            if !has_more || is_empty {
                return Ok(all);
            }
        }
    }
}

/// Waits for all replies, and returns the last answer, or the first error.
async fn settle(replies: impl IntoIterator<Item = oneshot::Receiver<Reply>>) -> Result<Response, FilesError> {
    let mut last = Response::Done;
    let mut failed = None;
    for reply in replies {
        match reply.await.unwrap_or_else(|_| Err(TargetError::closed())) {
            Ok(Response::Failed(error)) => drop(failed.get_or_insert(error.into())),
            Ok(answer) => last = answer,
            Err(error) => drop(failed.get_or_insert(error.into())),
        }
    }
    failed.map_or(Ok(last), Err)
}

/// Returns the error of an answer to something else.
fn unexpected() -> FilesError {
    TargetError::protocol("the target", "an answer about files to another request").into()
}
