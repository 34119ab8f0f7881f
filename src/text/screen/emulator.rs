//! Applies a program's output to a screen.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use alacritty_terminal::Term;
use alacritty_terminal::event::{Event, EventListener};
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::term::{Config, Osc52, TermMode};
use alacritty_terminal::vte::ansi::Processor;
use memchr::memchr;

use super::grid_filter::GridFilter;
use super::limiter::Limiter;
use super::snapshot::Snapshot;
use super::unparsed::UnparsedSequences;
use super::unseen;

/// The most memory that the scrollback takes (bytes).
const SCROLLBACK_MEMORY: usize = 32 * 1024 * 1024;

const ESCAPE: u8 = 0x1b;

/// The memory of a cell (bytes).
const CELL_MEMORY: usize = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScreenSize {
    /// Characters in a line; at least 2, because some characters take two cells.
    pub columns: u16,
    pub rows: u16,
}

impl Dimensions for ScreenSize {
    fn total_lines(&self) -> usize {
        self.rows.into()
    }

    fn screen_lines(&self) -> usize {
        self.rows.into()
    }

    fn columns(&self) -> usize {
        self.columns.max(2).into()
    }
}

/// A terminal without a window: a grid of characters, a cursor, and a scrollback of lines that have left the
/// grid.
///
/// Sequences may be split between two pieces. A program that asks for the cursor's position or for the
/// terminal's kind gets a reply; see [`Self::feed`].
///
/// ```
/// use agent_bash::text::screen::{Emulator, ScreenSize};
///
/// let mut emulator = Emulator::new(ScreenSize { columns: 20, rows: 2 }, 100);
/// let replies = emulator.feed(b"\x1b[31mone\x1b[0m\r\ntwo\r\nthree\x1b[6n");
/// assert_eq!(replies, b"\x1b[2;6R");
/// let screen = emulator.snapshot(100);
/// assert_eq!(screen.lines, ["two", "three"]);
/// assert_eq!(screen.scrollback, ["one"]);
/// ```
pub struct Emulator {
    term: Term<EmulatorListener>,
    parser: Processor,
    limiter: Limiter,
    unparsed: UnparsedSequences,
    heard: EmulatorListener,
    title: String,
    scrollback: usize,
    revision: u64,
    /// Whether the output so far has a control sequence, which may have changed how plain text is shown.
    has_sequences: bool,
    /// Whether the last byte may belong to an unfinished character.
    is_in_character: bool,
}

impl std::fmt::Debug for Emulator {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Emulator").field("revision", &self.revision).finish_non_exhaustive()
    }
}

impl Emulator {
    /// Creates an empty screen that keeps at most `scrollback` lines that leave it at the top, and at most 32
    /// MiB of them.
    #[must_use]
    pub fn new(size: ScreenSize, scrollback: usize) -> Self {
        let heard = EmulatorListener::default();
        Self {
            term: Term::new(config(&size, scrollback), &size, heard.clone()),
            parser: Processor::new(),
            limiter: Limiter::default(),
            unparsed: UnparsedSequences::default(),
            heard,
            title: String::new(),
            scrollback,
            revision: 0,
            has_sequences: false,
            is_in_character: false,
        }
    }

    /// Applies output. Returns the terminal's replies to the queries in it, which the caller writes to the
    /// program.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.revision += bytes.len() as u64;
        self.has_sequences = self.has_sequences || memchr(ESCAPE, bytes).is_some();
        self.is_in_character = bytes.last().map_or(self.is_in_character, |byte| !byte.is_ascii());
        let Self { term, parser, limiter, unparsed, heard, .. } = self;
        limiter.push(bytes, |part| {
            unparsed.push(part, |part| parser.advance(&mut GridFilter(term, heard), part));
        });
        self.take_events()
    }

    /// Returns the length of text that may be skipped at the beginning of these pieces of output.
    ///
    /// That text leaves the screen and the scrollback again by the end of the pieces. [`Self::skip`] takes a
    /// hundredth of the time of applying it.
    ///
    /// ```
    /// use agent_bash::text::screen::{Emulator, ScreenSize};
    ///
    /// let mut emulator = Emulator::new(ScreenSize { columns: 20, rows: 2 }, 1);
    /// let output = b"1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8".as_slice();
    /// let unseen = emulator.unseen(std::iter::once(output));
    /// assert_eq!(unseen, 12);
    /// emulator.skip(unseen);
    /// emulator.feed(&output[unseen..]);
    /// assert_eq!(emulator.snapshot(1).lines, ["7", "8"]);
    /// ```
    pub fn unseen<'a>(&self, output: impl Iterator<Item = &'a [u8]> + Clone) -> usize {
        if self.has_sequences || self.is_in_character {
            return 0;
        }
        let grid = self.term.grid();
        let column = grid.cursor.point.column.0 + usize::from(grid.cursor.input_needs_wrap);
        let kept = config(grid, self.scrollback).scrolling_history + grid.screen_lines();
        unseen::length(output, grid.columns(), column, kept)
    }

    /// Skips as much text as [`Self::unseen`] returned. The rest of the output begins on a line of its own.
    pub fn skip(&mut self, length: usize) {
        self.revision += length as u64;
        self.parser.advance(&mut GridFilter(&mut self.term, &self.heard), b"\r\n");
    }

    /// Changes the size, and wraps lines anew.
    pub fn resize(&mut self, size: ScreenSize) {
        self.revision += 1;
        self.term.set_options(config(&size, self.scrollback));
        self.term.resize(size);
    }

    /// Returns the revision, which grows with each change.
    #[must_use]
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns whether the program wants the cursor keys in their application form (`ESC O A` for up).
    #[must_use]
    pub fn has_application_cursor(&self) -> bool {
        self.term.mode().contains(TermMode::APP_CURSOR)
    }

    /// Returns the screen now, with at most `scrollback` lines that have left it.
    ///
    /// A program may hold changes back to show them at once (a synchronized update). The snapshot omits such
    /// changes until the program has held them for 150 ms.
    pub fn snapshot(&mut self, scrollback: usize) -> Snapshot {
        // A caller that answers the program has called it before.
        self.show_overdue();
        Snapshot::of(&self.term, &self.title, scrollback, false)
    }

    /// Returns the screen as [`Self::snapshot`] does, with its colours and attributes.
    pub fn styled_snapshot(&mut self, scrollback: usize) -> Snapshot {
        self.show_overdue();
        Snapshot::of(&self.term, &self.title, scrollback, true)
    }

    /// Shows the changes that the program has held back for longer than 150 ms. Returns the terminal's
    /// replies to the queries among them.
    pub fn show_overdue(&mut self) -> Vec<u8> {
        if self.held_for() != Some(Duration::ZERO) {
            return Vec::new();
        }
        self.revision += 1;
        self.show_held()
    }

    /// Returns the time after which changes are shown that the program holds back; `None` if there are none.
    #[must_use]
    pub fn held_for(&self) -> Option<Duration> {
        let shown_at = self.parser.sync_timeout().sync_timeout()?;
        Some(shown_at.saturating_duration_since(Instant::now()))
    }

    /// Returns the screen at the end of the output.
    pub fn finish(&mut self) -> Snapshot {
        // The program can't read replies any longer.
        self.show_held();
        Snapshot::of(&self.term, &self.title, usize::MAX, true)
    }

    fn show_held(&mut self) -> Vec<u8> {
        self.parser.stop_sync(&mut GridFilter(&mut self.term, &self.heard));
        self.take_events()
    }

    fn take_events(&mut self) -> Vec<u8> {
        let mut heard = self.heard.lock();
        if let Some(title) = heard.title.take() {
            self.title = title;
        }
        std::mem::take(&mut heard.replies)
    }
}

fn config(size: &impl Dimensions, scrollback: usize) -> Config {
    let most = SCROLLBACK_MEMORY / (size.columns() * CELL_MEMORY);
    Config { scrolling_history: scrollback.min(most), osc52: Osc52::Disabled, ..Config::default() }
}

/// Receives the replies and titles of the grid.
#[derive(Clone, Default)]
struct EmulatorListener(Arc<Mutex<EmulatorEvents>>);

#[derive(Default)]
struct EmulatorEvents {
    replies: Vec<u8>,
    title: Option<String>,
}

impl EmulatorListener {
    fn lock(&self) -> MutexGuard<'_, EmulatorEvents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventListener for EmulatorListener {
    fn send_event(&self, event: Event) {
        match event {
            Event::PtyWrite(reply) => self.lock().replies.extend(reply.into_bytes()),
            Event::Title(title) => self.lock().title = Some(title),
            Event::ResetTitle => self.lock().title = Some(String::new()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
