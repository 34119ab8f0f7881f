//! The definitions of variables in a command line, read before the walk through its commands.
//!
//! A variable has a known value only if the text defines it once, by literal text, and nothing else could
//! define it. An expression may read a variable only if each definition of it is a number.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use crate::syntax::tree::{
    Assignment, CompoundKind, List, Operator, Parameter, Redirection, Simple, Word, WordPart,
};
use crate::syntax::visit::{Visitor, visit_list};
use crate::syntax::{Syntax, read_nested};

use super::expressions::{assigns, names};
use super::field::{Field, is_glob};
use super::numbers::{Number, number_of};
use super::variables::{INTEGERS, is_number_of_shell, is_set_by_shell, names_set};

/// The levels to which code in quotes is read: `eval "eval …"`.
const MAX_DEPTH: usize = 3;

/// Builtins that run text in this shell.
const RUNNERS: [&str; 10] =
    ["eval", "source", ".", "alias", "enable", "complete", "bind", "fc", "zmodload", "autoload"];

/// Builtins of other shells that set variables in other ways.
const FOREIGN_SETTERS: [&str; 8] =
    ["vared", "zparseopts", "zstyle", "print", "integer", "float", "sysread", "nameref"];

/// The variables that a command line defines.
#[derive(Debug)]
pub(super) struct Definitions {
    all: HashMap<String, Definition>,
    /// The answers of [`Definitions::is_number`] so far: a command line asks for the same names again and
    /// again.
    numbers: RefCell<HashMap<String, bool>>,
    /// Whether a command may set variables of any name.
    is_open: bool,
    /// Whether a command may remove a function.
    pub(super) removes_functions: bool,
}

#[derive(Debug, Default)]
struct Definition {
    count: usize,
    /// For each definition, whether its value is a number.
    values: Vec<Number>,
    /// Whether the shell evaluates the values that it assigns.
    is_integer: bool,
}

impl Definitions {
    pub(super) fn of(list: &List, syntax: Syntax) -> Self {
        let definitions = Self {
            all: HashMap::new(),
            numbers: RefCell::default(),
            is_open: false,
            removes_functions: false,
        };
        let mut collector =
            Collector { definitions, syntax, depth: 0, called: Vec::new(), given: Vec::new() };
        visit_list(list, &mut collector);
        collector.finish()
    }

    /// Returns whether the text defines a variable.
    pub(super) fn has(&self, name: &str) -> bool {
        self.all.contains_key(name)
    }

    /// Returns whether one definition gives a variable its value, and nothing else can.
    pub(super) fn is_constant(&self, name: &str) -> bool {
        !self.is_open && self.is_single(name)
    }

    /// Returns whether the text defines a variable once.
    pub(super) fn is_single(&self, name: &str) -> bool {
        !is_set_by_shell(name) && self.all.get(name).is_some_and(|definition| definition.count == 1)
    }

    pub(super) fn is_integer(&self, name: &str) -> bool {
        INTEGERS.contains(&name) || self.all.get(name).is_some_and(|definition| definition.is_integer)
    }

    /// Returns whether a variable certainly holds a number or nothing.
    pub(super) fn is_number(&self, name: &str) -> bool {
        if self.is_open {
            return false;
        }
        if let Some(is_number) = self.numbers.borrow().get(name) {
            return *is_number;
        }
        let is_number = self.reaches_numbers(name, &mut HashSet::new());
        self.numbers.borrow_mut().insert(name.to_owned(), is_number);
        is_number
    }

    /// Returns whether a variable holds no text from outside: it holds a number, or comes from the
    /// environment.
    pub(super) fn is_plain(&self, name: &str) -> bool {
        let is_name = name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
        let is_inherited = is_name && !self.is_open && !self.has(name) && !is_set_by_shell(name);
        is_inherited || self.is_number(name)
    }

    fn reaches_numbers(&self, name: &str, seen: &mut HashSet<String>) -> bool {
        if !seen.insert(name.to_owned()) {
            return true;
        }
        match self.all.get(name) {
            None => is_number_of_shell(name),
            Some(definition) => definition.values.iter().all(|value| match value {
                Number::No => false,
                Number::Of(names) => names.iter().all(|name| self.reaches_numbers(name, seen)),
            }),
        }
    }
}

struct Collector {
    definitions: Definitions,
    syntax: Syntax,
    depth: usize,
    /// Variables whose values are names of commands.
    called: Vec<String>,
    /// The values that the text assigns; `None` for a value that is not literal.
    given: Vec<(String, Option<String>)>,
}

impl Collector {
    /// Decides on commands that a variable names: its value may be a builtin that sets other variables.
    fn finish(mut self) -> Definitions {
        let is_program = |value: &Option<String>| {
            let first = value.as_deref().and_then(|value| value.split_whitespace().next());
            first.is_some_and(|name| !is_glob(name) && names_set(name, &[]).is_none() && !is_runner(name))
        };
        let may_set = |name: &String| {
            let mut values = self.given.iter().filter(|(other, _)| other == name);
            !self.definitions.is_single(name) || !values.all(|(_, value)| is_program(value))
        };
        self.definitions.is_open |= self.called.iter().any(may_set);
        self.definitions
    }

    fn define(&mut self, name: &str, value: Number) {
        let definition = self.definitions.all.entry(name.to_owned()).or_default();
        definition.count += 1;
        definition.values.push(value);
    }

    fn define_by(&mut self, Assignment { name, values, is_array, .. }: &Assignment) {
        // An array has as many values as words, and may hold more elements than one definition shows.
        if *is_array {
            self.define(name, Number::Of(Vec::new()));
        }
        for value in values {
            self.define(name, number_of(value));
        }
        if values.is_empty() && !is_array {
            self.define(name, Number::Of(Vec::new()));
        }
        self.given.extend(values.iter().map(|value| (name.clone(), value.literal())));
    }

    /// Records the variables that a builtin sets.
    fn builtin(&mut self, name: &str, words: &[Word]) {
        match name {
            "trap" | "eval" => self.code(name, &words[1..]),
            "unset" => {
                let is_plain =
                    |word: &Word| word.literal().is_some_and(|text| !text.starts_with('-') || text == "-v");
                self.definitions.removes_functions |= !words[1..].iter().all(is_plain);
                self.set_by(name, words);
            }
            name if is_runner(name) => self.definitions.is_open = true,
            "export" | "declare" | "typeset" | "local" | "readonly" => self.declare(&words[1..]),
            // The format of `printf` may be `-v`.
            "printf" if words.get(1).is_some_and(|word| !begins_with_text(word)) => {
                self.definitions.is_open = true;
            }
            // The walk asks if another word of `wait` may be `-p`.
            "wait" => {
                let literal: Vec<Word> =
                    words.iter().filter(|word| word.literal().is_some()).cloned().collect();
                self.set_by(name, &literal);
            }
            "let" => {
                for word in &words[1..] {
                    self.expression(word);
                    self.definitions.is_open |= word.literal().is_none();
                }
            }
            name => self.set_by(name, words),
        }
    }

    fn set_by(&mut self, builtin: &str, words: &[Word]) {
        let field = |word: &Word| word.literal().map_or_else(Field::unknown, |text| Field::of(&text));
        let fields: Vec<Field> = words.iter().map(field).collect();
        for field in names_set(builtin, &fields).unwrap_or_default() {
            let Some(target) = field.known() else {
                self.definitions.is_open = true;
                continue;
            };
            let name = target.split('[').next().unwrap_or(target);
            self.define(name, if builtin == "unset" { Number::Of(Vec::new()) } else { Number::No });
        }
    }

    /// Records the variables of `declare`, `local` and the like.
    fn declare(&mut self, words: &[Word]) {
        let mut is_integer = false;
        for word in words {
            let Some(first) = word.pieces.first() else { continue };
            let WordPart::Text(text) = &first.part else {
                self.definitions.is_open = true;
                continue;
            };
            if text.starts_with(['-', '+']) {
                // `-n` makes a name refer to another variable.
                self.definitions.is_open |= word.literal().is_none_or(|text| text.contains('n'));
                is_integer |= text.contains('i');
                continue;
            }
            let literal = word.literal();
            let text = literal.as_deref().unwrap_or(text);
            let Some((target, _)) = text.split_once('=') else {
                self.definitions.is_open |= literal.is_none();
                let name = text.split('[').next().unwrap_or(text);
                self.define(name, Number::Of(Vec::new()));
                self.record_integer(name, is_integer);
                continue;
            };
            let name = target.trim_end_matches('+').split('[').next().unwrap_or(target).to_owned();
            // Braces make several assignments: in `readonly x={a,b}`, the first one counts.
            if text.contains('{') {
                self.define(&name, Number::No);
            }
            let value = if target.contains('[') || text.contains("=(") {
                Number::No
            } else {
                number_of(&value_of(word))
            };
            self.define(&name, value);
            self.record_integer(&name, is_integer);
        }
    }

    fn record_integer(&mut self, name: &str, is_integer: bool) {
        if let Some(definition) = self.definitions.all.get_mut(name) {
            definition.is_integer |= is_integer;
        }
    }

    /// Records the variables that code in quotes sets.
    fn code(&mut self, name: &str, words: &[Word]) {
        let words = if name == "trap" { words.get(..1).unwrap_or_default() } else { words };
        let texts: Option<Vec<String>> = words.iter().map(Word::literal).collect();
        let list = texts.filter(|_| self.depth < MAX_DEPTH).and_then(|texts| {
            let text = texts.join(" ");
            read_nested(&text, self.syntax, 0).ok()
        });
        match list {
            Some(list) => {
                self.depth += 1;
                visit_list(&list, self);
                self.depth -= 1;
            }
            None => self.definitions.is_open = true,
        }
    }
}

impl Visitor for Collector {
    fn simple(&mut self, simple: &Simple) {
        // `IFS= read -r line` affects only how that line is split.
        let reads = simple.words.first().and_then(Word::literal).is_some_and(|name| name == "read");
        for assignment in simple.assignments.iter().filter(|one| !(reads && one.name == "IFS")) {
            self.define_by(assignment);
        }
        let mut words = simple.words.as_slice();
        // Other builtins run a builtin: `command -p read x`. `command -v` only prints a path.
        while let Some(name) = words.first().and_then(Word::literal)
            && matches!(name.as_str(), "command" | "builtin" | "time" | "noglob" | "nocorrect" | "-")
        {
            words = &words[1..];
            while let Some(option) =
                words.first().and_then(Word::literal).filter(|text| text.starts_with('-'))
            {
                if name == "command" && option.contains(['v', 'V']) {
                    return;
                }
                words = &words[1..];
            }
        }
        let Some(first) = words.first() else { return };
        match first.literal() {
            Some(name) if FOREIGN_SETTERS.contains(&name.as_str()) && self.syntax != Syntax::Bash => {
                self.definitions.is_open = true;
            }
            Some(name) if name.contains(['*', '?', ']', '{']) && name != "[" => {
                self.definitions.is_open = true;
            }
            Some(name) => self.builtin(&name, words),
            None => match first.pieces.as_slice() {
                [piece] => match &piece.part {
                    WordPart::Parameter(parameter) if parameter.operator == Operator::None => {
                        self.called.push(parameter.name.clone());
                    }
                    _ => self.definitions.is_open = true,
                },
                _ => self.definitions.is_open = true,
            },
        }
    }

    fn kind(&mut self, kind: &CompoundKind) {
        if let CompoundKind::For(name, words, _) = kind {
            self.define(name, Number::Of(Vec::new()));
            match words {
                None => {
                    self.define_more(name, Number::No);
                    self.given.push((name.clone(), None));
                }
                Some(words) => {
                    for word in words {
                        self.define_more(name, number_of(word));
                        self.given.push((name.clone(), word.literal()));
                    }
                }
            }
        }
    }

    fn redirection(&mut self, redirection: &Redirection) {
        if let Some(name) = &redirection.variable {
            self.define(name, Number::Of(Vec::new()));
        }
    }

    fn parameter(&mut self, parameter: &Parameter) {
        if parameter.operator == Operator::Assign {
            let value = parameter.operand.as_ref().map_or(Number::Of(Vec::new()), number_of);
            self.define(&parameter.name, value);
        }
        // `${!name:=x}` sets a variable of any name.
        self.definitions.is_open |= parameter.operator == Operator::Code;
    }

    fn expression(&mut self, word: &Word) {
        let text = literal_parts(word);
        if assigns(&text) {
            for name in names(&text) {
                self.define(name, Number::Of(Vec::new()));
            }
            self.definitions.is_open |= word.literal().is_none();
        }
    }
}

impl Collector {
    /// Adds a value to the last definition of a variable.
    fn define_more(&mut self, name: &str, value: Number) {
        if let Some(definition) = self.definitions.all.get_mut(name) {
            definition.values.push(value);
        }
    }
}

fn is_runner(name: &str) -> bool {
    RUNNERS.contains(&name)
}

fn begins_with_text(word: &Word) -> bool {
    let first = word.pieces.first().map(|piece| &piece.part);
    matches!(first, Some(WordPart::Text(text)) if !text.is_empty())
}

/// Returns the value in a word such as `name=value`.
fn value_of(word: &Word) -> Word {
    let mut value = word.clone();
    if let Some(WordPart::Text(text)) = value.pieces.first_mut().map(|piece| &mut piece.part) {
        *text = text.split_once('=').map_or(String::new(), |(_, rest)| rest.to_owned());
    }
    value
}

/// Returns the text of a word with a blank for each expansion.
pub(super) fn literal_parts(word: &Word) -> String {
    let text = |part: &WordPart| if let WordPart::Text(text) = part { text.clone() } else { " ".to_owned() };
    word.pieces.iter().map(|piece| text(&piece.part)).collect()
}
