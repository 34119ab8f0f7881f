//! Compound commands: finds out which one begins, and reads groups, subshells and coprocesses.

use crate::syntax::reader::{Reader, Result, Syntax, SyntaxError};
use crate::syntax::tree::{Command, Compound, CompoundKind};

/// Words that begin or end a compound command only in zsh.
const ZSH_RESERVED: [&str; 3] = ["foreach", "repeat", "end"];

impl Reader<'_> {
    pub(super) fn command(&mut self) -> Result<Command> {
        self.skip_blanks();
        if let Some(kind) = self.compound()? {
            let redirections = self.redirections()?;
            return Ok(Command::Compound(Box::new(Compound { kind, redirections })));
        }
        if self.is_next("function") {
            return self.function_keyword();
        }
        self.simple()
    }

    /// Reads a compound command without its redirections; `None` if the next command is a simple one.
    pub(super) fn compound(&mut self) -> Result<Option<CompoundKind>> {
        match self.peek() {
            b'(' => self.parentheses().map(Some),
            b'a'..=b'z' | b'{' | b'[' => self.reserved(),
            _ => Ok(None),
        }
    }

    /// Reads `((…))` or `(…)`.
    fn parentheses(&mut self) -> Result<CompoundKind> {
        if self.raw(1) == b'(' {
            self.not_posix("only bash reads `((` as arithmetic")?;
            self.offset += 2;
            return Ok(CompoundKind::Arithmetic(self.arithmetic()?));
        }
        if self.peek_second() == b'(' {
            return self.unclear("a line continuation between `(` and `(`");
        }
        self.bump();
        let list = self.some_list_until(&[")"])?;
        if !self.eat(")") {
            return Err(SyntaxError::Open("a subshell"));
        }
        Ok(CompoundKind::Subshell(list))
    }

    /// Reads a compound command that begins with a reserved word; `None` if no such word is next.
    fn reserved(&mut self) -> Result<Option<CompoundKind>> {
        let kind = if self.eat_word("{") {
            let list = self.some_list_until(&["}"])?;
            self.expect("}")?;
            CompoundKind::Group(list)
        } else if self.is_next("[[") {
            self.not_posix("only bash reads `[[` as a test")?;
            self.eat("[[");
            self.test()?
        } else if self.eat_word("if") {
            self.if_arms()?
        } else if self.eat_word("while") || self.eat_word("until") {
            let condition = self.some_list_until(&["do"])?;
            CompoundKind::Loop(condition, self.do_group()?)
        } else if self.is_next("for") || self.is_next("select") {
            self.for_loop()?
        } else if self.eat_word("case") {
            self.case()?
        } else if self.is_next("coproc") {
            self.not_posix("only bash has coprocesses")?;
            self.eat("coproc");
            self.coprocess()?
        } else if ZSH_RESERVED.iter().any(|word| self.syntax == Syntax::Zsh && self.is_next(word)) {
            return self.unclear("only zsh reads this word as the begin of a command");
        } else {
            return Ok(None);
        };
        Ok(Some(kind))
    }

    fn coprocess(&mut self) -> Result<CompoundKind> {
        self.skip_blanks();
        // `coproc NAME` is followed by a compound command. Before a simple command, the word is the command.
        let start = self.offset;
        let name = self.name();
        self.skip_blanks();
        let has_name = !name.is_empty() && (self.is_next("{") || self.peek() == b'(');
        if !has_name {
            self.offset = start;
        }
        Ok(CompoundKind::Coprocess(Box::new(self.deeper(Self::command)?)))
    }
}
