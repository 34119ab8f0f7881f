//! Words: quotes, escapes, and where a word ends.

mod ansi;
mod expansion;
mod here;

use super::reader::{Reader, Result, SyntaxError};
use super::tree::{Word, WordPart};

/// The surroundings of a word, which decide what ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// Among the words of a command.
    Command,
    /// Inside of `[[ ]]`, where parentheses and bars belong to patterns.
    Test,
    /// After the operator of `${…}`, up to `}`.
    Operand,
    /// In a subscript, up to `]`.
    Subscript,
}

impl Reader<'_> {
    /// Reads a word. Its pieces and its span are empty where no word begins.
    pub(super) fn word(&mut self, context: Context) -> Result<Word> {
        self.peek();
        let start = self.offset;
        let mut word = Word::default();
        while !self.is_at_end() && self.piece(context, &mut word)? {}
        word.span = start..self.offset;
        word.is_in_place = self.is_whole;
        let spans_lines = self.text.as_bytes()[word.span.clone()].contains(&b'\n');
        if spans_lines && !self.pending.is_empty() {
            return self.unclear("a word goes over the line behind which a here-document begins");
        }
        Ok(word)
    }

    /// Reads a piece, and returns whether the word goes on.
    fn piece(&mut self, context: Context, word: &mut Word) -> Result<bool> {
        match self.peek() {
            b'\\' => self.escape(word)?,
            b'\'' => self.single_quotes(word)?,
            b'"' => self.double_quotes(word)?,
            b'`' => {
                let list = self.backticks(false)?;
                word.push(WordPart::Substitution(list), false);
            }
            b'$' => self.dollar(word, false)?,
            byte => return self.plain(context, byte, word),
        }
        Ok(true)
    }

    fn plain(&mut self, context: Context, byte: u8, word: &mut Word) -> Result<bool> {
        match (context, byte) {
            (Context::Operand, b'}') | (Context::Subscript, b']') => return Ok(false),
            (Context::Subscript, b'[') => return self.unclear("a subscript holds a bracket"),
            (Context::Subscript, b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')') => {
                return self.unclear("a subscript holds what ends a word");
            }
            (Context::Operand, b'\n') => return self.unclear("an expansion goes over a line break"),
            (Context::Operand, b'<' | b'>') if self.peek_second() == b'(' => {
                return self.unclear("an expansion holds a process substitution");
            }
            (Context::Operand | Context::Subscript, _) => {}
            (Context::Command | Context::Test, b' ' | b'\t' | b'\n' | b';') => return Ok(false),
            (Context::Command, b'&' | b'|' | b')') => return Ok(false),
            (Context::Command | Context::Test, b'<' | b'>') => {
                if self.peek_second() != b'(' {
                    return Ok(false);
                }
                let list = self.process()?;
                word.push(WordPart::Process(list), false);
                return Ok(true);
            }
            (Context::Command, b'(') => return Ok(false),
            (Context::Test, b'&') if self.peek_second() == b'&' => return Ok(false),
            (Context::Test, b'|') if self.peek_second() == b'|' => return Ok(false),
            (Context::Test | Context::Command, _) => {}
        }
        self.text_run(word);
        Ok(true)
    }

    /// Reads characters without a special meaning, at least one.
    fn text_run(&mut self, word: &mut Word) {
        let start = self.offset;
        let bytes = self.text.as_bytes();
        let has_meaning = |byte: &u8| {
            matches!(
                byte,
                b'\\'
                    | b'\''
                    | b'"'
                    | b'`'
                    | b'$'
                    | b' '
                    | b'\t'
                    | b'\n'
                    | b';'
                    | b'&'
                    | b'|'
                    | b'<'
                    | b'>'
                    | b'('
                    | b')'
                    | b'{'
                    | b'}'
                    | b'['
                    | b']'
                    | b'='
            )
        };
        let length = bytes[start + 1..].iter().position(has_meaning).unwrap_or(bytes.len() - start - 1);
        self.offset = start + 1 + length;
        // A byte with a meaning is ASCII, so the run already ends between two characters. The loop protects
        // the slice below.
        while !self.text.is_char_boundary(self.offset) {
            self.offset += 1;
        }
        word.push_text(&self.text[start..self.offset], false);
    }

    fn escape(&mut self, word: &mut Word) -> Result<()> {
        self.offset += 1;
        match self.take_char() {
            Some(char) => word.push_text(char.encode_utf8(&mut [0; 4]), true),
            None => return self.unclear("a backslash ends the command"),
        }
        Ok(())
    }

    fn single_quotes(&mut self, word: &mut Word) -> Result<()> {
        let rest = &self.text[self.offset + 1..];
        let length = rest.find('\'').ok_or(SyntaxError::Open("a single quote"))?;
        word.push_text(&rest[..length], true);
        self.offset += length + 2;
        Ok(())
    }

    /// Reads `"…"`, from its first quote on.
    pub(super) fn double_quotes(&mut self, word: &mut Word) -> Result<()> {
        self.bump();
        let before = word.size();
        loop {
            if self.is_at_end() {
                return Err(SyntaxError::Open("a double quote"));
            }
            if self.peek() == b'"' {
                self.offset += 1;
                // `""` is a word; `"$@"` alone may be no word.
                if word.size() == before {
                    word.push_text("", true);
                }
                return Ok(());
            }
            self.quoted_piece(word, b"$`\"\\")?;
        }
    }

    /// Reads the body of a here-document, up to its end.
    pub(super) fn here_text(&mut self) -> Result<Word> {
        let mut word = Word::default();
        word.push_text("", true);
        while !self.is_at_end() {
            self.quoted_piece(&mut word, b"$`\\")?;
        }
        word.span = 0..self.offset;
        Ok(word)
    }

    /// Reads a piece inside of double quotes. A backslash quotes the characters in `protected`; before any
    /// other character it is text.
    fn quoted_piece(&mut self, word: &mut Word, protected: &[u8]) -> Result<()> {
        match self.peek() {
            b'\\' => {
                self.offset += 1;
                if !protected.contains(&self.raw(0)) {
                    word.push_text("\\", true);
                    return Ok(());
                }
                if let Some(char) = self.take_char() {
                    word.push_text(char.encode_utf8(&mut [0; 4]), true);
                }
            }
            b'`' => {
                let list = self.backticks(protected.contains(&b'"'))?;
                word.push(WordPart::Substitution(list), true);
            }
            b'$' => self.dollar(word, true)?,
            _ => {
                let bytes = &self.text.as_bytes()[self.offset..];
                let end = |byte: &u8| matches!(byte, b'\\' | b'`' | b'$' | b'"');
                // A quote in a here-document is text.
                let length = bytes[1..].iter().position(end).map_or(bytes.len(), |length| length + 1);
                word.push_text(&self.text[self.offset..self.offset + length], true);
                self.offset += length;
            }
        }
        Ok(())
    }

    /// Reads `$'…'`, from the quote on.
    pub(super) fn ansi_quotes(&mut self, word: &mut Word) -> Result<()> {
        self.not_posix("only bash reads `$'…'` as a quote")?;
        self.bump();
        let start = self.offset;
        loop {
            match self.raw(0) {
                b'\'' => break,
                b'\\' => self.offset += 1,
                _ => {}
            }
            if self.take_char().is_none() {
                return Err(SyntaxError::Open("a quote"));
            }
        }
        let text = ansi::decode(&self.text[start..self.offset]);
        self.offset += 1;
        word.push_text(&text, true);
        Ok(())
    }
}
