//! Lists and pipelines, and the reserved words that end them.

use crate::syntax::reader::{Reader, Result, Syntax, SyntaxError};
use crate::syntax::tree::{AndOrList, Command, Connector, List, Pipeline};

/// Reserved words that end a list, where a command could begin.
const CLOSING: [&str; 9] = ["then", "elif", "else", "fi", "do", "done", "esac", "}", ")"];

impl Reader<'_> {
    /// Reads the whole text.
    pub(in crate::syntax) fn list_to_end(&mut self) -> Result<List> {
        let list = self.list_until(&[])?;
        if !self.is_at_end() {
            return self.unclear("this ends nothing that was begun");
        }
        if !self.pending.is_empty() {
            return Err(SyntaxError::Open("a here-document"));
        }
        Ok(list)
    }

    /// Reads commands up to one of the `closing` words, which stays unread, or to the end of the text.
    pub(in crate::syntax) fn list_until(&mut self, closing: &[&str]) -> Result<List> {
        self.deeper(|reader| {
            let mut list = List::default();
            loop {
                reader.skip_lines()?;
                if reader.is_at_end() || reader.is_closing(closing)? {
                    return Ok(list);
                }
                list.items.push(reader.item()?);
            }
        })
    }

    /// Reads a list of at least one command.
    pub(super) fn some_list_until(&mut self, closing: &[&str]) -> Result<List> {
        let list = self.list_until(closing)?;
        if list.items.is_empty() { self.unclear("a command is missing") } else { Ok(list) }
    }

    fn is_closing(&mut self, expected: &[&str]) -> Result<bool> {
        if self.peek() == b')' {
            return if expected.contains(&")") { Ok(true) } else { self.unclear("`)` closes nothing") };
        }
        if self.peek() == b';' && self.peek_second() == b';'
            || self.peek() == b';' && self.peek_second() == b'&'
        {
            return if expected.contains(&";;") { Ok(true) } else { self.unclear("`;;` outside of `case`") };
        }
        for word in CLOSING {
            if self.is_next(word) {
                return if expected.contains(&word) {
                    Ok(true)
                } else {
                    self.unclear("this word closes nothing that was opened")
                };
            }
        }
        Ok(false)
    }

    fn item(&mut self) -> Result<AndOrList> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let connector = if self.eat("&&") {
                Connector::And
            } else if self.eat("||") {
                Connector::Or
            } else {
                break;
            };
            self.skip_lines()?;
            rest.push((connector, self.pipeline()?));
        }
        let is_background = self.separator()?;
        Ok(AndOrList { first, rest, is_background })
    }

    /// Reads `;`, `&` or a line break after a command, and returns whether it was `&`.
    fn separator(&mut self) -> Result<bool> {
        self.skip_blanks();
        match self.peek() {
            b'\n' => {
                self.line_break()?;
                Ok(false)
            }
            b';' if !matches!(self.peek_second(), b';' | b'&') => {
                self.bump();
                Ok(false)
            }
            b'&' => {
                self.bump();
                if self.peek() == b'|' || (self.syntax == Syntax::Zsh && self.peek() == b'!') {
                    return self.unclear("`&` is followed by what only zsh reads");
                }
                Ok(true)
            }
            b';' | b')' => Ok(false),
            _ if self.is_at_end() => Ok(false),
            _ => self.unclear("a command goes on where it should end"),
        }
    }

    fn pipeline(&mut self) -> Result<Pipeline> {
        loop {
            self.skip_blanks();
            if self.eat_word("!") {
                continue;
            }
            // In posix shells, `time` is a program with the same options.
            if self.syntax == Syntax::Posix || !self.eat_word("time") {
                break;
            }
            self.skip_time_options();
            if self.is_at_end() || matches!(self.peek(), b';' | b'\n' | b')' | b'&' | b'|') {
                return Ok(Pipeline { stages: vec![Command::Simple(Box::default())] });
            }
        }
        let mut stages = vec![self.command()?];
        loop {
            self.skip_blanks();
            if self.peek() != b'|' || self.peek_second() == b'|' {
                return Ok(Pipeline { stages });
            }
            self.bump();
            if self.peek() == b'&' {
                self.not_posix("only bash reads `|&`")?;
                self.bump();
            }
            self.skip_lines()?;
            stages.push(self.command()?);
        }
    }

    fn skip_time_options(&mut self) {
        self.skip_blanks();
        if self.eat_word("-p") {
            self.skip_blanks();
        }
        if self.eat_word("--") {
            self.skip_blanks();
        }
    }
}
