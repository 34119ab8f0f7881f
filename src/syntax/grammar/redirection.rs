//! Redirections.

use crate::syntax::reader::{Reader, Result, Syntax};
use crate::syntax::tree::{RedirectMode, Redirection};
use crate::syntax::word::Context;

impl Reader<'_> {
    pub(super) fn redirections(&mut self) -> Result<Vec<Redirection>> {
        let mut redirections = Vec::new();
        loop {
            self.skip_blanks();
            if !self.redirection(&mut redirections)? {
                return Ok(redirections);
            }
        }
    }

    /// Reads a redirection into `redirections`, and returns whether there was one.
    pub(super) fn redirection(&mut self, redirections: &mut Vec<Redirection>) -> Result<bool> {
        let start = self.offset;
        let (mut number, mut variable) = (None, None);
        if self.peek() == b'{' {
            self.bump();
            let name = self.name();
            let is_variable = !name.is_empty() && self.eat("}") && matches!(self.peek(), b'<' | b'>');
            if !is_variable {
                self.offset = start;
                return Ok(false);
            }
            self.not_posix("only bash puts a descriptor into a variable")?;
            variable = Some(name);
        } else {
            while self.peek().is_ascii_digit() {
                self.bump();
            }
            number = self.text[start..self.offset].parse().ok();
        }
        let is_process = matches!(self.peek(), b'<' | b'>') && self.peek_second() == b'(';
        let is_both = self.peek() == b'&' && self.peek_second() == b'>' && self.offset == start;
        if is_process || !(is_both || matches!(self.peek(), b'<' | b'>')) {
            self.offset = start;
            return Ok(false);
        }
        if is_both {
            self.not_posix("only bash reads `&>`")?;
        }
        let mode = self.redirection_mode()?;
        self.skip_blanks();
        let target = self.word(Context::Command)?;
        if target.span.is_empty() || self.peek() == b'(' {
            return self.unclear("a redirection needs a word");
        }
        if self.syntax == Syntax::Zsh {
            self.check_zsh(&target)?;
        }
        let redirection = match mode {
            (RedirectMode::HereDocument, strips_tabs) => self.announce_body(target, strips_tabs)?,
            (mode, _) => Redirection { number: None, variable: None, mode, target, body: None },
        };
        redirections.push(Redirection { number, variable, ..redirection });
        Ok(true)
    }

    /// Reads the operator, and returns its mode and whether it is `<<-`.
    fn redirection_mode(&mut self) -> Result<(RedirectMode, bool)> {
        let mode = if self.eat("<<<") {
            self.not_posix("only bash reads `<<<`")?;
            RedirectMode::HereString
        } else if self.eat("<<-") {
            return Ok((RedirectMode::HereDocument, true));
        } else if self.eat("<<") {
            RedirectMode::HereDocument
        } else if self.eat("<&") {
            RedirectMode::DuplicateInput
        } else if self.eat("<>") {
            RedirectMode::ReadWrite
        } else if self.eat("<") {
            RedirectMode::Read
        } else if self.eat("&>>") || self.eat(">>") {
            RedirectMode::Append
        } else if self.eat(">&") {
            RedirectMode::DuplicateOutput
        } else if self.eat("&>") || self.eat(">|") || self.eat(">") {
            RedirectMode::Write
        } else {
            return self.unclear("an unknown redirection");
        };
        if matches!(self.peek(), b'!' | b'|') && self.syntax == Syntax::Zsh {
            return self.unclear("only zsh reads this redirection");
        }
        Ok((mode, false))
    }
}
