//! The position in the text, and the limits of every read.

use std::cell::OnceCell;
use std::rc::Rc;

use super::tree::{List, Word};

/// The longest text that is read (bytes). Longer commands are never allowed: nobody reviews them.
pub const MAX_BYTES: usize = 10_000;

/// The deepest nesting. A level takes less than 3 KiB of stack in a release build: 64 levels fit into 192
/// KiB, far below the stack of any thread of Node.
pub const MAX_DEPTH: usize = 64;

/// The shell whose language is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    Bash,
    /// `sh`, `dash`, `ash`: constructs that only bash has are errors.
    Posix,
    /// zsh: constructs that only zsh reads as code are errors.
    Zsh,
}

/// The reason why a command can't be read beyond doubt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SyntaxError {
    /// The text is longer than [`MAX_BYTES`].
    #[error("the command is longer than {MAX_BYTES} bytes")]
    TooLong,
    /// The text is nested deeper than [`MAX_DEPTH`].
    #[error("the command is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// The text ends inside of a construct, which this names.
    #[error("{0} is not closed")]
    Open(&'static str),
    /// The text is no command, or one that shells read in different ways; with the position (bytes).
    #[error("{0} (at byte {1})")]
    Unclear(&'static str, usize),
}

/// Reads a command.
///
/// # Errors
///
/// When the text is too long, too deep, no command, or a construct that versions of the shell read in
/// different ways.
pub fn read(text: &str, syntax: Syntax) -> Result<List, SyntaxError> {
    read_text(text, syntax, 0, true)
}

/// Reads text that is nested in a command, such as that of `eval` or of backticks.
pub(crate) fn read_nested(text: &str, syntax: Syntax, depth: usize) -> Result<List, SyntaxError> {
    read_text(text, syntax, depth, false)
}

fn read_text(text: &str, syntax: Syntax, depth: usize, is_whole: bool) -> Result<List, SyntaxError> {
    if text.len() > MAX_BYTES {
        return Err(SyntaxError::TooLong);
    }
    if text.contains('\0') {
        return Err(SyntaxError::Unclear("a null byte ends the text for some shells", 0));
    }
    Reader { is_whole, ..Reader::new(text, syntax, depth) }.deeper(Reader::list_to_end)
}

pub(super) type Result<T, E = SyntaxError> = std::result::Result<T, E>;

/// A here-document whose body has not been read yet.
#[derive(Debug)]
pub(super) struct Pending {
    /// The delimiter, after quote removal.
    pub(super) delimiter: String,
    /// Whether any part of the delimiter was quoted, so that nothing in the body is expanded.
    pub(super) is_quoted: bool,
    /// Whether leading tabs are removed, as by `<<-`.
    pub(super) strips_tabs: bool,
    /// The cell for the body, which the redirection shares.
    pub(super) body: Rc<OnceCell<Word>>,
}

#[derive(Debug)]
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    /// The position (bytes).
    pub(super) offset: usize,
    pub(super) syntax: Syntax,
    pub(super) depth: usize,
    /// Here-documents whose bodies begin after the next line break.
    pub(super) pending: Vec<Pending>,
    /// The number of arithmetic expressions around the position.
    pub(super) arithmetic: usize,
    /// Whether the text is the whole command line.
    pub(super) is_whole: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, syntax: Syntax, depth: usize) -> Self {
        Self { text, offset: 0, syntax, depth, pending: Vec::new(), arithmetic: 0, is_whole: false }
    }

    /// Returns the byte at the position, after any line continuations; 0 at the end.
    pub(super) fn peek(&mut self) -> u8 {
        while self.raw(0) == b'\\' && self.raw(1) == b'\n' {
            self.offset += 2;
        }
        self.raw(0)
    }

    /// Returns the byte after that of [`Self::peek`], after any line continuations; 0 at the end.
    pub(super) fn peek_second(&mut self) -> u8 {
        self.peek();
        let mut ahead = 1;
        while self.raw(ahead) == b'\\' && self.raw(ahead + 1) == b'\n' {
            ahead += 2;
        }
        self.raw(ahead)
    }

    /// Returns the byte `ahead` of the position, even of a line continuation; 0 after the end.
    pub(super) fn raw(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.offset + ahead).copied().unwrap_or(0)
    }

    pub(super) fn is_at_end(&mut self) -> bool {
        self.peek();
        self.offset >= self.text.len()
    }

    /// Skips the byte that [`Self::peek`] returns.
    pub(super) fn bump(&mut self) {
        self.peek();
        self.offset += 1;
    }

    /// Skips `expected` if it is next, and returns whether it was. It may contain line continuations.
    pub(super) fn eat(&mut self, expected: &str) -> bool {
        let start = self.offset;
        for byte in expected.bytes() {
            if self.peek() != byte {
                self.offset = start;
                return false;
            }
            self.offset += 1;
        }
        true
    }

    /// Reads one character, even of a line continuation.
    pub(super) fn take_char(&mut self) -> Option<char> {
        let char = self.text.get(self.offset..)?.chars().next()?;
        self.offset += char.len_utf8();
        Some(char)
    }

    pub(super) fn unclear<T>(&self, why: &'static str) -> Result<T> {
        Err(SyntaxError::Unclear(why, self.offset))
    }

    /// Returns the error `why` if the shell is a posix shell, which lacks the construct.
    pub(super) fn not_posix(&self, why: &'static str) -> Result<()> {
        if self.syntax == Syntax::Posix { self.unclear(why) } else { Ok(()) }
    }

    /// Calls `read` one level deeper.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return Err(SyntaxError::TooDeep);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Skips blanks and a comment, but no line break, which would end a command.
    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t') {
            self.offset += 1;
        }
        if self.peek() == b'#' {
            self.skip_comment();
        }
    }

    /// Skips a comment. A backslash at its end does not continue the line.
    fn skip_comment(&mut self) {
        let rest = &self.text.as_bytes()[self.offset..];
        self.offset += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }

    /// Skips blanks, comments and line breaks, and reads the bodies of here-documents after a line break.
    pub(super) fn skip_lines(&mut self) -> Result<()> {
        loop {
            self.skip_blanks();
            if self.peek() != b'\n' {
                return Ok(());
            }
            self.line_break()?;
        }
    }

    /// Skips a line break, and reads the bodies of here-documents after it.
    pub(super) fn line_break(&mut self) -> Result<()> {
        self.bump();
        self.read_bodies()
    }
}
