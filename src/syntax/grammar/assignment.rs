//! Assignments and arrays.

use crate::syntax::reader::{Reader, Result, Syntax, SyntaxError};
use crate::syntax::tree::{Assignment, Word, WordPart};
use crate::syntax::variable::is_name;
use crate::syntax::word::Context;

impl Reader<'_> {
    pub(super) fn assignment(&mut self) -> Result<Option<Assignment>> {
        let start = self.offset;
        let name = self.name();
        if name.is_empty() || !matches!(self.peek(), b'=' | b'+' | b'[') {
            self.offset = start;
            return Ok(None);
        }
        let subscript = if self.peek() == b'[' {
            self.bump();
            Some(self.subscript()?)
        } else {
            None
        };
        let is_append = self.peek() == b'+' && self.peek_second() == b'=';
        if is_append {
            self.bump();
        }
        if self.peek() != b'=' {
            self.offset = start;
            return Ok(None);
        }
        self.bump();
        if subscript.is_some() {
            self.not_posix("only bash has arrays")?;
        }
        if self.peek() == b'(' {
            self.not_posix("only bash has arrays")?;
            let values = self.array()?;
            // In bash, `a=(b)#` is one word, without a comment.
            if !self.is_word_end() {
                return self.unclear("an array goes on behind its parenthesis");
            }
            return Ok(Some(Assignment { name, subscript, is_append, values, is_array: true }));
        }
        let value = self.word(Context::Command)?;
        if self.peek() == b'(' {
            return self.unclear("a parenthesis stands in a value");
        }
        if self.syntax == Syntax::Zsh {
            self.check_zsh(&value)?;
        }
        let values = vec![value];
        Ok(Some(Assignment { name, subscript, is_append, values, is_array: false }))
    }

    /// Reads the values of an array, from `(` on.
    fn array(&mut self) -> Result<Vec<Word>> {
        self.bump();
        let mut values = Vec::new();
        loop {
            self.skip_lines()?;
            if self.eat(")") {
                return Ok(values);
            }
            if self.is_at_end() {
                return Err(SyntaxError::Open("an array"));
            }
            let mut subscript = None;
            if self.peek() == b'[' {
                let start = self.offset;
                self.bump();
                let word = self.subscript()?;
                if self.peek() == b'=' || (self.peek() == b'+' && self.peek_second() == b'=') {
                    subscript = Some(word);
                    self.eat("+");
                    self.bump();
                } else {
                    self.offset = start;
                }
            }
            let mut word = self.word(Context::Command)?;
            if word.span.is_empty() && subscript.is_none() || self.peek() == b'(' {
                return self.unclear("an array holds what is no word");
            }
            if let Some(subscript) = subscript {
                // The expansions of a subscript run, as those of the value do.
                word.pieces.extend(
                    subscript.pieces.into_iter().filter(|piece| !matches!(piece.part, WordPart::Text(_))),
                );
            }
            values.push(word);
        }
    }

    /// Reads an array among the arguments of a command, as in `declare x=(…)`.
    pub(super) fn array_argument(&mut self, start: usize, word: &mut Word) -> Result<()> {
        let is_assignment = word.literal().is_some_and(|text| {
            let name = text.strip_suffix('=').map(|name| name.strip_suffix('+').unwrap_or(name));
            name.is_some_and(is_name)
        });
        if !is_assignment {
            return self.unclear("a parenthesis stands where a command goes on");
        }
        let values = self.array()?;
        word.push_text("(", true);
        for value in values {
            word.pieces.extend(value.pieces);
            word.push_text(" ", true);
        }
        word.push_text(")", true);
        if !self.is_word_end() {
            return self.unclear("an array goes on behind its parenthesis");
        }
        word.span = start..self.offset;
        Ok(())
    }
}
