//! Definitions of functions.

use crate::syntax::reader::{Reader, Result};
use crate::syntax::tree::{Command, Compound, Word};
use crate::syntax::word::Context;

impl Reader<'_> {
    pub(super) fn function_keyword(&mut self) -> Result<Command> {
        self.not_posix("only bash has `function`")?;
        self.eat("function");
        self.skip_blanks();
        let name = self.word(Context::Command)?;
        self.skip_blanks();
        if self.eat("(") {
            self.skip_blanks();
            if !self.eat(")") {
                return self.unclear("a function's parentheses must be empty");
            }
        }
        self.function_body(&name)
    }

    pub(super) fn is_parenthesis_next(&mut self) -> bool {
        let start = self.offset;
        self.skip_blanks();
        let is_next = self.peek() == b'(';
        if !is_next {
            self.offset = start;
        }
        is_next
    }

    /// Reads a definition without `function`, from the parentheses after `name` on.
    pub(super) fn function(&mut self, name: &Word) -> Result<Command> {
        self.bump();
        self.skip_blanks();
        if !self.eat(")") {
            return self.unclear("a parenthesis stands where a command goes on");
        }
        if name.pieces.iter().any(|piece| piece.is_quoted) {
            return self.unclear("the name of a function is quoted");
        }
        self.function_body(name)
    }

    fn function_body(&mut self, name: &Word) -> Result<Command> {
        let Some(name) = name.literal().filter(|name| !name.is_empty()) else {
            return self.unclear("the name of a function has an expansion");
        };
        self.skip_lines()?;
        let Some(kind) = self.deeper(Self::compound)? else {
            return self.unclear("a function needs a body");
        };
        let redirections = self.redirections()?;
        Ok(Command::Function { name, body: Box::new(Compound { kind, redirections }) })
    }
}
