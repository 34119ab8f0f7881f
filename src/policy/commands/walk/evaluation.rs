//! Values that a shell evaluates as code: expressions, and the subscripts in names of variables.
//!
//! bash expands `a[$(cmd)]` wherever it evaluates a number or the name of an element, also where that text is the value of a
//! variable. Text that comes from outside may be of this form.

use std::collections::HashSet;

use crate::policy::commands::expand::values;
use crate::policy::commands::field::{Field, UNKNOWN, is_glob, is_tainted};
use crate::policy::commands::scope::Variable;
use crate::policy::commands::variables;
use crate::policy::syntax::Syntax;
use crate::policy::syntax::tree::{Operator, Part, Piece, Word};

use super::walker::Walker;

/// Builtins that evaluate the subscripts in their arguments, in one of the shells.
const EVALUATING: &[&str] = &[
    "let",
    "test",
    "[",
    "unset",
    "read",
    "printf",
    "declare",
    "typeset",
    "local",
    "export",
    "readonly",
    "mapfile",
    "readarray",
    "wait",
    "getopts",
    "shift",
    "return",
    "exit",
    "break",
    "continue",
];

impl Walker {
    /// Checks text that bash evaluates as an expression: arithmetic, a subscript, an operand of `-eq`. The text is expanded first,
    /// and the substitutions in the result run.
    pub(super) fn check_expression(&mut self, word: &Word) {
        let (expanded, _) = values(word, &self.scope, self);
        let names_file = |piece: &Piece| match &piece.part {
            Part::Parameter(parameter) if parameter.operator != Operator::Length => self
                .scope
                .get(&parameter.name)
                .is_some_and(|variable| variable.values.iter().any(|value| is_glob(value))),
            _ => false,
        };
        if expanded.iter().any(|value| self.evaluates_code(value)) || word.pieces.iter().any(names_file) {
            self.push_unknown_code("arithmetic that evaluates a value", false);
        }
    }

    /// Returns whether an expression may run code: by itself, or by the value of a variable that it names.
    pub(super) fn evaluates_code(&self, expression: &str) -> bool {
        self.reaches_code(expression, &mut HashSet::new())
    }

    fn reaches_code(&self, expression: &str, seen: &mut HashSet<String>) -> bool {
        if is_tainted(expression) || hides_subscript(expression) || !self.scope.spend(expression.len()) {
            return true;
        }
        names(expression).any(|name| {
            seen.insert(name.to_owned())
                && self.scope.get(name).is_some_and(|variable| {
                    variable.values.iter().any(|value| is_glob(value) || self.reaches_code(value, seen))
                })
        })
    }

    /// Checks an arithmetic expression, and notes the variables that it sets, as in `((PATH = 1))`.
    pub(super) fn note_arithmetic(&mut self, word: &Word) {
        let text: String = word
            .pieces
            .iter()
            .map(|piece| match &piece.part {
                Part::Text(text) => text.as_str(),
                _ => " ",
            })
            .collect();
        self.check_expression(word);
        if !assigns(&text) {
            return;
        }
        for name in names(&text) {
            self.note_assignment(name, None);
            self.scope.set(name, Variable::number(), false);
        }
    }

    /// Notes quoted texts like `x[$(cmd)]`: arithmetic, `test -v`, `unset` and others evaluate the subscript in them.
    pub(super) fn check_hidden_subscripts(&mut self, mut texts: impl Iterator<Item = String>) {
        if let Some(text) = texts.find(|text| hides_subscript(text)) {
            self.push_unknown_code("a subscript in quotes", false);
            let code = text.find(['$', '`']).map_or("", |at| text[at..].trim_end_matches(']'));
            self.visit_script(self.findings.commands.len() - 1, "", &format!(": {code}"), None);
        }
    }

    /// Checks the value that a variable gets, if the variable has the attribute of an integer.
    pub(super) fn check_integer<'a>(&mut self, name: &str, values: impl Iterator<Item = &'a str>) {
        let mut values = values;
        if self.integers.contains(name) && values.any(|value| self.evaluates_code(value)) {
            self.push_unknown_code("a value that an integer variable evaluates", false);
        }
    }

    /// Checks arguments that a builtin evaluates: subscripts, and the expressions of `let`.
    pub(super) fn check_evaluated(&mut self, name: &str, words: &[Field]) {
        if !EVALUATING.contains(&name) {
            return;
        }
        let arguments = &words[1..];
        // The first argument of `printf` is its format, without `-v`.
        let is_format =
            name == "printf" && arguments.first().is_none_or(|field| !field.text.starts_with("-v"));
        if !is_format {
            self.check_hidden_subscripts(arguments.iter().map(|field| field.text.clone()));
        }
        if name == "let" {
            if arguments.iter().any(names_any_file) {
                self.push_unknown_code("an expression from the name of a file", false);
            }
            for field in arguments {
                let mut word = Word::default();
                word.pieces.push(Piece { part: Part::Text(field.text.clone()), is_quoted: true });
                self.note_arithmetic(&word);
            }
        } else if self.evaluates_tainted(name, words) {
            self.push_unknown_code("a name of a variable that comes from outside", false);
        }
    }

    /// Returns whether a builtin evaluates an argument that comes from outside.
    fn evaluates_tainted(&self, name: &str, words: &[Field]) -> bool {
        let arguments = &words[1..];
        let is_outside = |field: &Field| is_tainted(&field.text) || names_any_file(field);
        if self.syntax == Syntax::Zsh
            && name != "printf"
            && name != "read"
            && arguments.iter().any(is_outside)
        {
            return true;
        }
        match name {
            "test" | "[" => tests_tainted(arguments),
            "declare" | "typeset" | "local" | "readonly" | "export" => arguments.iter().any(|field| {
                let name = field.text.split('=').next().unwrap_or_default();
                is_outside(&Field { text: name.to_owned(), ..field.clone() })
            }),
            "unset" | "read" | "printf" | "mapfile" | "readarray" | "wait" => {
                variables::names_set(name, words).iter().any(is_outside)
            }
            _ => false,
        }
    }
}

/// Returns whether a word is a glob that may become a name with a subscript. That takes more than a bracket expression, which
/// stands for one character: `a[0]` becomes `a0`.
fn names_any_file(field: &Field) -> bool {
    field.has_glob && field.text.contains(['*', '?'])
}

/// Returns whether `[ … ]` may be asked by `-v` about a name that comes from outside. A word from outside may be the operator too.
fn tests_tainted(arguments: &[Field]) -> bool {
    let may_be_operator = |field: &Field| {
        let known = field.text.split(UNKNOWN).next().unwrap_or_default();
        field.text == "-v" || is_tainted(&field.text) && "-v".starts_with(known)
    };
    arguments.iter().any(|field| field.is_many && is_tainted(&field.text))
        || arguments
            .windows(2)
            .any(|pair| may_be_operator(&pair[0]) && (is_tainted(&pair[1].text) || names_any_file(&pair[1])))
}

/// Returns the names of variables in an expression.
fn names(expression: &str) -> impl Iterator<Item = &str> {
    let words = expression.split(|char: char| !(char.is_ascii_alphanumeric() || char == '_'));
    words.filter(|word| word.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_'))
}

/// Returns whether an expression has an operator that sets a variable.
fn assigns(expression: &str) -> bool {
    let bytes = expression.as_bytes();
    let at = |index: usize| bytes.get(index).copied().unwrap_or_default();
    let sets = |index: usize| {
        let (before, first) = match index {
            0 => return false,
            1 => (at(0), 0),
            _ => (at(index - 1), at(index - 2)),
        };
        let compares = match before {
            b'=' | b'!' => true,
            b'<' | b'>' => first != before,
            _ => false,
        };
        at(index) == b'=' && at(index + 1) != b'=' && !compares
    };
    expression.contains("++") || expression.contains("--") || (0..bytes.len()).any(sets)
}

fn hides_subscript(text: &str) -> bool {
    text.find('[').is_some_and(|bracket| text[bracket..].contains("$(") || text[bracket..].contains('`'))
}
