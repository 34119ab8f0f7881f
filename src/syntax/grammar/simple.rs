//! Simple commands: assignments, words and redirections.

use crate::syntax::reader::{Reader, Result, Syntax};
use crate::syntax::tree::{Command, Simple, Word, WordPart};
use crate::syntax::word::Context;

/// Reserved words where a command may begin.
const RESERVED: [&str; 21] = [
    "!", "{", "}", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function",
    "if", "in", "select", "then", "time", "until", "while",
];

impl Reader<'_> {
    pub(super) fn simple(&mut self) -> Result<Command> {
        let mut simple = Simple::default();
        loop {
            self.skip_blanks();
            if self.redirection(&mut simple.redirections)? {
                continue;
            }
            if simple.words.is_empty()
                && let Some(assignment) = self.assignment()?
            {
                simple.assignments.push(assignment);
                continue;
            }
            let start = self.offset;
            let mut word = self.word(Context::Command)?;
            if word.span.is_empty() {
                break;
            }
            let is_first =
                simple.words.is_empty() && simple.assignments.is_empty() && simple.redirections.is_empty();
            if is_first && self.is_parenthesis_next() {
                return self.function(&word);
            }
            // Before bash 5.2 runs a substitution, it prints the commands anew, with redirections after the
            // words. This word then comes first, where it is reserved.
            if simple.words.is_empty()
                && !simple.redirections.is_empty()
                && RESERVED.iter().any(|reserved| word.is_bare(reserved))
            {
                return self.unclear("a reserved word behind a redirection");
            }
            if self.peek() == b'(' {
                self.array_argument(start, &mut word)?;
            }
            if self.syntax == Syntax::Zsh {
                self.check_zsh(&word)?;
            }
            simple.words.push(word);
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && simple.redirections.is_empty() {
            return self.unclear("a command is missing");
        }
        Ok(Command::Simple(Box::new(simple)))
    }

    /// Rejects words that only zsh expands to the path of a program, or runs code to expand.
    pub(super) fn check_zsh(&self, word: &Word) -> Result<()> {
        if let Some(piece) = word.pieces.first()
            && !piece.is_quoted
            && let WordPart::Text(text) = &piece.part
            && (text.starts_with('=') || text.starts_with("~["))
        {
            return self.unclear("zsh expands this to the path of a program");
        }
        Ok(())
    }
}
