//! Values that a shell evaluates as code: expressions, and the subscripts in names of variables.

use crate::policy::commands::expand::Expansion;
use crate::policy::commands::expressions::{assigns, hides_subscript, names};
use crate::policy::commands::field::{ANY_PLAIN, Field, UNKNOWN, is_any_text};
use crate::policy::commands::numbers::{Number, number_of_expression};
use crate::policy::commands::variables;
use crate::syntax::Syntax;
use crate::syntax::tree::{Word, WordPart, WordPiece};

use super::walker::Walker;

/// Builtins that evaluate the subscripts in their arguments, in at least one of the shells.
pub(super) const EVALUATING: &[&str] = &[
    "let", "test", "[", "unset", "read", "printf", "declare", "typeset", "local", "export", "readonly",
    "mapfile", "readarray", "wait", "getopts", "shift", "return", "exit", "break", "continue",
];

impl Walker<'_> {
    /// Visits an arithmetic expression, checks it, and records the variables that it sets, as in `((PATH =
    /// 1))`.
    pub(super) fn visit_expression(&mut self, word: &Word) {
        self.visit_value(word);
        self.check_expression(word);
        let text = crate::policy::commands::definitions::literal_parts(word);
        if assigns(&text) {
            for name in names(&text).filter(|name| variables::runs_code(name)) {
                self.push_bare(vec![(name.to_owned(), None)], Vec::new(), self.input.clone());
            }
        }
    }

    /// Checks text that bash evaluates as an expression: arithmetic, a subscript, an operand of `-eq`.
    ///
    /// Bash first expands the text, and then runs the substitutions in the result.
    pub(super) fn check_expression(&mut self, word: &Word) {
        let is_safe = match number_of_expression(word) {
            Number::No => false,
            Number::Of(names) => names.iter().all(|name| self.known.definitions.is_number(name)),
        };
        if !is_safe {
            self.push_unknown_code("arithmetic that evaluates a value", false);
        }
    }

    /// Returns whether a text is an expression that reads only numbers.
    pub(super) fn is_number_text(&self, text: &str) -> bool {
        !text.contains(['$', '`', '\\', UNKNOWN])
            && !hides_subscript(text)
            && names(text).all(|name| self.known.definitions.is_number(name))
    }

    /// Checks a value for a variable with the integer attribute, because the shell evaluates it.
    pub(super) fn check_integer(&mut self, name: &str, value: &Expansion) {
        if !self.known.definitions.is_integer(name) {
            return;
        }
        let is_number = value.text == ANY_PLAIN || self.is_number_text(&value.text);
        if !is_number {
            self.push_unknown_code("a value that an integer variable evaluates", false);
        }
    }

    /// Records quoted texts like `x[$(cmd)]`: arithmetic, `test -v`, `unset` and others evaluate the
    /// subscript.
    pub(super) fn check_hidden_subscripts(&mut self, mut texts: impl Iterator<Item = String>) {
        if texts.any(|text| hides_subscript(&text)) {
            self.push_unknown_code("a subscript in quotes", false);
        }
    }

    /// Checks arguments that a builtin evaluates: subscripts, and the expressions of `let`.
    pub(super) fn check_evaluated(&mut self, name: &str, words: &[Field]) {
        if !EVALUATING.contains(&name) {
            return;
        }
        let arguments = &words[1..];
        // Without `-v`, the first argument of `printf` is its format.
        let is_format =
            name == "printf" && arguments.first().is_none_or(|field| !field.text.starts_with("-v"));
        if !is_format {
            self.check_hidden_subscripts(arguments.iter().map(|field| field.text.clone()));
        }
        if name == "let" {
            for field in arguments {
                let piece = WordPiece { part: WordPart::Text(field.text.clone()), is_quoted: true };
                let word = Word { pieces: vec![piece], ..Word::default() };
                if is_outside(field) {
                    self.push_unknown_code("an expression that is not known", false);
                }
                self.visit_expression(&word);
            }
        } else if self.evaluates_text(name, words) {
            self.push_unknown_code("a name of a variable that comes from outside", false);
        }
    }

    /// Returns whether a builtin evaluates an argument that comes from outside.
    fn evaluates_text(&self, name: &str, words: &[Field]) -> bool {
        let arguments = &words[1..];
        if self.syntax == Syntax::Zsh
            && name != "printf"
            && name != "read"
            && arguments.iter().any(is_outside)
        {
            return true;
        }
        match name {
            "test" | "[" => tests_name(arguments),
            "declare" | "typeset" | "local" | "readonly" | "export" => arguments.iter().any(|field| {
                let name = field.text.split('=').next().unwrap_or_default();
                is_outside(&field.with_text(name))
            }),
            "unset" | "read" | "printf" | "mapfile" | "readarray" | "wait" => {
                variables::names_set(name, words).unwrap_or_default().iter().any(is_outside)
            }
            _ => false,
        }
    }
}

/// Returns whether a word may name an element with a subscript. A bracket expression matches one character,
/// so `a[0]` becomes `a0`.
fn is_outside(field: &Field) -> bool {
    is_any_text(&field.text) || field.has_glob && field.text.contains(['*', '?'])
}

/// Returns whether `-v` of `[ … ]` may test a name that comes from outside. A word from outside may even be
/// the operator.
fn tests_name(arguments: &[Field]) -> bool {
    let may_be_operator = |field: &Field| {
        let known = field.text.split(UNKNOWN).next().unwrap_or_default();
        field.text == "-v" || is_any_text(&field.text) && "-v".starts_with(known)
    };
    arguments.iter().any(|field| field.is_many && is_any_text(&field.text))
        || arguments.windows(2).any(|pair| may_be_operator(&pair[0]) && is_outside(&pair[1]))
}
