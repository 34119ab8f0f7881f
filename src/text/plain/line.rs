//! The current line: its cells, its cursor, and what sequences do to them.

use std::ops::Range;

/// The largest number of characters of a line that can still be overwritten.
pub(super) const LINE_LIMIT: usize = 64 * 1024;

/// The column up to which a movement to the right may pass the end of the text.
///
/// The widest terminals have about as many columns. The limit also bounds the blanks that a short sequence
/// can produce.
pub(super) const MIN_COLUMNS: usize = 256;

/// The largest number of cells, from the cursor on, that an insertion or a deletion moves.
///
/// No terminal has so many columns. Without the limit, moving the rest of a long line for each sequence of
/// three bytes would take minutes per megabyte.
pub(super) const MAX_MOVED_CELLS: usize = 1024;

/// The current line and the cursor in it.
#[derive(Clone, Default)]
pub(super) struct EditedLine {
    cells: Vec<Cell>,
    pub(super) cursor: usize,
    /// The pending erasures of the beginning of the line.
    ///
    /// Each is shorter than the one before, because a longer erasure replaces the shorter ones. Applying all
    /// of them together costs no more than the input; applying each by itself may cost the whole line.
    erasures: Vec<Erasure>,
    /// The number of erasures since the pending ones were last applied.
    erasure_count: u32,
    /// The cursor that the program has saved in this line.
    pub(super) saved: Option<usize>,
    pub(super) last: Option<char>,
    pub(super) inserts: bool,
}

#[derive(Clone, Copy)]
struct Erasure {
    /// The number of erasures before this one.
    number: u32,
    cells: usize,
}

#[derive(Clone, Copy, Default)]
struct Cell {
    /// `None` if the cell was erased or skipped.
    character: Option<char>,
    /// The number of erasures before this cell was written, which have no effect on the cell.
    older_erasures: u32,
}

impl EditedLine {
    /// Returns the number of cells.
    pub(super) const fn len(&self) -> usize {
        self.cells.len()
    }

    pub(super) fn write(&mut self, character: char, out: &mut String) {
        if self.cursor >= LINE_LIMIT {
            self.flush_cells(out);
        }
        if self.cursor > self.cells.len() {
            self.cells.resize(self.cursor, Cell::default());
        }
        if self.inserts {
            self.insert(1);
        }
        let cell = Cell { character: Some(character), older_erasures: self.erasure_count };
        match self.cells.get_mut(self.cursor) {
            Some(old) => *old = cell,
            None => self.cells.push(cell),
        }
        self.cursor += 1;
    }

    pub(super) fn left(&mut self, cells: usize) {
        self.cursor = self.cursor.saturating_sub(cells);
    }

    pub(super) fn go_to(&mut self, column: usize) {
        self.cursor = column.min(self.cells.len().max(MIN_COLUMNS));
    }

    pub(super) fn erase_end(&mut self) {
        self.cells.truncate(self.cursor);
    }

    /// Erases the first `cells` of the line, by a pending erasure.
    pub(super) fn erase_beginning(&mut self, cells: usize) {
        if self.erasure_count == u32::MAX {
            self.apply_erasures();
        }
        while self.erasures.pop_if(|older| older.cells <= cells).is_some() {}
        self.erasures.push(Erasure { number: self.erasure_count, cells });
        self.erasure_count += 1;
    }

    fn apply_erasures(&mut self) {
        self.apply_erasures_in(0..self.cells.len());
        for cell in &mut self.cells {
            cell.older_erasures = 0;
        }
        self.erasures.clear();
        self.erasure_count = 0;
    }

    /// Applies the pending erasures to these cells, so that the cells can be moved.
    fn apply_erasures_in(&mut self, range: Range<usize>) {
        if self.erasures.is_empty() {
            return;
        }
        for column in range {
            let cell = &mut self.cells[column];
            // The first erasure after the cell was written is the longest.
            let first = self.erasures.partition_point(|erasure| erasure.number < cell.older_erasures);
            if self.erasures.get(first).is_some_and(|erasure| column < erasure.cells) {
                cell.character = None;
            }
            cell.older_erasures = self.erasure_count;
        }
    }

    /// Returns the range of cells that an insertion or a deletion at the cursor moves.
    fn movable(&self) -> Range<usize> {
        self.cursor.min(self.cells.len())..self.cells.len().min(self.cursor.saturating_add(MAX_MOVED_CELLS))
    }

    /// Inserts blanks. The line grows, unless it has more than [`MAX_MOVED_CELLS`] after the cursor: then the
    /// last moved cells are lost.
    pub(super) fn insert(&mut self, count: usize) {
        let mut moved = self.movable();
        if moved.is_empty() {
            return;
        }
        self.apply_erasures_in(moved.clone());
        let count = count.min(MIN_COLUMNS);
        if moved.end == self.cells.len() {
            let length = (moved.end + count).min(LINE_LIMIT);
            self.cells.resize(length, Cell::default());
            moved.end = length;
        }
        let cells = &mut self.cells[moved];
        let count = count.min(cells.len());
        cells.rotate_right(count);
        cells[..count].fill(Cell::default());
    }

    /// Deletes characters. The cells to the right of them, up to [`MAX_MOVED_CELLS`], move to the left.
    pub(super) fn delete(&mut self, count: usize) {
        let moved = self.movable();
        self.apply_erasures_in(moved.clone());
        let count = count.min(moved.len());
        if moved.end == self.cells.len() {
            self.cells.drain(moved.start..moved.start + count);
        } else {
            let cells = &mut self.cells[moved];
            cells.rotate_left(count);
            let left = cells.len() - count;
            cells[left..].fill(Cell::default());
        }
    }

    /// Erases characters without moving any.
    pub(super) fn erase(&mut self, count: usize) {
        let reached = self.movable();
        if count >= self.cells.len() - reached.start {
            self.erase_end();
        } else {
            let end = reached.end.min(reached.start + count);
            self.cells[reached.start..end].fill(Cell::default());
        }
    }

    /// Writes the last character again.
    pub(super) fn repeat(&mut self, count: usize, out: &mut String) {
        if let Some(character) = self.last {
            for _ in 0..count.min(MIN_COLUMNS) {
                self.write(character, out);
            }
        }
    }

    pub(super) fn restore(&mut self) {
        if let Some(column) = self.saved {
            self.go_to(column);
        }
    }

    /// Applies a reset of the terminal to the line.
    pub(super) const fn reset(&mut self) {
        self.inserts = false;
        self.saved = None;
    }

    pub(super) fn end(&mut self, out: &mut String) {
        self.flush(out);
        out.push('\n');
    }

    /// Appends the line up to its last character to `out`, and starts a new one.
    pub(super) fn flush(&mut self, out: &mut String) {
        self.apply_erasures();
        let last = self.cells.iter().rposition(|cell| cell.character.is_some());
        self.cells.truncate(last.map_or(0, |last| last + 1));
        self.flush_cells(out);
    }

    /// Appends all cells to `out`. Text that is written after that continues the line.
    fn flush_cells(&mut self, out: &mut String) {
        self.apply_erasures();
        out.extend(self.cells.drain(..).map(|cell| cell.character.unwrap_or(' ')));
        self.cursor = 0;
        self.saved = None;
    }
}
