//! The syntax tree of a command line. Every word keeps its expansions, since each may hold commands.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

/// Commands in a row: `a; b & c`.
#[derive(Clone, Debug, Default)]
pub struct List {
    pub items: Vec<AndOrList>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Clone, Debug)]
pub struct AndOrList {
    pub first: Pipeline,
    /// The further pipelines, each with the operator before it.
    pub rest: Vec<(Connector, Pipeline)>,
    /// Whether `&` follows.
    pub is_background: bool,
}

/// The operator between two pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connector {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|`.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// The commands; at least one.
    pub stages: Vec<Command>,
}

/// A stage of a pipeline.
#[derive(Clone, Debug)]
pub enum Command {
    /// A program, a builtin, a function, or assignments alone.
    Simple(Box<Simple>),
    /// A group, a loop or a condition.
    Compound(Box<Compound>),
    Function {
        name: String,
        /// The command that each call runs.
        body: Box<Compound>,
    },
}

/// A simple command: assignments, words and redirections.
#[derive(Clone, Debug, Default)]
pub struct Simple {
    /// `NAME=value` before the name.
    pub assignments: Vec<Assignment>,
    /// The name and the arguments.
    pub words: Vec<Word>,
    /// The redirections, which may stand anywhere among the words.
    pub redirections: Vec<Redirection>,
}

/// A compound command and its redirections.
#[derive(Clone, Debug)]
pub struct Compound {
    pub kind: CompoundKind,
    /// The redirections after the command.
    pub redirections: Vec<Redirection>,
}

#[derive(Clone, Debug)]
pub enum CompoundKind {
    /// `( … )`
    Subshell(List),
    /// `{ …; }`
    Group(List),
    /// `if`: conditions with their bodies, and `else`.
    If(Vec<(List, List)>, Option<List>),
    /// `while` and `until`.
    Loop(List, List),
    /// `for` and `select`: variable, words (absent: the positional parameters), body.
    For(String, Option<Vec<Word>>, List),
    /// `for ((…))`: all three parts, body.
    ArithmeticFor(Word, List),
    /// `case`: subject, then patterns with their bodies.
    Case(Word, Vec<(Vec<Word>, List)>),
    /// `(( … ))`
    Arithmetic(Word),
    /// `[[ … ]]`: all of its words.
    Test(Vec<Word>),
    /// `coproc`
    Coprocess(Box<Command>),
}

/// `NAME=value`, `NAME+=value`, `NAME[subscript]=value`, `NAME=(values)`.
#[derive(Clone, Debug)]
pub struct Assignment {
    pub name: String,
    /// The subscript in `[…]` after the name.
    pub subscript: Option<Word>,
    /// Whether the operator is `+=`.
    pub is_append: bool,
    /// The assigned words: several in an array, otherwise one.
    pub values: Vec<Word>,
    /// Whether the values stand in parentheses.
    pub is_array: bool,
}

#[derive(Clone, Debug)]
pub struct Redirection {
    /// The number of the descriptor before the operator.
    pub number: Option<u16>,
    /// The variable that gets the number of the descriptor, as in `{fd}> file`.
    pub variable: Option<String>,
    /// The direction, and the kind of target.
    pub mode: RedirectMode,
    /// The file, the descriptor, the text, or the delimiter of a here-document.
    pub target: Word,
    /// The body of a here-document.
    pub body: Option<Rc<OnceCell<Word>>>,
}

/// The direction of a redirection, and the kind of its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectMode {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`
    Write,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `<&`
    DuplicateInput,
    /// `>&`: to a descriptor, or to a file
    DuplicateOutput,
    /// `<<` and `<<-`
    HereDocument,
    /// `<<<`
    HereString,
}

/// A word before any expansion.
#[derive(Clone, Debug, Default)]
pub struct Word {
    pub pieces: Vec<WordPiece>,
    /// The range of the word in the text that was read.
    pub span: Range<usize>,
    /// Whether that text is the whole command line. False in backticks, which are unescaped first, and in the
    /// body of a here-document.
    pub is_in_place: bool,
}

/// A part of a word.
#[derive(Clone, Debug)]
pub struct WordPiece {
    pub part: WordPart,
    /// Whether quotes or a backslash protect the part from splitting and globbing.
    pub is_quoted: bool,
}

impl WordPiece {
    /// Returns whether the piece is text with an unquoted opening parenthesis.
    pub(super) fn has_bare_parenthesis(&self) -> bool {
        !self.is_quoted && matches!(&self.part, WordPart::Text(text) if text.contains('('))
    }
}

#[derive(Clone, Debug)]
pub enum WordPart {
    /// Text, after quote removal.
    Text(String),
    /// `$name`, `${…}`
    Parameter(Box<Parameter>),
    /// `$(…)`, `` `…` ``
    Substitution(List),
    /// `<(…)`, `>(…)`
    Process(List),
    /// `$((…))`
    Arithmetic(Word),
}

/// A parameter expansion.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// A name, a digit, or a special character.
    pub name: String,
    /// Whether the name ends at a brace, as in `${name}`.
    pub is_braced: bool,
    /// `[…]`
    pub subscript: Option<Word>,
    pub operator: Operator,
    /// The character of the operator, without a colon before it; 0 without an operator.
    pub symbol: u8,
    /// The text after the operator.
    pub operand: Option<Word>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    None,
    /// `-`, `:-`
    Default,
    /// `=`, `:=`
    Assign,
    /// `+`, `:+`
    Alternative,
    /// `?`, `:?`
    Error,
    /// `#name`
    Length,
    /// `!name[@]`, `!prefix*`: names and keys
    Names,
    /// `!name`, `name@P`, and the like: the shell may run the value itself as code
    Code,
    /// Patterns, substrings, case, harmless `@` operators
    Edit,
}

impl Parameter {
    /// Returns the expression of `${name:offset:length}`.
    #[must_use]
    pub fn offset(&self) -> Option<&Word> {
        self.operand.as_ref().filter(|_| self.operator == Operator::Edit && self.symbol == b':')
    }

    /// Returns whether the expansion takes all elements of an array: `${a[@]}`, `${a[*]}`.
    #[must_use]
    pub fn has_all_elements(&self) -> bool {
        let subscript = self.subscript.as_ref().and_then(Word::literal);
        matches!(subscript.as_deref(), Some("@" | "*"))
    }
}

impl Word {
    /// Returns the text, if there is nothing to expand. Globs, braces and tildes count as text.
    #[must_use]
    pub fn literal(&self) -> Option<String> {
        let mut text = String::new();
        for piece in &self.pieces {
            match &piece.part {
                WordPart::Text(part) => text.push_str(part),
                _ => return None,
            }
        }
        Some(text)
    }

    /// Returns whether the word is `text` without any quotes, as a reserved word must be.
    #[must_use]
    pub fn is_bare(&self, text: &str) -> bool {
        let [WordPiece { part: WordPart::Text(part), is_quoted: false }] = self.pieces.as_slice() else {
            return false;
        };
        part == text
    }

    /// Returns the number of pieces and the length of the last text, which show whether the word grew.
    pub(super) fn size(&self) -> (usize, usize) {
        let last = match self.pieces.last() {
            Some(WordPiece { part: WordPart::Text(text), .. }) => text.len(),
            _ => 0,
        };
        (self.pieces.len(), last)
    }

    pub(super) fn push_text(&mut self, text: &str, is_quoted: bool) {
        if let Some(WordPiece { part: WordPart::Text(last), is_quoted: quoted }) = self.pieces.last_mut()
            && *quoted == is_quoted
        {
            last.push_str(text);
            return;
        }
        self.push(WordPart::Text(text.to_owned()), is_quoted);
    }

    pub(super) fn push(&mut self, part: WordPart, is_quoted: bool) {
        self.pieces.push(WordPiece { part, is_quoted });
    }
}
