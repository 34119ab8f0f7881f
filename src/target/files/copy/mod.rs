//! Copies files and directories between this machine and a target, in both directions.
//!
//! Both sides answer the same requests: this machine at once, by [`perform`], and the target over a channel
//! of the copy's own. A thread walks through the source. It sends requests without waiting for the answers
//! to earlier ones, as far as they have room ([`MAX_FLIGHTS`], [`MAX_BYTES`]), and takes the answers in the
//! order of the requests. So a tree of small files takes no round trip for each, and a large one no more
//! memory than those limits.
//!
//! A large file is written as a partial copy, whose name comes from the size, time and number of the source.
//! When the connection is lost, what has no answer is done again over another one, and a partial copy goes on
//! at its end. So does a later copy of the same file.
//!
//! * [`Copy`] is the walk. `large` copies one large file, `step` has what follows each answer.
//! * `side` asks both sides.

mod large;
mod side;
mod step;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use self::large::Large;
use self::side::{Pending, Side, Sides};
use self::step::{Step, Work};
use super::{Files, FilesError};
use crate::process::files::request::{FileError, FileKind, FileStat, PIECE, Request, Response, RootedPath};

/// The most requests without an answer.
const MAX_FLIGHTS: usize = 256;

/// The most bytes of files in requests and answers under way: as much as both windows of the two streams.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// The most cuts in a row without any answer between them: more would follow.
const MAX_CUTS: u32 = 3;

/// The time between two reports of the progress.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// The most names of skipped entries in a report.
const MAX_SKIPPED: usize = 100;

/// The source and the destination of a copy.
#[derive(Clone, Debug)]
pub struct CopyPlan {
    /// The path on this machine, and that on the target.
    pub here: RootedPath,
    pub there: RootedPath,
    pub is_to_target: bool,
}

/// How far a copy is, or what it has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    pub files: u64,
    pub directories: u64,
    pub links: u64,
    /// The bytes of the files, with their holes.
    pub bytes: u64,
    /// The bytes of the files that were found so far.
    pub total: u64,
    /// The bytes of complete files that were there from an earlier attempt, and were not sent again.
    pub resumed: u64,
    /// The names below the source of pipes, sockets and devices, which are not copied.
    pub skipped: Vec<Vec<u8>>,
}

/// The reason why a copy has failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyFailure {
    pub error: FilesError,
    /// Whether the failed path is the one on the target.
    pub is_there: bool,
    /// The failed path.
    pub path: Vec<u8>,
    /// The partial copy that is left, from which a later copy goes on.
    pub partial: Option<Vec<u8>>,
}

/// A copy that runs.
pub struct Copy {
    sides: Sides,
    report: Box<dyn FnMut(&Copied) + Send>,
    reported_at: Instant,
    copied: Copied,
    /// The steps that are left; the last one is next.
    todo: Vec<Work>,
    /// The requests without an answer, in their order.
    flights: VecDeque<Flight>,
    flying: u64,
    /// The large file whose pieces are being sent.
    large: Option<Large>,
    /// The bytes of the large file that have arrived.
    large_bytes: u64,
    /// The large file of which a partial copy may be there.
    partial: Option<(Vec<Vec<u8>>, FileStat)>,
    /// The attributes of directories, which are set at the end: until then, new names change the times.
    directories: Vec<(Vec<Vec<u8>>, FileStat)>,
    /// The files with several names, by device and inode.
    names: HashMap<(u64, u64), Vec<Vec<u8>>>,
    /// The number of answers since the connection was made.
    answers: u64,
    /// How often a large file was started anew because it had changed.
    restarts: u32,
}

struct Flight {
    pending: Pending,
    step: Step,
    bytes: u64,
}

/// A failed request: which of the two sides, and the names below.
struct Trouble {
    error: FilesError,
    side: Side,
    names: Vec<Vec<u8>>,
}

impl Copy {
    /// Prepares a copy, which ends when `cancelled` becomes true.
    #[must_use]
    pub fn new(
        files: Arc<Files>,
        plan: CopyPlan,
        cancelled: watch::Receiver<bool>,
        report: Box<dyn FnMut(&Copied) + Send>,
    ) -> Self {
        Self {
            sides: Sides::new(files, plan, cancelled),
            report,
            reported_at: Instant::now(),
            copied: Copied::default(),
            todo: Vec::new(),
            flights: VecDeque::new(),
            flying: 0,
            large: None,
            large_bytes: 0,
            partial: None,
            directories: Vec::new(),
            names: HashMap::new(),
            answers: 0,
            restarts: 0,
        }
    }

    /// Copies, on this thread.
    ///
    /// # Errors
    ///
    /// The first failure. After an abort or an error of a file, no partial copy is left.
    pub fn run(mut self) -> Result<Copied, CopyFailure> {
        self.todo.push(Work::Top);
        let (mut cuts, mut answers_before) = (0, 0);
        loop {
            let trouble = match self.work() {
                Ok(()) => return Ok(self.copied),
                Err(trouble) => trouble,
            };
            let is_cut = matches!(&trouble.error, FilesError::Target(error) if error.code == "TARGET_LOST");
            cuts = if self.answers == answers_before { cuts + 1 } else { 1 };
            answers_before = self.answers;
            if !is_cut || cuts > MAX_CUTS {
                return Err(self.failure(trouble));
            }
            self.take_back();
            self.sides.reconnect();
        }
    }

    /// Does everything that is left.
    fn work(&mut self) -> Result<(), Trouble> {
        loop {
            if self.sides.is_cancelled() {
                return Err(trouble(FilesError::Aborted, Side::Source, &[]));
            }
            if self.flights.len() < MAX_FLIGHTS && self.flying < MAX_BYTES && self.begin_next()? {
                continue;
            }
            let Some(flight) = self.flights.pop_front() else {
                if self.directories.is_empty() {
                    return Ok(());
                }
                // The deepest are last, and so the next.
                let change = |(names, stat)| Work::Change { names, stat };
                self.todo.extend(self.directories.drain(..).map(change));
                continue;
            };
            self.land(flight)?;
        }
    }

    /// Sends the next request, if there is one.
    fn begin_next(&mut self) -> Result<bool, Trouble> {
        if self.large.is_some() {
            return Ok(self.send_piece());
        }
        self.todo.pop().map_or(Ok(false), |work| self.begin(work).map(|()| true))
    }

    /// Takes the answer to the first request.
    fn land(&mut self, Flight { pending, step, bytes }: Flight) -> Result<(), Trouble> {
        self.flying -= bytes;
        let side = step.side();
        match self.sides.wait(pending) {
            Ok(Response::Failed(error)) => self.refused(step, error),
            Ok(answer) => {
                self.answers += 1;
                let result = self.handle(step, answer);
                self.report_progress();
                result
            }
            Err(error) => {
                let trouble = trouble(error, side, step.names());
                // A step without an answer is repeated if the connection was lost.
                self.flights.push_front(Flight { pending: Pending::nothing(), step, bytes: 0 });
                Err(trouble)
            }
        }
    }

    /// Handles an error of a file.
    fn refused(&mut self, step: Step, error: FileError) -> Result<(), Trouble> {
        let is_gone = error == FileError::system(libc::ENOENT);
        match step {
            // Some file systems have no further names.
            Step::Same { names, stat, .. } => {
                self.todo.push(Work::File { names, stat, is_single: true });
                Ok(())
            }
            // Another copy of the same file has put its own in place, or the directory was removed.
            Step::Wrote { names, stat, .. } | Step::Finished { names, stat, .. } if is_gone => {
                self.start_anew(&names, stat, Side::Destination, FilesError::File(error))
            }
            step => Err(trouble(error.into(), step.side(), step.names())),
        }
    }

    /// Sends a request, to be handled by `step`.
    fn send(&mut self, request: Request, step: Step, bytes: u64) {
        let pending = self.sides.send(step.side(), request);
        self.flying += bytes;
        self.flights.push_back(Flight { pending, step, bytes });
    }

    /// Sends a request and waits for its answer, before those of earlier ones are handled.
    fn ask(&mut self, side: Side, names: &[Vec<u8>], request: Request) -> Result<Response, Trouble> {
        match self.sides.wait(self.sides.send(side, request)) {
            Ok(Response::Failed(error)) => Err(trouble(error.into(), side, names)),
            Ok(answer) => Ok(answer),
            Err(error) => Err(trouble(error, side, names)),
        }
    }

    /// Takes everything back that has no answer, after the connection was lost.
    fn take_back(&mut self) {
        let mut again: Vec<Work> = Vec::new();
        for Flight { step, .. } in self.flights.drain(..) {
            let work = step.into_work();
            // A large file has many requests.
            if again.last().is_none_or(|last| !last.is_same_file(&work)) {
                again.push(work);
            }
        }
        if let Some(large) = self.large.take() {
            let work = large.into_work();
            if again.last().is_none_or(|last| !last.is_same_file(&work)) {
                again.push(work);
            }
        }
        self.flying = 0;
        self.large_bytes = 0;
        self.todo.extend(again.into_iter().rev());
    }

    /// Reports the progress, from time to time.
    fn report_progress(&mut self) {
        if self.reported_at.elapsed() >= REPORT_INTERVAL {
            self.reported_at = Instant::now();
            let Copied { files, directories, links, bytes, total, resumed, .. } = self.copied;
            let bytes = bytes + self.large_bytes;
            let now = Copied { files, directories, links, bytes, total, resumed, skipped: Vec::new() };
            (self.report)(&now);
        }
    }

    /// Returns the failure, after the partial copy was removed; after a cut it stays.
    fn failure(&mut self, trouble: Trouble) -> CopyFailure {
        let Trouble { error, side, names } = trouble;
        let is_cut = matches!(error, FilesError::Target(_));
        self.flights.clear();
        let left = self.partial.take().and_then(|(names, stat)| {
            let place = self.sides.place(Side::Destination, &names);
            let tag = large::tag_of(&place, &stat);
            if is_cut { Some(side::partial_path(&place, tag)) } else { self.sides.drop_partial(place, tag) }
        });
        let is_there = self.sides.is_there(side);
        let path = side::path_of(&self.sides.place(side, &names));
        CopyFailure { error, is_there, path, partial: left }
    }
}

fn trouble(error: FilesError, side: Side, names: &[Vec<u8>]) -> Trouble {
    Trouble { error, side, names: names.to_vec() }
}

/// Returns whether a file is copied in pieces.
const fn is_large(stat: &FileStat) -> bool {
    stat.size > PIECE as u64
}

/// Returns the type of what is copied; pipes, sockets and devices are not.
const fn is_copied(kind: FileKind) -> bool {
    !matches!(kind, FileKind::Other)
}

impl std::fmt::Debug for Copy {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Copy").field("copied", &self.copied).finish_non_exhaustive()
    }
}
