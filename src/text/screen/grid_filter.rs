//! Filters and corrects the calls of the parser to the grid.

use alacritty_terminal::Term;
use alacritty_terminal::event::{Event, EventListener};
use alacritty_terminal::grid::{Charsets, Cursor, Dimensions};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::Cell;
use alacritty_terminal::vte::ansi::{
    Attr, CharsetIndex, ClearMode, Handler, LineClearMode, Mode, NamedMode, NamedPrivateMode, PrivateMode,
    StandardCharset, TabulationClearMode,
};
use unicode_width::UnicodeWidthChar;

use super::unparsed::{Unparsed, meaning_of};

/// The most combining characters in a cell: a program may send any number.
const MAX_COMBINING: usize = 16;

/// The longest title (characters); a longer one is cut.
const MAX_TITLE: usize = 1_000;

/// The older modes of the alternate screen, which the grid does not support.
const OLD_ALTERNATE_SCREENS: [u16; 2] = [47, 1047];

/// The size of a cell (pixels) reported to a program that asks for the size of the window: that of a usual
/// font.
const CELL_PIXELS: (usize, usize) = (8, 16);

/// Passes to the grid the sequences that matter without a window, and answers the queries that the grid does
/// not.
///
/// Drops all other sequences without a reply: the clipboard, colours, links, the window, the cursor's shape,
/// and the keyboard protocols, which change the bytes of keys.
pub(super) struct GridFilter<'a, T>(pub(super) &'a mut Term<T>, pub(super) &'a T);

/// Passes calls on unchanged.
macro_rules! pass {
    ($($name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(#[inline]
        fn $name(&mut self, $($argument: $kind),*) {
            self.0.$name($($argument),*);
        })*
    };
}

impl<T: EventListener> Handler for GridFilter<'_, T> {
    pass! {
        goto(line: i32, column: usize);
        goto_line(line: i32);
        goto_col(column: usize);
        insert_blank(count: usize);
        move_up(count: usize);
        move_down(count: usize);
        device_status(argument: usize);
        move_forward(count: usize);
        move_backward(count: usize);
        move_down_and_cr(count: usize);
        move_up_and_cr(count: usize);
        put_tab(count: u16);
        backspace();
        carriage_return();
        linefeed();
        substitute();
        newline();
        set_horizontal_tabstop();
        scroll_up(count: usize);
        scroll_down(count: usize);
        insert_blank_lines(count: usize);
        delete_lines(count: usize);
        erase_chars(count: usize);
        delete_chars(count: usize);
        move_backward_tabs(count: u16);
        move_forward_tabs(count: u16);
        save_cursor_position();
        restore_cursor_position();
        clear_line(mode: LineClearMode);
        clear_tabs(mode: TabulationClearMode);
        reset_state();
        reverse_index();
        terminal_attribute(attribute: Attr);
        set_mode(mode: Mode);
        unset_mode(mode: Mode);
        report_mode(mode: Mode);
        report_private_mode(mode: PrivateMode);
        set_scrolling_region(top: usize, bottom: Option<usize>);
        set_keypad_application_mode();
        unset_keypad_application_mode();
        set_active_charset(index: CharsetIndex);
        configure_charset(index: CharsetIndex, charset: StandardCharset);
        decaln();
        text_area_size_chars();
        push_title();
        pop_title();
    }

    #[inline]
    fn input(&mut self, character: char) {
        if character.is_ascii() || character.width() != Some(0) || !self.has_most_marks() {
            self.0.input(character);
        }
    }

    fn set_title(&mut self, title: Option<String>) {
        self.0.set_title(title.map(|title| title.chars().take(MAX_TITLE).collect()));
    }

    fn identify_terminal(&mut self, intermediate: Option<char>) {
        match intermediate {
            // The unit's number (DA3), as xterm reports it.
            Some('=') => self.reply("\x1bP!|00000000\x1b\\".to_owned()),
            other => self.0.identify_terminal(other),
        }
    }

    /// Reports that the keyboard protocol of kitty is off: programs wait for the answer.
    fn report_keyboard_mode(&mut self) {
        self.reply("\x1b[?0u".to_owned());
    }

    fn text_area_size_pixels(&mut self) {
        let (width, height) = (self.0.columns() * CELL_PIXELS.0, self.0.screen_lines() * CELL_PIXELS.1);
        self.reply(format!("\x1b[4;{height};{width}t"));
    }

    fn set_private_mode(&mut self, mode: PrivateMode) {
        let unparsed = if let PrivateMode::Unknown(number) = mode { meaning_of(number) } else { None };
        if let Some(unparsed) = unparsed {
            self.act_on(unparsed);
        } else if !is_column_mode(mode) {
            self.0.set_private_mode(as_known(mode));
        }
    }

    fn unset_private_mode(&mut self, mode: PrivateMode) {
        if !is_column_mode(mode) {
            self.0.unset_private_mode(as_known(mode));
        }
    }

    /// Clears a part of the screen.
    ///
    /// With the cursor in the second line, the grid forgets to clear the first line, so this clears it too.
    fn clear_screen(&mut self, mode: ClearMode) {
        let is_in_second_line = self.0.grid().cursor.point.line == Line(1);
        if matches!(mode, ClearMode::Above) && is_in_second_line {
            let background = self.0.grid().cursor.template.bg;
            let row = &mut self.0.grid_mut()[Line(0)];
            for column in 0..row.len() {
                row[Column(column)] = Cell { bg: background, ..Cell::default() };
            }
        }
        self.0.clear_screen(mode);
    }
}

impl<T: EventListener> GridFilter<'_, T> {
    fn act_on(&mut self, unparsed: Unparsed) {
        match unparsed {
            Unparsed::SoftReset => self.reset_softly(),
            Unparsed::Version => {
                self.reply(concat!("\x1bP>|agent-bash(", env!("CARGO_PKG_VERSION"), ")\x1b\\").to_owned());
            }
            Unparsed::Position => {
                let position = self.0.grid().cursor.point;
                self.reply(format!("\x1b[?{};{}R", position.line.0 + 1, position.column.0 + 1));
            }
            Unparsed::CellSize => self.reply(format!("\x1b[6;{};{}t", CELL_PIXELS.1, CELL_PIXELS.0)),
        }
    }

    fn reply(&self, reply: String) {
        self.1.send_event(Event::PtyWrite(reply));
    }

    /// Resets modes that a program may have left changed, as xterm does: the text and the cursor's position
    /// stay.
    fn reset_softly(&mut self) {
        let position = self.0.grid().cursor.point;
        let Self(term, _) = self;
        term.set_private_mode(NamedPrivateMode::ShowCursor.into());
        term.set_private_mode(NamedPrivateMode::LineWrap.into());
        term.unset_private_mode(NamedPrivateMode::CursorKeys.into());
        term.unset_private_mode(NamedPrivateMode::Origin.into());
        term.unset_mode(NamedMode::Insert.into());
        term.unset_keypad_application_mode();
        term.set_scrolling_region(1, None);
        term.terminal_attribute(Attr::Reset);
        term.set_active_charset(CharsetIndex::G0);
        let grid = term.grid_mut();
        grid.cursor.charsets = Charsets::default();
        grid.saved_cursor = Cursor::default();
        grid.cursor.point = position;
    }
}

impl<T> GridFilter<'_, T> {
    /// Returns whether the cell before the cursor has the most combining characters that a cell may have.
    fn has_most_marks(&self) -> bool {
        let grid = self.0.grid();
        let cursor = &grid.cursor;
        let mut column = cursor.point.column.0;
        if !cursor.input_needs_wrap {
            column = column.saturating_sub(1);
        }
        grid[cursor.point.line][Column(column)].zerowidth().is_some_and(|marks| marks.len() >= MAX_COMBINING)
    }
}

/// Returns whether a mode sets the number of columns: the grid would be cleared, and xterm ignores the mode.
fn is_column_mode(mode: PrivateMode) -> bool {
    mode == PrivateMode::Named(NamedPrivateMode::ColumnMode)
}

fn as_known(mode: PrivateMode) -> PrivateMode {
    match mode {
        PrivateMode::Unknown(number) if OLD_ALTERNATE_SCREENS.contains(&number) => {
            NamedPrivateMode::SwapScreenAndSetRestoreCursor.into()
        }
        other => other,
    }
}
