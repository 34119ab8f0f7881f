//! Expansions: `$` and backticks.

use super::Context;
use crate::syntax::reader::{Reader, Result, Syntax, SyntaxError, read_nested};
use crate::syntax::tree::{List, Operator, Parameter, Word, WordPart, WordPiece};

impl Reader<'_> {
    /// Reads an expansion from its `$` on, and appends it to the word.
    pub(in crate::syntax) fn dollar(&mut self, word: &mut Word, is_quoted: bool) -> Result<()> {
        let second = self.peek_second();
        match second {
            b'(' => {
                let part = self.parenthesis()?;
                word.push(part, is_quoted);
            }
            b'{' => {
                let parameter = self.deeper(|reader| reader.braces(is_quoted))?;
                word.push(WordPart::Parameter(Box::new(parameter)), is_quoted);
            }
            b'\'' if !is_quoted => {
                self.bump();
                self.peek();
                self.ansi_quotes(word)?;
            }
            b'"' if !is_quoted => {
                self.not_posix("only bash translates `$\"…\"`")?;
                self.bump();
                self.peek();
                self.double_quotes(word)?;
            }
            b'[' => return self.unclear("`$[…]` is arithmetic in old shells"),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                self.bump();
                let name = self.name();
                word.push(plain(name), is_quoted);
            }
            b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' => {
                self.bump();
                self.bump();
                word.push(plain((second as char).to_string()), is_quoted);
            }
            b'~' | b'=' | b'^' | b'+' | b':' if self.syntax == Syntax::Zsh => {
                return self.unclear("zsh reads a flag of an expansion");
            }
            _ => {
                self.bump();
                word.push_text("$", is_quoted);
            }
        }
        Ok(())
    }

    /// Reads a name; empty if no name begins here. A name may contain line continuations.
    pub(in crate::syntax) fn name(&mut self) -> String {
        let mut name = String::new();
        loop {
            let byte = self.peek();
            if !(byte.is_ascii_alphabetic() || byte == b'_' || (byte.is_ascii_digit() && !name.is_empty())) {
                return name;
            }
            name.push(byte as char);
            self.offset += 1;
        }
    }

    /// Reads `$(…)` or `$((…))`.
    fn parenthesis(&mut self) -> Result<WordPart> {
        self.bump();
        self.bump();
        if self.peek() == b'(' {
            self.bump();
            return Ok(WordPart::Arithmetic(self.deeper(Self::arithmetic)?));
        }
        Ok(WordPart::Substitution(self.list_in_parentheses()?))
    }

    /// Reads `<(…)` or `>(…)`.
    pub(in crate::syntax) fn process(&mut self) -> Result<List> {
        self.not_posix("only bash substitutes processes")?;
        self.bump();
        self.bump();
        self.list_in_parentheses()
    }

    /// Reads commands up to `)`. Their here-documents must end before the `)`.
    fn list_in_parentheses(&mut self) -> Result<List> {
        let outer = std::mem::take(&mut self.pending);
        let start = self.offset;
        let list = self.list_until(&[")"])?;
        if self.peek() != b')' {
            return Err(SyntaxError::Open("a parenthesis"));
        }
        if !self.pending.is_empty() {
            return self.unclear("a here-document begins in a substitution that ends on the same line");
        }
        if !outer.is_empty() && self.text.as_bytes()[start..self.offset].contains(&b'\n') {
            return self.unclear("a substitution goes over the line behind which a here-document begins");
        }
        self.pending = outer;
        self.bump();
        Ok(list)
    }

    /// Reads `$((…))` and `((…))` after the opening parentheses.
    ///
    /// The text must be arithmetic beyond doubt: another shell, or another version, may take other text for
    /// commands in a subshell.
    pub(in crate::syntax) fn arithmetic(&mut self) -> Result<Word> {
        self.in_arithmetic(Self::expression)
    }

    /// Reads a part of arithmetic with `read`.
    pub(in crate::syntax) fn in_arithmetic(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Word>,
    ) -> Result<Word> {
        self.arithmetic += 1;
        let word = read(self);
        self.arithmetic -= 1;
        word
    }

    fn expression(&mut self) -> Result<Word> {
        let mut word = Word::default();
        let start = self.offset;
        let mut open = 0_usize;
        let mut last = LastToken::Operator;
        loop {
            match self.peek() {
                b')' if open == 0 => {
                    self.bump();
                    // The two parentheses must be adjacent: shells differ about a line continuation between
                    // them.
                    if self.raw(0) != b')' {
                        return self.unclear("this is arithmetic for one reader and a subshell for another");
                    }
                    word.span = start..self.offset - 1;
                    self.bump();
                    return Ok(word);
                }
                byte @ (b'(' | b')') => {
                    open = if byte == b'(' { open + 1 } else { open - 1 };
                    self.bump();
                    word.push_text(if byte == b'(' { "(" } else { ")" }, true);
                }
                b'"' => self.double_quotes(&mut word)?,
                b'$' => self.dollar(&mut word, true)?,
                b'`' => {
                    let list = self.backticks(false)?;
                    word.push(WordPart::Substitution(list), true);
                }
                byte if is_arithmetic(byte) => {
                    last = match byte {
                        b' ' | b'\t' | b'\n' if last == LastToken::Operand => LastToken::Blank,
                        b' ' | b'\t' | b'\n' => last,
                        byte if is_word(byte) && last == LastToken::Blank => {
                            return self.unclear("this does not look like arithmetic");
                        }
                        byte if is_word(byte) => LastToken::Operand,
                        _ => LastToken::Operator,
                    };
                    self.bump();
                    word.push_text((byte as char).encode_utf8(&mut [0; 4]), true);
                }
                _ => return self.unclear("this does not look like arithmetic"),
            }
        }
    }

    /// Reads `` `…` ``: unescapes the text, and reads the result.
    pub(in crate::syntax) fn backticks(&mut self, is_quoted: bool) -> Result<List> {
        self.bump();
        let mut text = String::new();
        loop {
            match self.take_char() {
                None => return Err(SyntaxError::Open("a backtick")),
                Some('`') => break,
                Some('\\') => match self.take_char() {
                    None => return Err(SyntaxError::Open("a backtick")),
                    // The shell first looks for the closing backtick, and joins lines on the way, even within
                    // single quotes.
                    Some('\n') => {}
                    Some(char @ ('`' | '\\' | '$')) => text.push(char),
                    Some('"') if is_quoted => text.push('"'),
                    Some(char) => text.extend(['\\', char]),
                },
                Some(char) => text.push(char),
            }
        }
        if !self.pending.is_empty() && text.contains('\n') {
            return self.unclear("a substitution goes over the line behind which a here-document begins");
        }
        self.deeper(|reader| read_nested(&text, reader.syntax, reader.depth))
    }

    /// Reads `${…}`.
    fn braces(&mut self, is_quoted: bool) -> Result<Parameter> {
        self.bump();
        self.bump();
        let mut parameter = Parameter {
            name: String::new(),
            is_braced: true,
            subscript: None,
            operator: self.prefix()?,
            symbol: 0,
            operand: None,
        };
        parameter.name = self.parameter_name()?;
        if self.peek() == b'[' {
            self.not_posix("only bash has arrays")?;
            self.bump();
            parameter.subscript = Some(self.subscript()?);
        }
        match parameter.operator {
            Operator::Length if self.peek() != b'}' => return self.unclear("a length has an operator"),
            Operator::Code => self.names(&mut parameter),
            _ => {}
        }
        if self.peek() != b'}' {
            let (operator, symbol) = self.operator()?;
            parameter.symbol = symbol;
            if parameter.operator == Operator::None || operator == Operator::Code {
                parameter.operator = operator;
            }
            let is_pattern = parameter.operator == Operator::Edit;
            let start = self.offset;
            parameter.operand = Some(self.operand(is_quoted, is_pattern)?);
            // The range of a substring is arithmetic, where single quotes protect nothing.
            if symbol == b':'
                && memchr::memchr2(b'\'', b'\\', &self.text.as_bytes()[start..self.offset]).is_some()
            {
                return self.unclear("the range of a substring holds a quote");
            }
        }
        if self.peek() != b'}' {
            return Err(SyntaxError::Open("an expansion"));
        }
        self.bump();
        Ok(parameter)
    }

    /// Reads `#` or `!` before a name. `${#}` and `${#-x}` refer to the number of parameters; `${#name}` is a
    /// length.
    fn prefix(&mut self) -> Result<Operator> {
        let (first, second) = (self.peek(), self.peek_second());
        let is_special = matches!(second, b'@' | b'*' | b'?' | b'$' | b'!');
        if first == b'#' && (is_word(second) || is_special) {
            self.bump();
            return Ok(Operator::Length);
        }
        if first == b'!' && (is_word(second) || matches!(second, b'@' | b'*' | b'#')) {
            self.not_posix("only bash reads `${!…}`")?;
            self.bump();
            return Ok(Operator::Code);
        }
        Ok(Operator::None)
    }

    /// Reads the end of `${!prefix*}` and `${!array[@]}`, which give names instead of the value of another
    /// variable.
    fn names(&mut self, parameter: &mut Parameter) {
        let is_keys = parameter.subscript.as_ref().is_some_and(|word| word.is_bare("@") || word.is_bare("*"));
        let is_names = matches!(self.peek(), b'*' | b'@') && self.peek_second() == b'}';
        if is_names {
            self.bump();
        }
        if (is_keys || is_names) && self.peek() == b'}' {
            parameter.operator = Operator::Names;
        }
    }

    fn parameter_name(&mut self) -> Result<String> {
        let name = self.name();
        if !name.is_empty() {
            return Ok(name);
        }
        let byte = self.peek();
        if byte.is_ascii_digit() {
            let mut digits = String::new();
            while self.peek().is_ascii_digit() {
                digits.push(self.peek() as char);
                self.bump();
            }
            return Ok(digits);
        }
        if !matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') {
            return self.unclear("`${` is not followed by a name");
        }
        self.bump();
        Ok((byte as char).to_string())
    }

    /// Reads a subscript after its opening bracket.
    pub(in crate::syntax) fn subscript(&mut self) -> Result<Word> {
        let start = self.offset;
        let subscript = self.deeper(|reader| reader.word(Context::Subscript))?;
        // Bash expands a subscript twice, and reads some quotes in it differently the second time. The
        // subscript of an array without keys is arithmetic, where single quotes protect nothing.
        let text = &self.text.as_bytes()[start..self.offset];
        let is_expanded_in_quotes = text.contains(&b'\'') && memchr::memchr2(b'$', b'`', text).is_some();
        if text.contains(&b'\n') || text.contains(&b'\\') || is_expanded_in_quotes {
            return self.unclear("a subscript holds a quote or a line break");
        }
        if self.peek() != b']' {
            return Err(SyntaxError::Open("a subscript"));
        }
        self.bump();
        Ok(subscript)
    }

    /// Reads the operator. Returns it with the character that distinguishes operators of one kind.
    fn operator(&mut self) -> Result<(Operator, u8)> {
        let first = self.peek();
        let second = if first == b':' { self.peek_second() } else { first };
        let operator = match second {
            b'-' => Operator::Default,
            b'=' => Operator::Assign,
            b'+' => Operator::Alternative,
            b'?' => Operator::Error,
            b'#' | b'%' if first != b':' => Operator::Edit,
            b'/' | b'^' | b',' if first != b':' => {
                self.not_posix("only bash edits values so")?;
                Operator::Edit
            }
            b'@' if first != b':' => {
                self.not_posix("only bash transforms values")?;
                let is_harmless = matches!(
                    self.peek_second(),
                    b'Q' | b'U' | b'u' | b'L' | b'a' | b'A' | b'E' | b'k' | b'K'
                );
                if is_harmless { Operator::Edit } else { Operator::Code }
            }
            _ if first == b':' => {
                self.not_posix("only bash takes substrings")?;
                self.bump();
                return Ok((Operator::Edit, b':'));
            }
            _ => return self.unclear("an expansion has an unknown operator"),
        };
        self.bump();
        if first == b':' {
            self.bump();
        }
        Ok((operator, second))
    }

    /// Reads an operand. Quotes around the expansion don't quote a pattern in the operand.
    fn operand(&mut self, is_quoted: bool, is_pattern: bool) -> Result<Word> {
        let start = self.offset;
        let mut operand = self.word(Context::Operand)?;
        if self.syntax == Syntax::Zsh
            && !is_quoted
            && operand.pieces.iter().any(WordPiece::has_bare_parenthesis)
        {
            return self.unclear("zsh reads code in parentheses behind a glob");
        }
        if is_quoted {
            // A single quote there quotes or not, depending on the operator and the version.
            if self.text.as_bytes()[start..self.offset].contains(&b'\'') {
                return self.unclear("an expansion in double quotes holds a single quote");
            }
            for piece in &mut operand.pieces {
                piece.is_quoted |= !is_pattern;
            }
        }
        Ok(operand)
    }
}

/// The last token in arithmetic.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastToken {
    Operator,
    Operand,
    /// Blanks after an operand: a second operand there would be a word of a command.
    Blank,
}

fn plain(name: String) -> WordPart {
    WordPart::Parameter(Box::new(Parameter {
        name,
        is_braced: false,
        subscript: None,
        operator: Operator::None,
        symbol: 0,
        operand: None,
    }))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_arithmetic(byte: u8) -> bool {
    is_word(byte) || b" \t\n+-*/%<>=!&|^~?:,[]#.@".contains(&byte)
}
