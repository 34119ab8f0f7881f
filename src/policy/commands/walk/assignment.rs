//! Assignments, and the places where a shell evaluates text that looks like a value.

use crate::policy::commands::expand::Outputs;
use crate::policy::commands::expand::values;
use crate::policy::commands::field::UNKNOWN;
use crate::policy::commands::scope::Variable;
use crate::policy::commands::variables;
use crate::policy::syntax::tree::{Assignment, Command, List, Part, Word};

use super::walker::Walker;

/// The most values of an appended variable that are told apart.
const MAX_APPENDED: usize = 4;

impl Walker {
    /// Visits an assignment, and returns its name and its value where that is known. `stays` is false before a command, which
    /// alone gets the value then.
    pub(super) fn visit_assignment(
        &mut self,
        assignment: &Assignment,
        stays: bool,
    ) -> (String, Option<String>) {
        if let Some(subscript) = &assignment.subscript {
            self.visit_word(subscript);
            self.check_expression(subscript);
        }
        let mut texts = Vec::new();
        let mut is_downloaded = false;
        for word in &assignment.values {
            self.visit_word(word);
            let (values, has_download) = values(word, &self.scope, self);
            is_downloaded |= has_download;
            texts.extend(values);
        }
        self.check_hidden_subscripts(assignment.values.iter().filter_map(Word::literal));
        let name = assignment.name.clone();
        let holds_text =
            assignment.values.iter().flat_map(|word| &word.pieces).any(|piece| match &piece.part {
                Part::Substitution(list) => !prints_number(list),
                Part::Parameter(parameter) => self.holds_text(&parameter.name),
                _ => false,
            });
        if holds_text {
            self.texts.insert(name.clone());
        }
        let values = self.assigned_values(assignment, texts);
        let known = match values.as_slice() {
            [value] if !value.contains(UNKNOWN) => Some(value.clone()),
            _ => None,
        };
        if variables::is_code_text(&name) {
            self.visit_variable_code(&name, known.as_deref(), is_downloaded);
        }
        if stays {
            self.scope.set(&name, Variable { values, is_downloaded }, self.is_certain);
        }
        (name, known)
    }

    /// Returns the possible values of the variable after the assignment of `texts`.
    fn assigned_values(&self, assignment: &Assignment, texts: Vec<String>) -> Vec<String> {
        if assignment.subscript.is_some() {
            return vec![UNKNOWN.to_string()];
        }
        let values = if assignment.is_array { vec![texts.join(" ")] } else { texts };
        if !assignment.is_append {
            return values;
        }
        let old = self.scope.get(&assignment.name);
        let old = old.map_or_else(|| vec![String::new()], |variable| variable.values);
        old.iter()
            .flat_map(|old| values.iter().map(move |value| format!("{old}{value}")))
            .take(MAX_APPENDED)
            .collect()
    }

    /// Visits the value of a variable that is run as code, or that defines a function (`BASH_FUNC_f%%=() { … }`).
    pub(super) fn visit_variable_code(&mut self, name: &str, value: Option<&str>, is_downloaded: bool) {
        let function = name.strip_prefix("BASH_FUNC_").and(value).map(|body| format!("f {body}"));
        let text = function.as_deref().or(value);
        self.visit_code(text, None, "a variable that is run as code", is_downloaded);
    }

    /// Notes that a variable is set by something else than an assignment, such as a loop.
    pub(super) fn note_assignment(&mut self, name: &str, value: Option<String>) {
        if variables::is_code_text(name) {
            self.visit_variable_code(name, value.as_deref(), false);
        }
        if variables::runs_code(name) {
            self.push_bare(vec![(name.to_owned(), value)], Vec::new());
        }
    }

    /// Checks text that bash evaluates as an expression: arithmetic, a subscript, an operand of `-eq`. The text is expanded first,
    /// and the substitutions in the result run.
    pub(super) fn check_expression(&mut self, word: &Word) {
        let (expanded, _) = values(word, &self.scope, self);
        let depends_on_text = word.pieces.iter().any(|piece| match &piece.part {
            Part::Substitution(list) => self.output(&piece.part).0.is_none() && !prints_number(list),
            Part::Parameter(parameter) => self.holds_text(&parameter.name),
            Part::Text(text) => text
                .split(|char: char| !(char.is_ascii_alphanumeric() || char == '_'))
                .any(|name| self.holds_text(name)),
            _ => false,
        });
        if expanded.iter().any(|value| hides_subscript(value)) || self.has_code_as_data && depends_on_text {
            self.push_unknown_code("arithmetic that evaluates a value", false);
        }
    }

    /// Returns whether a variable, or the one that its value names, holds the output of a program other than a number.
    fn holds_text(&self, name: &str) -> bool {
        if self.texts.is_empty() || name.is_empty() {
            return false;
        }
        self.texts.contains(name)
            || self.scope.get(name).is_some_and(|variable| {
                variable.values.iter().any(|value| self.texts.contains(value.as_str()))
            })
    }

    /// Notes the variables that an arithmetic expression sets, as in `((PATH = 1))`.
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
        for name in text
            .split(|char: char| !(char.is_ascii_alphanumeric() || char == '_'))
            .filter(|name| !name.is_empty())
        {
            if name.starts_with(|char: char| char.is_ascii_digit()) {
                continue;
            }
            // The value of a variable is an expression itself, with all that is in it.
            let variable = self.scope.get(name);
            let hides =
                variable.is_some_and(|variable| variable.values.iter().any(|value| hides_subscript(value)));
            if hides {
                self.push_unknown_code("arithmetic that evaluates a value", false);
            }
            if text.contains('=') || text.contains("++") || text.contains("--") {
                self.note_assignment(name, None);
                self.scope.set(name, Variable::unknown(), false);
            }
        }
    }

    /// Notes quoted texts like `x[$(cmd)]`: arithmetic, `test -v`, `unset` and others evaluate the subscript in them.
    pub(super) fn check_hidden_subscripts(&mut self, mut texts: impl Iterator<Item = String>) {
        if texts.any(|text| hides_subscript(&text)) {
            self.push_unknown_code("a subscript in quotes", false);
        }
    }
}

/// Returns whether the last command of a list prints a number.
fn prints_number(list: &List) -> bool {
    let last = list.items.last().map(|item| item.rest.last().map_or(&item.first, |(_, pipeline)| pipeline));
    let Some(Command::Simple(simple)) = last.and_then(|pipeline| pipeline.stages.last()) else {
        return false;
    };
    let name = simple.words.first().and_then(Word::literal).unwrap_or_default();
    matches!(name.as_str(), "wc" | "date" | "expr" | "nproc" | "stat" | "seq" | "bc" | "id" | "pgrep")
}

fn hides_subscript(text: &str) -> bool {
    text.find('[').is_some_and(|bracket| text[bracket..].contains("$(") || text[bracket..].contains('`'))
}
