//! What `$` and backticks begin.

use super::reader::{Reader, Result, SyntaxError, read_nested};
use super::tree::{List, Operator, Parameter, Part, Word};
use super::word::Place;

impl Reader<'_> {
    /// Reads what a `$` begins, and puts it behind the word.
    pub(super) fn dollar(&mut self, word: &mut Word, is_quoted: bool) -> Result<()> {
        let second = self.peek_second();
        match second {
            b'(' => {
                let part = self.parenthesis()?;
                word.push(part, is_quoted);
            }
            b'{' => {
                let parameter = self.deeper(|reader| reader.braces(is_quoted))?;
                word.push(Part::Parameter(Box::new(parameter)), is_quoted);
            }
            b'\'' if !is_quoted => {
                self.bump();
                self.peek();
                self.ansi_quotes(word)?;
            }
            b'"' if !is_quoted => {
                self.bash_only("only bash translates `$\"…\"`")?;
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
            _ => {
                self.bump();
                word.push_text("$", is_quoted);
            }
        }
        Ok(())
    }

    /// A name; empty where none begins. Line continuations may stand inside of it.
    pub(super) fn name(&mut self) -> String {
        let mut name = String::new();
        loop {
            let byte = self.peek();
            if !(byte.is_ascii_alphabetic() || byte == b'_' || (byte.is_ascii_digit() && !name.is_empty())) {
                return name;
            }
            name.push(byte as char);
            self.place += 1;
        }
    }

    /// `$(…)` or `$((…))`.
    fn parenthesis(&mut self) -> Result<Part> {
        self.bump();
        self.bump();
        if self.peek() == b'(' {
            self.bump();
            return Ok(Part::Arithmetic(self.deeper(Self::arithmetic)?));
        }
        Ok(Part::Substitution(self.list_in_parentheses()?))
    }

    /// `<(…)` or `>(…)`.
    pub(super) fn process(&mut self) -> Result<List> {
        self.bash_only("only bash substitutes processes")?;
        self.bump();
        self.bump();
        self.list_in_parentheses()
    }

    /// Commands up to `)`. Their here-documents must end before it.
    fn list_in_parentheses(&mut self) -> Result<List> {
        let outer = std::mem::take(&mut self.pending);
        let start = self.place;
        let list = self.list_until(&[")"])?;
        if self.peek() != b')' {
            return Err(SyntaxError::Open("a parenthesis"));
        }
        if !self.pending.is_empty() {
            return self.unclear("a here-document begins in a substitution that ends on the same line");
        }
        if !outer.is_empty() && self.text.as_bytes()[start..self.place].contains(&b'\n') {
            return self.unclear("a substitution goes over the line behind which a here-document begins");
        }
        self.pending = outer;
        self.bump();
        Ok(list)
    }

    /// The text of `$((…))` and `((…))`, behind the opening parentheses. It must be arithmetic beyond doubt: both shells
    /// and their versions take other text for commands in a subshell.
    pub(super) fn arithmetic(&mut self) -> Result<Word> {
        self.in_arithmetic(Self::expression)
    }

    /// Reads what is part of arithmetic.
    pub(super) fn in_arithmetic(&mut self, read: impl FnOnce(&mut Self) -> Result<Word>) -> Result<Word> {
        self.arithmetic += 1;
        let word = read(self);
        self.arithmetic -= 1;
        word
    }

    fn expression(&mut self) -> Result<Word> {
        let mut word = Word::default();
        let start = self.place;
        let mut open = 0_usize;
        let mut last = Last::Operator;
        loop {
            match self.peek() {
                b')' if open == 0 => {
                    self.bump();
                    // Adjacent: a continued line between the two is not worth the doubt.
                    if self.raw(0) != b')' {
                        return self.unclear("this is arithmetic for one reader and a subshell for another");
                    }
                    word.span = start..self.place - 1;
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
                    word.push(Part::Substitution(list), true);
                }
                byte if is_arithmetic(byte) => {
                    last = match byte {
                        b' ' | b'\t' | b'\n' if last == Last::Operand => Last::Blank,
                        b' ' | b'\t' | b'\n' => last,
                        byte if is_word(byte) && last == Last::Blank => {
                            return self.unclear("this does not look like arithmetic");
                        }
                        byte if is_word(byte) => Last::Operand,
                        _ => Last::Operator,
                    };
                    self.bump();
                    word.push_text((byte as char).encode_utf8(&mut [0; 4]), true);
                }
                _ => return self.unclear("this does not look like arithmetic"),
            }
        }
    }

    /// `` `…` ``: its text is unescaped, and read again.
    pub(super) fn backticks(&mut self, is_quoted: bool) -> Result<List> {
        self.bump();
        let mut text = String::new();
        loop {
            match self.take_char() {
                None => return Err(SyntaxError::Open("a backtick")),
                Some('`') => break,
                Some('\\') => match self.take_char() {
                    None => return Err(SyntaxError::Open("a backtick")),
                    // Also within single quotes: the shell looks for the closing backtick first, and joins lines on the way.
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

    /// `${…}`
    fn braces(&mut self, is_quoted: bool) -> Result<Parameter> {
        self.bump();
        self.bump();
        let mut parameter = Parameter {
            name: String::new(),
            subscript: None,
            operator: Operator::None,
            symbol: 0,
            operand: None,
        };
        let first = self.peek();
        // `${#}` and `${#-x}` are about the count of parameters; `${#name}` is a length.
        let is_special = |byte: u8| matches!(byte, b'@' | b'*' | b'?' | b'$' | b'!');
        if first == b'#' && (is_word(self.peek_second()) || is_special(self.peek_second())) {
            self.bump();
            parameter.operator = Operator::Length;
        } else if first == b'!'
            && (is_word(self.peek_second()) || matches!(self.peek_second(), b'@' | b'*' | b'#'))
        {
            self.bash_only("only bash reads `${!…}`")?;
            self.bump();
            parameter.operator = Operator::Code;
        }
        parameter.name = self.parameter_name()?;
        if self.peek() == b'[' {
            self.bash_only("only bash has arrays")?;
            self.bump();
            parameter.subscript = Some(self.subscript()?);
        }
        match parameter.operator {
            Operator::Length if self.peek() != b'}' => return self.unclear("a length has an operator"),
            Operator::Code => {
                let is_keys =
                    parameter.subscript.as_ref().is_some_and(|word| word.is_bare("@") || word.is_bare("*"));
                let is_names = matches!(self.peek(), b'*' | b'@') && self.peek_second() == b'}';
                if is_names {
                    self.bump();
                }
                if (is_keys || is_names) && self.peek() == b'}' {
                    parameter.operator = Operator::Names;
                }
            }
            _ => {}
        }
        if self.peek() != b'}' {
            let (operator, symbol) = self.operator()?;
            parameter.symbol = symbol;
            if parameter.operator == Operator::None || operator == Operator::Code {
                parameter.operator = operator;
            }
            parameter.operand = Some(self.operand(is_quoted)?);
        }
        if self.peek() != b'}' {
            return Err(SyntaxError::Open("an expansion"));
        }
        self.bump();
        Ok(parameter)
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

    /// `[…]` behind its bracket.
    pub(super) fn subscript(&mut self) -> Result<Word> {
        let start = self.place;
        let subscript = self.deeper(|reader| reader.word(Place::Subscript))?;
        // bash expands what is in a subscript twice, and reads some quotes in it differently the second time.
        let text = &self.text.as_bytes()[start..self.place];
        if text.contains(&b'\n') || memchr::memmem::find(text, b"$'").is_some() || text.contains(&b'\\') {
            return self.unclear("a subscript holds a quote or a line break");
        }
        if self.peek() != b']' {
            return Err(SyntaxError::Open("a subscript"));
        }
        self.bump();
        Ok(subscript)
    }

    /// The operator, and the character that says which of its kind.
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
                self.bash_only("only bash edits values so")?;
                Operator::Edit
            }
            b'@' if first != b':' => {
                self.bash_only("only bash transforms values")?;
                let is_harmless = matches!(
                    self.peek_second(),
                    b'Q' | b'U' | b'u' | b'L' | b'a' | b'A' | b'E' | b'k' | b'K'
                );
                if is_harmless { Operator::Edit } else { Operator::Code }
            }
            _ if first == b':' => {
                self.bash_only("only bash takes substrings")?;
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

    fn operand(&mut self, is_quoted: bool) -> Result<Word> {
        let start = self.place;
        let mut operand = self.word(Place::Operand)?;
        if is_quoted {
            // Whether a single quote quotes there depends on the operator and on the version.
            if self.text.as_bytes()[start..self.place].contains(&b'\'') {
                return self.unclear("an expansion in double quotes holds a single quote");
            }
            for piece in &mut operand.pieces {
                piece.is_quoted = true;
            }
        }
        Ok(operand)
    }
}

/// What stood last in arithmetic.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Operator,
    Operand,
    /// Blanks behind an operand: another operand there is a word of a command.
    Blank,
}

fn plain(name: String) -> Part {
    Part::Parameter(Box::new(Parameter {
        name,
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
