//! The screen of a job while it runs, and its text afterwards.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use super::control_sequence::Position;
use super::thread::{Slices, schedule};
use crate::job::io::input::JobInput;
use crate::job::model::plan::Terminal;
use crate::process::pty::WindowSize;
use crate::text::screen::{Emulator, ScreenSize, Snapshot, is_plain};

/// The size of a slice (bytes). The emulator takes 0.3 ms for one, which is the longest that a caller waits
/// for the screen's lock.
const SLICE: usize = 16 * 1024;

/// The most output that may wait for the emulator (bytes). Above it the engine stops reading the job.
const MAX_WAITING: usize = 256 * 1024;

/// The length of queued output at which the screen thread applies plain text (bytes). Most of a long text
/// leaves the screen and the scrollback again, and skipping that part takes a hundredth of the time.
const PLAIN_SLICE: usize = 512 * 1024;

/// The most plain text that may wait (bytes).
const MAX_PLAIN_WAITING: usize = PLAIN_SLICE + MAX_WAITING;

/// The screen of a job. The I/O thread queues output; the screen thread, or the caller that asks for the
/// screen, applies it.
#[derive(Debug)]
pub struct LiveScreen {
    /// Locked before the queue, where both are locked, so that slices are applied in the order in which they
    /// are taken.
    state: Mutex<ScreenState>,
    queue: Mutex<ScreenQueue>,
    has_room: Notify,
    /// Takes the replies to the program's queries; `None` if another terminal answers them.
    replies: Option<Arc<JobInput>>,
    /// Whether a part of the output is missing.
    is_partial: AtomicBool,
}

#[derive(Debug, Default)]
struct ScreenQueue {
    slices: VecDeque<Vec<u8>>,
    /// The length of all slices (bytes).
    length: usize,
    /// Whether the thread knows of the queue.
    is_scheduled: bool,
    has_ended: bool,
    kind: OutputKind,
    /// The position in a control sequence at which the output so far ends.
    position: Position,
}

/// The kind of a job's output so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum OutputKind {
    /// No output.
    #[default]
    None,
    /// The output that is still queued has ASCII characters and line ends only.
    Plain,
    /// Other text without control sequences.
    Text,
    /// Text with control sequences, which may have changed what later text does.
    Sequences,
}

#[derive(Debug)]
enum ScreenState {
    /// No output has been applied yet.
    Blank { size: ScreenSize, scrollback: usize },
    /// The job runs, and output has been applied.
    Live(Box<Emulator>),
    /// The job is over. The screen is kept as text, which takes a small part of the memory of the emulator's
    /// cells.
    Over { screen: Box<Snapshot>, revision: u64 },
}

/// A screen and its revision: two equal revisions mean the same screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScreenRevision {
    pub screen: Snapshot,
    pub revision: u64,
    /// The time after which changes are shown that the program holds back (a synchronized update).
    pub held_for: Option<Duration>,
}

impl LiveScreen {
    /// Creates the empty screen of `terminal`. Replies to the program's queries go to `input`.
    #[must_use]
    pub fn new(terminal: Terminal, input: &Arc<JobInput>) -> Self {
        let Terminal { size, scrollback, answers_queries } = terminal;
        let state = ScreenState::Blank { size: screen_size(size), scrollback };
        let replies = answers_queries.then(|| Arc::clone(input));
        let is_partial = AtomicBool::new(false);
        Self {
            state: Mutex::new(state),
            queue: Mutex::default(),
            has_room: Notify::new(),
            replies,
            is_partial,
        }
    }

    /// Notes that a part of the output is missing, which the screen might show.
    pub fn set_partial(&self) {
        self.is_partial.store(true, Ordering::Release);
    }

    /// Returns whether a part of the output is missing.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.is_partial.load(Ordering::Acquire)
    }

    /// Queues output. Wakes the screen thread if the output may query the terminal, or if a slice has come
    /// together.
    pub fn push(self: &Arc<Self>, mut bytes: &[u8]) {
        let mut queue = lock(&self.queue);
        queue.length += bytes.len();
        let may_ask = queue.position.advance(bytes);
        queue.kind = queue.kind.max(match may_ask {
            true => OutputKind::Sequences,
            false if is_plain(bytes) => OutputKind::Plain,
            false => OutputKind::Text,
        });
        while !bytes.is_empty() {
            if queue.slices.back().is_none_or(|slice| slice.len() >= SLICE) {
                queue.slices.push_back(Vec::with_capacity(SLICE));
            }
            let Some(slice) = queue.slices.back_mut() else { return };
            let (now, later) = bytes.split_at(bytes.len().min(SLICE - slice.len()));
            slice.extend_from_slice(now);
            bytes = later;
        }
        // Plain output waits until a caller requests the screen: waking a thread for each line would take a
        // good part of the time of a line. A query of the program can't wait that long.
        let slice = if queue.kind == OutputKind::Plain { PLAIN_SLICE } else { SLICE };
        if may_ask || queue.length >= slice {
            self.schedule(queue);
        }
    }

    /// Notes that no more output will come.
    pub fn end(self: &Arc<Self>) {
        let mut queue = lock(&self.queue);
        queue.has_ended = true;
        // Waking the thread would take a good part of a short command's time.
        if queue.kind != OutputKind::None {
            self.schedule(queue);
        }
    }

    fn schedule(self: &Arc<Self>, mut queue: MutexGuard<'_, ScreenQueue>) {
        if !std::mem::replace(&mut queue.is_scheduled, true) {
            drop(queue);
            schedule(Arc::<Self>::clone(self));
        }
    }

    /// Returns whether more output may be queued.
    #[must_use]
    pub fn has_room(&self) -> bool {
        lock(&self.queue).has_room()
    }

    /// Waits until more output may be queued.
    pub async fn room(&self) {
        while !self.has_room() {
            self.has_room.notified().await;
        }
    }

    /// Applies a slice. Returns whether there is more to do.
    fn apply_next(&self) -> bool {
        let mut state = lock(&self.state);
        let has_applied = self.apply_slice(&mut state);
        let mut queue = lock(&self.queue);
        if has_applied || !queue.slices.is_empty() {
            return true;
        }
        queue.is_scheduled = false;
        let has_ended = queue.has_ended;
        drop(queue);
        if has_ended {
            state.finish();
        }
        false
    }

    /// Applies a slice to the emulator. Returns whether there was one.
    fn apply_slice(&self, state: &mut ScreenState) -> bool {
        let slice = {
            let mut queue = lock(&self.queue);
            let had_room = queue.has_room();
            if queue.is_long_and_plain()
                && let Some(emulator) = state.emulator()
            {
                queue.skip_unseen(emulator);
            }
            let Some(slice) = queue.slices.pop_front() else { return false };
            queue.length -= slice.len();
            if queue.length == 0 && queue.kind == OutputKind::Text {
                queue.kind = OutputKind::Plain;
            }
            if !had_room && queue.has_room() {
                self.has_room.notify_one();
            }
            slice
        };
        let replies = state.emulator().map_or_else(Vec::new, |emulator| emulator.feed(&slice));
        self.reply(replies);
        true
    }

    /// Answers queries of the program, unless another terminal does.
    fn reply(&self, replies: Vec<u8>) {
        if let Some(input) = &self.replies
            && !replies.is_empty()
        {
            input.reply(replies);
        }
    }

    /// Applies all queued output, and returns the state.
    fn current(&self) -> MutexGuard<'_, ScreenState> {
        let mut state = lock(&self.state);
        while self.apply_slice(&mut state) {}
        state
    }

    /// Returns the screen now, with at most `scrollback` lines that have left it at its top.
    #[must_use]
    pub fn snapshot(&self, scrollback: usize) -> ScreenRevision {
        self.see(scrollback, false)
    }

    /// Returns the screen as [`Self::snapshot`] does, with its colours and attributes.
    #[must_use]
    pub fn styled_snapshot(&self, scrollback: usize) -> ScreenRevision {
        self.see(scrollback, true)
    }

    fn see(&self, scrollback: usize, has_styles: bool) -> ScreenRevision {
        match &mut *self.current() {
            ScreenState::Blank { size, scrollback: kept } => ScreenRevision {
                screen: Emulator::new(*size, *kept).snapshot(0),
                revision: 0,
                held_for: None,
            },
            ScreenState::Live(emulator) => {
                self.reply(emulator.show_overdue());
                let screen = if has_styles {
                    emulator.styled_snapshot(scrollback)
                } else {
                    emulator.snapshot(scrollback)
                };
                ScreenRevision { screen, revision: emulator.revision(), held_for: emulator.held_for() }
            }
            ScreenState::Over { screen, revision } => {
                let screen = screen.with_scrollback(scrollback, has_styles);
                ScreenRevision { screen, revision: *revision, held_for: None }
            }
        }
    }

    /// Changes the size, after all queued output is applied at the old one.
    pub fn resize(&self, size: WindowSize) {
        match &mut *self.current() {
            ScreenState::Blank { size: old, .. } => *old = screen_size(size),
            ScreenState::Live(emulator) => emulator.resize(screen_size(size)),
            ScreenState::Over { .. } => {}
        }
    }

    /// Returns whether the program wants the cursor keys in their application form.
    #[must_use]
    pub fn has_application_cursor(&self) -> bool {
        match &*self.current() {
            ScreenState::Blank { .. } => false,
            ScreenState::Live(emulator) => emulator.has_application_cursor(),
            ScreenState::Over { screen, .. } => screen.has_application_cursor,
        }
    }

    /// Returns the memory of the screen of a job that is over (bytes); 0 before.
    #[must_use]
    pub fn memory(&self) -> usize {
        let mut state = self.current();
        state.finish();
        match &*state {
            ScreenState::Over { screen, .. } => screen.memory(),
            ScreenState::Blank { .. } | ScreenState::Live(_) => 0,
        }
    }
}

impl ScreenQueue {
    /// Returns whether more output may be queued.
    fn has_room(&self) -> bool {
        self.length < if self.kind == OutputKind::Plain { MAX_PLAIN_WAITING } else { MAX_WAITING }
    }

    /// Returns whether the search for output that can be skipped is worth its time.
    fn is_long_and_plain(&self) -> bool {
        self.kind == OutputKind::Plain && self.length >= PLAIN_SLICE
    }

    /// Skips the output that leaves the screen and the scrollback again.
    fn skip_unseen(&mut self, emulator: &mut Emulator) {
        let unseen = emulator.unseen(self.slices.iter().map(Vec::as_slice));
        if unseen == 0 {
            return;
        }
        emulator.skip(unseen);
        self.length -= unseen;
        let mut rest = unseen;
        while let Some(slice) = self.slices.pop_front() {
            if slice.len() > rest {
                self.slices.push_front(slice[rest..].to_vec());
                return;
            }
            rest -= slice.len();
        }
    }
}

impl ScreenState {
    /// Returns the emulator, created at the first output; `None` when the job is over.
    fn emulator(&mut self) -> Option<&mut Emulator> {
        if let Self::Blank { size, scrollback } = *self {
            *self = Self::Live(Box::new(Emulator::new(size, scrollback)));
        }
        match self {
            Self::Live(emulator) => Some(emulator),
            Self::Blank { .. } | Self::Over { .. } => None,
        }
    }

    fn finish(&mut self) {
        if let Self::Live(emulator) = self {
            let revision = emulator.revision();
            *self = Self::Over { screen: Box::new(emulator.finish()), revision };
        }
    }
}

const fn screen_size(WindowSize { columns, rows }: WindowSize) -> ScreenSize {
    ScreenSize { columns, rows }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Slices for LiveScreen {
    fn work(&self) -> bool {
        self.apply_next()
    }
}

#[cfg(test)]
mod tests;
