//! Loops: `for`, `select`, and the bodies of all loops.

use crate::syntax::reader::{Reader, Result, Syntax};
use crate::syntax::tree::{CompoundKind, List, Word};
use crate::syntax::word::Context;

impl Reader<'_> {
    pub(super) fn for_loop(&mut self) -> Result<CompoundKind> {
        let is_select = self.eat_word("select");
        if is_select {
            self.not_posix("only bash has `select`")?;
        } else {
            self.eat("for");
        }
        self.skip_blanks();
        if self.peek() == b'(' && self.peek_second() == b'(' && !is_select {
            self.not_posix("only bash has `for ((`")?;
            self.bump();
            self.bump();
            let header = self.in_arithmetic(Self::for_header)?;
            self.skip_blanks();
            self.eat(";");
            self.skip_lines()?;
            return Ok(CompoundKind::ArithmeticFor(header, self.loop_body()?));
        }
        let name = self.name();
        if name.is_empty() || !self.is_word_end() {
            return self.unclear("a loop needs the name of a variable");
        }
        self.skip_lines()?;
        let words = if self.eat_word("in") {
            let mut words = Vec::new();
            loop {
                self.skip_blanks();
                let word = self.word(Context::Command)?;
                if word.span.is_empty() {
                    break;
                }
                words.push(word);
            }
            if !matches!(self.peek(), b';' | b'\n') {
                return self.unclear("the words of a loop must end with `;` or a line break");
            }
            if is_select {
                // In `select`, an answer that is none of the choices makes the variable empty.
                let mut none = Word::default();
                none.push_text("", true);
                words.push(none);
            }
            Some(words)
        } else if is_select {
            return self.unclear("a menu has no words");
        } else {
            None
        };
        if self.peek() == b';' && self.peek_second() != b';' {
            self.bump();
        }
        self.skip_lines()?;
        Ok(CompoundKind::For(name, words, self.loop_body()?))
    }

    /// Reads the three parts of `for ((…))`, divided by semicolons.
    fn for_header(&mut self) -> Result<Word> {
        let mut header = Word::default();
        for _ in 0..2 {
            loop {
                match self.peek() {
                    b';' => break,
                    b'$' => self.dollar(&mut header, true)?,
                    b'a'..=b'z'
                    | b'A'..=b'Z'
                    | b'0'..=b'9'
                    | b'_'
                    | b' '
                    | b'\t'
                    | b'+'
                    | b'-'
                    | b'*'
                    | b'/'
                    | b'%'
                    | b'<'
                    | b'>'
                    | b'='
                    | b'!'
                    | b'&'
                    | b'|'
                    | b','
                    | b'['
                    | b']'
                    | b'#'
                    | b'.'
                    | b'@' => {
                        let byte = self.peek();
                        self.bump();
                        header.push_text((byte as char).encode_utf8(&mut [0; 4]), true);
                    }
                    _ => return self.unclear("this does not look like arithmetic"),
                }
            }
            self.bump();
            header.push_text(";", true);
        }
        let last = self.arithmetic()?;
        header.pieces.extend(last.pieces);
        Ok(header)
    }

    /// Reads the body of `for` and `select`, which may stand in braces in bash.
    fn loop_body(&mut self) -> Result<List> {
        if self.syntax != Syntax::Bash || !self.eat_word("{") {
            return self.do_group();
        }
        let list = self.some_list_until(&["}"])?;
        self.expect("}")?;
        Ok(list)
    }

    pub(super) fn do_group(&mut self) -> Result<List> {
        self.expect("do")?;
        let list = self.some_list_until(&["done"])?;
        self.expect("done")?;
        Ok(list)
    }
}
