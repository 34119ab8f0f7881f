//! The place in the text, and the bounds that every read obeys.

use std::cell::OnceCell;
use std::rc::Rc;

use super::tree::{List, Word};

/// The longest text that is read (bytes). Longer commands are never allowed: nobody reviews them, and bash reads
/// constructs beyond any parser's tests in them.
pub const MAX_BYTES: usize = 10_000;

/// The deepest nesting. A frame of the reader takes below 2 KiB, so that 64 fit into the smallest stack of a thread.
pub const MAX_DEPTH: usize = 64;

/// Which shell's language is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// GNU bash.
    Bash,
    /// `sh`, `dash`, `ash`: what only bash reads as such is an error.
    Posix,
    /// zsh: what zsh alone reads as code is an error.
    Zsh,
}

/// Why a command can't be judged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SyntaxError {
    /// More than [`MAX_BYTES`].
    #[error("the command is longer than {MAX_BYTES} bytes")]
    TooLong,
    /// Nested deeper than [`MAX_DEPTH`].
    #[error("the command is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// The text ends inside of something.
    #[error("{0} is not closed")]
    Open(&'static str),
    /// No command, or one that shells read in different ways.
    #[error("{0} (at byte {1})")]
    Unclear(&'static str, usize),
}

/// Reads a command.
///
/// # Errors
///
/// When it is too long, too deep, no command, or a construct that is not read the same way by all versions of the shell.
pub fn read(text: &str, syntax: Syntax) -> Result<List, SyntaxError> {
    read_nested(text, syntax, 0)
}

/// Reads text that is nested in a command: the text of `eval`, of backticks.
pub(crate) fn read_nested(text: &str, syntax: Syntax, depth: usize) -> Result<List, SyntaxError> {
    if text.len() > MAX_BYTES {
        return Err(SyntaxError::TooLong);
    }
    if text.contains('\0') {
        return Err(SyntaxError::Unclear("a null byte ends the text for some shells", 0));
    }
    Reader::new(text, syntax, depth).deeper(Reader::list_to_end)
}

pub(super) type Result<T, E = SyntaxError> = std::result::Result<T, E>;

/// A body of a here-document that is still to come.
#[derive(Debug)]
pub(super) struct Pending {
    /// The delimiter, after quote removal.
    pub(super) delimiter: String,
    /// Whether any of it was quoted: then the body is data.
    pub(super) is_quoted: bool,
    /// `<<-`: leading tabs are removed.
    pub(super) strips_tabs: bool,
    /// Where its body goes: the redirection has the other end.
    pub(super) body: Rc<OnceCell<Word>>,
}

/// The place in the text.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) place: usize,
    pub(super) syntax: Syntax,
    pub(super) depth: usize,
    /// Here-documents whose bodies begin behind the next line break.
    pub(super) pending: Vec<Pending>,
    /// The number of arithmetic expressions around the place.
    pub(super) arithmetic: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, syntax: Syntax, depth: usize) -> Self {
        Self { text, place: 0, syntax, depth, pending: Vec::new(), arithmetic: 0 }
    }

    /// The byte at the place, behind line continuations; 0 at the end.
    pub(super) fn peek(&mut self) -> u8 {
        while self.raw(0) == b'\\' && self.raw(1) == b'\n' {
            self.place += 2;
        }
        self.raw(0)
    }

    /// The byte behind [`Self::peek`], behind line continuations.
    pub(super) fn peek_second(&mut self) -> u8 {
        self.peek();
        let mut ahead = 1;
        while self.raw(ahead) == b'\\' && self.raw(ahead + 1) == b'\n' {
            ahead += 2;
        }
        self.raw(ahead)
    }

    /// The byte at a distance, as it stands there; 0 behind the end.
    pub(super) fn raw(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.place + ahead).copied().unwrap_or(0)
    }

    pub(super) fn is_at_end(&mut self) -> bool {
        self.peek();
        self.place >= self.text.len()
    }

    /// Goes over a byte that was peeked at.
    pub(super) fn bump(&mut self) {
        self.peek();
        self.place += 1;
    }

    /// Goes over `expected`, if it is next. Line continuations inside of it don't count.
    pub(super) fn eat(&mut self, expected: &str) -> bool {
        let start = self.place;
        for byte in expected.bytes() {
            if self.peek() != byte {
                self.place = start;
                return false;
            }
            self.place += 1;
        }
        true
    }

    /// Takes one character as it stands there.
    pub(super) fn take_char(&mut self) -> Option<char> {
        let char = self.text.get(self.place..)?.chars().next()?;
        self.place += char.len_utf8();
        Some(char)
    }

    pub(super) fn unclear<T>(&self, why: &'static str) -> Result<T> {
        Err(SyntaxError::Unclear(why, self.place))
    }

    /// What only bash reads is an error for another shell.
    pub(super) fn bash_only(&self, why: &'static str) -> Result<()> {
        if self.syntax == Syntax::Posix { self.unclear(why) } else { Ok(()) }
    }

    /// Reads something one level deeper.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return Err(SyntaxError::TooDeep);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Skips blanks and a comment. Line breaks end commands, and stay.
    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t') {
            self.place += 1;
        }
        if self.peek() == b'#' {
            self.skip_comment();
        }
    }

    /// A backslash at the end of a comment continues nothing.
    fn skip_comment(&mut self) {
        let rest = &self.text.as_bytes()[self.place..];
        self.place += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }

    /// Skips blanks, comments and line breaks, and reads the here-documents behind each.
    pub(super) fn skip_lines(&mut self) -> Result<()> {
        loop {
            self.skip_blanks();
            if self.peek() != b'\n' {
                return Ok(());
            }
            self.line_break()?;
        }
    }

    /// Goes over a line break, and over the bodies of here-documents behind it.
    pub(super) fn line_break(&mut self) -> Result<()> {
        self.bump();
        self.read_bodies()
    }
}
