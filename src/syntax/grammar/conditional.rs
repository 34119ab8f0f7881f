//! Conditional constructs: `if`, `case` and `[[ … ]]`.

use crate::syntax::reader::{Reader, Result, SyntaxError};
use crate::syntax::tree::{CompoundKind, Word};
use crate::syntax::word::Context;

impl Reader<'_> {
    pub(super) fn if_arms(&mut self) -> Result<CompoundKind> {
        let mut arms = Vec::new();
        loop {
            let condition = self.some_list_until(&["then"])?;
            self.expect("then")?;
            let body = self.some_list_until(&["elif", "else", "fi"])?;
            arms.push((condition, body));
            if self.eat_word("elif") {
                continue;
            }
            let otherwise = if self.eat_word("else") { Some(self.some_list_until(&["fi"])?) } else { None };
            self.expect("fi")?;
            return Ok(CompoundKind::If(arms, otherwise));
        }
    }

    pub(super) fn case(&mut self) -> Result<CompoundKind> {
        self.skip_blanks();
        let subject = self.word(Context::Command)?;
        if subject.span.is_empty() {
            return self.unclear("`case` needs a word");
        }
        self.skip_lines()?;
        self.expect("in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_lines()?;
            if self.eat_word("esac") {
                return Ok(CompoundKind::Case(subject, arms));
            }
            let patterns = self.patterns()?;
            let body = self.list_until(&[";;", "esac"])?;
            arms.push((patterns, body));
            self.skip_lines()?;
            if self.is_next("esac") {
                continue;
            }
            if !(self.eat(";;&") || self.eat(";;") || self.eat(";&")) {
                return Err(SyntaxError::Open("`case`"));
            }
        }
    }

    fn patterns(&mut self) -> Result<Vec<Word>> {
        self.eat("(");
        let mut patterns = Vec::new();
        loop {
            self.skip_blanks();
            let pattern = self.word(Context::Command)?;
            if pattern.span.is_empty() {
                return self.unclear("a pattern is missing in `case`");
            }
            patterns.push(pattern);
            self.skip_blanks();
            if self.eat(")") {
                return Ok(patterns);
            }
            if !self.eat("|") {
                return self.unclear("a pattern of `case` must end with `)`");
            }
        }
    }

    /// Reads `[[ … ]]`, and keeps only its words: no operator there runs anything.
    pub(super) fn test(&mut self) -> Result<CompoundKind> {
        let mut words = Vec::new();
        loop {
            while matches!(self.peek(), b' ' | b'\t' | b'\n') {
                if self.peek() == b'\n' && !self.pending.is_empty() {
                    return self.unclear("a test goes over the line behind which a here-document begins");
                }
                self.bump();
            }
            if self.is_next("]]") {
                self.eat("]]");
                if words.is_empty() {
                    return self.unclear("a test is empty");
                }
                return Ok(CompoundKind::Test(words));
            }
            match self.peek() {
                b';' | b'#' => {
                    return self.unclear("a test holds what ends a command");
                }
                b'(' | b')' => self.bump(),
                b'<' | b'>' if self.peek_second() != b'(' => self.bump(),
                b'&' | b'|' if self.peek_second() == self.peek() => {
                    self.bump();
                    self.bump();
                }
                b'&' => return self.unclear("a test holds what ends a command"),
                0 => return Err(SyntaxError::Open("`[[`")),
                _ => {
                    let word = self.word(Context::Test)?;
                    if word.span.is_empty() {
                        return self.unclear("a test holds what ends a command");
                    }
                    words.push(word);
                }
            }
        }
    }
}
