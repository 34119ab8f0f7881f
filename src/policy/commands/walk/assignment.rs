//! Assignments, and variables whose values are run as code.

use crate::policy::commands::expand::values;
use crate::policy::commands::field::{UNKNOWN, unknown_of};
use crate::policy::commands::scope::Variable;
use crate::policy::commands::variables;
use crate::policy::syntax::tree::{Assignment, Word};

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
            if !self.associative.contains(&assignment.name) {
                self.check_expression(subscript);
            }
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
        let values = self.assigned_values(assignment, texts);
        self.check_integer(&name, values.iter().map(String::as_str));
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
            let old = self.scope.get(&assignment.name);
            let old = old.iter().flat_map(|variable| &variable.values);
            return vec![unknown_of(old.chain(&texts).map(String::as_str))];
        }
        let values = if assignment.is_array { vec![texts.join(" ")] } else { texts };
        if !assignment.is_append {
            return values;
        }
        let old = self.scope.get(&assignment.name);
        let old = old.map_or_else(|| vec![String::new()], |variable| variable.values);
        let separator = |old: &str| if assignment.is_array && !old.is_empty() { " " } else { "" };
        old.iter()
            .flat_map(|old| values.iter().map(move |value| format!("{old}{}{value}", separator(old))))
            .take(MAX_APPENDED)
            .collect()
    }

    /// Visits the value of a variable that is run as code, or that defines a function (`BASH_FUNC_f%%=() { … }`).
    pub(super) fn visit_variable_code(&mut self, name: &str, value: Option<&str>, is_downloaded: bool) {
        if !variables::value_runs_code(name, value) {
            return;
        }
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
}
