//! Commands: lists, pipelines, compound commands, and the words and redirections of simple ones.

use super::reader::{Reader, Result, Syntax, SyntaxError};
use super::tree::{
    Assignment, Command, Compound, Connector, Item, Kind, List, Mode, Pipeline, Redirection, Simple, Word,
};
use super::word::Place;

/// Words that end a list, where a command could begin.
const CLOSING: [&str; 9] = ["then", "elif", "else", "fi", "do", "done", "esac", "}", ")"];

/// Words that mean something else to some shells where a command could begin.
const UNKNOWN: [&str; 3] = ["foreach", "repeat", "end"];

/// Words that begin or end a compound command where a command may begin.
const RESERVED: [&str; 22] = [
    "!", "{", "}", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function",
    "if", "in", "select", "then", "time", "until", "while", "((",
];

impl Reader<'_> {
    /// All of the text.
    pub(super) fn list_to_end(&mut self) -> Result<List> {
        let list = self.list_until(&[])?;
        if !self.is_at_end() {
            return self.unclear("this ends nothing that was begun");
        }
        if !self.pending.is_empty() {
            return Err(SyntaxError::Open("a here-document"));
        }
        Ok(list)
    }

    /// Commands up to one of the closing words, which stays; or to the end.
    pub(super) fn list_until(&mut self, closing: &[&str]) -> Result<List> {
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

    /// A list in which at least one command must stand.
    fn some_list_until(&mut self, closing: &[&str]) -> Result<List> {
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

    /// Whether a reserved word is next, as a whole word.
    fn is_next(&mut self, word: &str) -> bool {
        let start = self.place;
        let is_next = self.eat(word) && self.is_word_end();
        self.place = start;
        is_next
    }

    fn is_word_end(&mut self) -> bool {
        self.is_at_end()
            || matches!(self.peek(), b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let is_next = self.is_next(word);
        if is_next {
            self.eat(word);
        }
        is_next
    }

    fn expect(&mut self, word: &'static str) -> Result<()> {
        if self.eat_word(word) { Ok(()) } else { Err(SyntaxError::Open(construct_of(word))) }
    }

    fn item(&mut self) -> Result<Item> {
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
        Ok(Item { first, rest, is_background })
    }

    /// `;`, `&` or a line break behind a command. Whether it was `&`.
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
            // Posix shells run the program `time`, which takes the same words.
            if self.syntax != Syntax::Posix && self.is_next("time") {
                self.eat("time");
                self.skip_blanks();
                if self.eat_word("-p") {
                    self.skip_blanks();
                }
                if self.eat_word("--") {
                    self.skip_blanks();
                }
                if self.is_at_end() || matches!(self.peek(), b';' | b'\n' | b')' | b'&' | b'|') {
                    return Ok(Pipeline { stages: vec![Command::Simple(Box::default())] });
                }
                continue;
            }
            break;
        }
        let mut stages = vec![self.command()?];
        loop {
            self.skip_blanks();
            if self.peek() != b'|' || self.peek_second() == b'|' {
                return Ok(Pipeline { stages });
            }
            self.bump();
            if self.peek() == b'&' {
                self.bash_only("only bash reads `|&`")?;
                self.bump();
            }
            self.skip_lines()?;
            stages.push(self.command()?);
        }
    }

    fn command(&mut self) -> Result<Command> {
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

    fn compound(&mut self) -> Result<Option<Kind>> {
        match self.peek() {
            b'(' if self.raw(1) == b'(' => {
                self.bash_only("only bash reads `((` as arithmetic")?;
                self.place += 2;
                return Ok(Some(Kind::Arithmetic(self.arithmetic()?)));
            }
            b'(' if self.peek_second() == b'(' => {
                return self.unclear("a line continuation between `(` and `(`");
            }
            b'(' => {
                self.bump();
                let list = self.some_list_until(&[")"])?;
                if !self.eat(")") {
                    return Err(SyntaxError::Open("a subshell"));
                }
                return Ok(Some(Kind::Subshell(list)));
            }
            b'a'..=b'z' | b'{' | b'[' => {}
            _ => return Ok(None),
        }
        let kind = if self.eat_word("{") {
            let list = self.some_list_until(&["}"])?;
            self.expect("}")?;
            Kind::Group(list)
        } else if self.is_next("[[") {
            self.bash_only("only bash reads `[[` as a test")?;
            self.eat("[[");
            self.test()?
        } else if self.eat_word("if") {
            self.if_arms()?
        } else if self.eat_word("while") || self.eat_word("until") {
            let condition = self.some_list_until(&["do"])?;
            Kind::Loop(condition, self.do_group()?)
        } else if self.is_next("for") || self.is_next("select") {
            self.for_loop()?
        } else if self.eat_word("case") {
            self.case()?
        } else if self.is_next("coproc") {
            self.bash_only("only bash has coprocesses")?;
            self.eat("coproc");
            self.coprocess()?
        } else if UNKNOWN.iter().any(|word| self.syntax == Syntax::Zsh && self.is_next(word)) {
            return self.unclear("only zsh reads this word as the begin of a command");
        } else {
            return Ok(None);
        };
        Ok(Some(kind))
    }

    fn if_arms(&mut self) -> Result<Kind> {
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
            return Ok(Kind::If(arms, otherwise));
        }
    }

    fn do_group(&mut self) -> Result<List> {
        self.expect("do")?;
        let list = self.some_list_until(&["done"])?;
        self.expect("done")?;
        Ok(list)
    }

    /// The body of `for` and `select`, which bash also takes in braces.
    fn loop_body(&mut self) -> Result<List> {
        if self.syntax != Syntax::Bash || !self.eat_word("{") {
            return self.do_group();
        }
        let list = self.some_list_until(&["}"])?;
        self.expect("}")?;
        Ok(list)
    }

    fn for_loop(&mut self) -> Result<Kind> {
        let is_select = self.eat_word("select");
        if is_select {
            self.bash_only("only bash has `select`")?;
        } else {
            self.eat("for");
        }
        self.skip_blanks();
        if self.peek() == b'(' && self.peek_second() == b'(' && !is_select {
            self.bash_only("only bash has `for ((`")?;
            self.bump();
            self.bump();
            let header = self.in_arithmetic(Self::for_header)?;
            self.skip_blanks();
            self.eat(";");
            self.skip_lines()?;
            return Ok(Kind::ArithmeticFor(header, self.loop_body()?));
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
                let word = self.word(Place::Command)?;
                if word.span.is_empty() {
                    break;
                }
                words.push(word);
            }
            if !matches!(self.peek(), b';' | b'\n') {
                return self.unclear("the words of a loop must end with `;` or a line break");
            }
            Some(words)
        } else {
            None
        };
        if self.peek() == b';' && self.peek_second() != b';' {
            self.bump();
        }
        self.skip_lines()?;
        Ok(Kind::For(name, words, self.loop_body()?))
    }

    /// The three parts of `for ((…))`. Semicolons divide them, and mean nothing else there.
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
        }
        let last = self.arithmetic()?;
        header.pieces.extend(last.pieces);
        Ok(header)
    }

    fn case(&mut self) -> Result<Kind> {
        self.skip_blanks();
        let subject = self.word(Place::Command)?;
        if subject.span.is_empty() {
            return self.unclear("`case` needs a word");
        }
        self.skip_lines()?;
        self.expect("in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_lines()?;
            if self.eat_word("esac") {
                return Ok(Kind::Case(subject, arms));
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
            let pattern = self.word(Place::Command)?;
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

    /// `[[ … ]]`: its words alone, as no operator there runs anything.
    fn test(&mut self) -> Result<Kind> {
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
                return Ok(Kind::Test(words));
            }
            match self.peek() {
                b';' | b'#' | b'`' if self.peek() != b'`' => {
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
                    let word = self.word(Place::Test)?;
                    if word.span.is_empty() {
                        return self.unclear("a test holds what ends a command");
                    }
                    words.push(word);
                }
            }
        }
    }

    fn coprocess(&mut self) -> Result<Kind> {
        self.skip_blanks();
        // A name stands only before a compound command.
        let start = self.place;
        let name = self.name();
        self.skip_blanks();
        let has_name = !name.is_empty() && (self.is_next("{") || self.peek() == b'(');
        if !has_name {
            self.place = start;
        }
        Ok(Kind::Coprocess(Box::new(self.deeper(Self::command)?)))
    }

    fn function_keyword(&mut self) -> Result<Command> {
        self.bash_only("only bash has `function`")?;
        self.eat("function");
        self.skip_blanks();
        let name = self.word(Place::Command)?;
        self.skip_blanks();
        if self.eat("(") {
            self.skip_blanks();
            if !self.eat(")") {
                return self.unclear("a function's parentheses must be empty");
            }
        }
        self.function_body(&name)
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

    fn simple(&mut self) -> Result<Command> {
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
            let start = self.place;
            let mut word = self.word(Place::Command)?;
            if word.span.is_empty() {
                break;
            }
            let is_first =
                simple.words.is_empty() && simple.assignments.is_empty() && simple.redirections.is_empty();
            if is_first && self.is_parenthesis_next() {
                return self.function(&word);
            }
            // Bash 5.2 prints a substitution anew before it runs it, with redirections behind the words: then these are
            // reserved.
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

    fn is_parenthesis_next(&mut self) -> bool {
        let start = self.place;
        self.skip_blanks();
        let is_next = self.peek() == b'(';
        if !is_next {
            self.place = start;
        }
        is_next
    }

    /// `name()` and the body.
    fn function(&mut self, name: &Word) -> Result<Command> {
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

    /// `declare x=(…)`: an array among the arguments.
    fn array_argument(&mut self, start: usize, word: &mut Word) -> Result<()> {
        let is_assignment = word.literal().is_some_and(|text| {
            let name = text.strip_suffix('=').map(|name| name.strip_suffix('+').unwrap_or(name));
            name.is_some_and(is_name)
        });
        if !is_assignment {
            return self.unclear("a parenthesis stands where a command goes on");
        }
        for value in self.array()? {
            word.pieces.extend(value.pieces);
            word.push_text(" ", true);
        }
        if !self.is_word_end() {
            return self.unclear("an array goes on behind its parenthesis");
        }
        word.span = start..self.place;
        Ok(())
    }

    fn assignment(&mut self) -> Result<Option<Assignment>> {
        let start = self.place;
        let name = self.name();
        if name.is_empty() || !matches!(self.peek(), b'=' | b'+' | b'[') {
            self.place = start;
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
            self.place = start;
            return Ok(None);
        }
        self.bump();
        if subscript.is_some() {
            self.bash_only("only bash has arrays")?;
        }
        if self.peek() == b'(' {
            self.bash_only("only bash has arrays")?;
            let values = self.array()?;
            // `a=(b)#` is one word for bash, and no comment.
            if !self.is_word_end() {
                return self.unclear("an array goes on behind its parenthesis");
            }
            return Ok(Some(Assignment { name, subscript, is_append, values, is_array: true }));
        }
        let value = self.word(Place::Command)?;
        if self.peek() == b'(' {
            return self.unclear("a parenthesis stands in a value");
        }
        if self.syntax == Syntax::Zsh {
            self.check_zsh(&value)?;
        }
        Ok(Some(Assignment { name, subscript, is_append, values: vec![value], is_array: false }))
    }

    /// The values of an array, from `(` on.
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
                let start = self.place;
                self.bump();
                let word = self.subscript()?;
                if self.peek() == b'=' || (self.peek() == b'+' && self.peek_second() == b'=') {
                    subscript = Some(word);
                    self.eat("+");
                    self.bump();
                } else {
                    self.place = start;
                }
            }
            let mut word = self.word(Place::Command)?;
            if word.span.is_empty() && subscript.is_none() || self.peek() == b'(' {
                return self.unclear("an array holds what is no word");
            }
            if let Some(subscript) = subscript {
                // Its expansions run as those of the value do.
                word.pieces.extend(
                    subscript
                        .pieces
                        .into_iter()
                        .filter(|piece| !matches!(piece.part, super::tree::Part::Text(_))),
                );
            }
            values.push(word);
        }
    }

    /// What zsh alone reads as code inside of a word.
    fn check_zsh(&self, word: &Word) -> Result<()> {
        if let Some(piece) = word.pieces.first()
            && !piece.is_quoted
            && let super::tree::Part::Text(text) = &piece.part
            && (text.starts_with('=') || text.starts_with("~["))
        {
            return self.unclear("zsh expands this to the path of a program");
        }
        Ok(())
    }

    pub(super) fn redirections(&mut self) -> Result<Vec<Redirection>> {
        let mut redirections = Vec::new();
        loop {
            self.skip_blanks();
            if !self.redirection(&mut redirections)? {
                return Ok(redirections);
            }
        }
    }

    /// Reads a redirection. Whether there was one.
    fn redirection(&mut self, redirections: &mut Vec<Redirection>) -> Result<bool> {
        let start = self.place;
        if self.peek() == b'{' {
            self.bump();
            let name = self.name();
            let is_variable = !name.is_empty() && self.eat("}") && matches!(self.peek(), b'<' | b'>');
            if !is_variable {
                self.place = start;
                return Ok(false);
            }
            self.bash_only("only bash puts a descriptor into a variable")?;
        } else {
            while self.peek().is_ascii_digit() {
                self.bump();
            }
        }
        let is_process = matches!(self.peek(), b'<' | b'>') && self.peek_second() == b'(';
        let is_both = self.peek() == b'&' && self.peek_second() == b'>' && self.place == start;
        if is_process || !(is_both || matches!(self.peek(), b'<' | b'>')) {
            self.place = start;
            return Ok(false);
        }
        if is_both {
            self.bash_only("only bash reads `&>`")?;
        }
        let mode = self.redirection_mode()?;
        self.skip_blanks();
        let target = self.word(Place::Command)?;
        if target.span.is_empty() || self.peek() == b'(' {
            return self.unclear("a redirection needs a word");
        }
        if self.syntax == Syntax::Zsh {
            self.check_zsh(&target)?;
        }
        redirections.push(match mode {
            (Mode::HereDocument, strips_tabs) => self.announce_body(target, strips_tabs)?,
            (mode, _) => Redirection { mode, target, body: None },
        });
        Ok(true)
    }

    /// The operator, and whether it is `<<-`.
    fn redirection_mode(&mut self) -> Result<(Mode, bool)> {
        let mode = if self.eat("<<<") {
            self.bash_only("only bash reads `<<<`")?;
            Mode::HereString
        } else if self.eat("<<-") {
            return Ok((Mode::HereDocument, true));
        } else if self.eat("<<") {
            Mode::HereDocument
        } else if self.eat("<&") {
            Mode::DuplicateInput
        } else if self.eat("<>") {
            Mode::ReadWrite
        } else if self.eat("<") {
            Mode::Read
        } else if self.eat("&>>") || self.eat(">>") {
            Mode::Append
        } else if self.eat(">&") {
            Mode::DuplicateOutput
        } else if self.eat("&>") || self.eat(">|") || self.eat(">") {
            Mode::Write
        } else {
            return self.unclear("an unknown redirection");
        };
        if matches!(self.peek(), b'!' | b'|') && self.syntax == Syntax::Zsh {
            return self.unclear("only zsh reads this redirection");
        }
        Ok((mode, false))
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|char: char| char.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

const fn construct_of(word: &'static str) -> &'static str {
    match word.as_bytes() {
        b"fi" | b"then" => "`if`",
        b"do" | b"done" => "a loop",
        b"in" => "`case`",
        _ => "a group",
    }
}
