//! Simple commands: turns assignments, words and redirections into fields.

use crate::policy::commands::analysis::{ExpandedCommand, Origin};
use crate::policy::commands::download::fetches;
use crate::policy::commands::expand::Expansion;
use crate::policy::commands::field::UNKNOWN;
use crate::policy::commands::variables;
use crate::syntax::Syntax;
use crate::syntax::tree::{Assignment, Simple, Word};

use super::walker::Walker;

impl Walker<'_> {
    pub(super) fn visit_simple(&mut self, simple: &Simple) {
        let stays = simple.words.is_empty();
        let mut assignments = Vec::with_capacity(simple.assignments.len());
        for assignment in &simple.assignments {
            assignments.push(self.visit_assignment(assignment, stays));
        }
        let mut words = Vec::with_capacity(simple.words.len());
        for word in &simple.words {
            words.extend(self.visit_fields(word));
            if self.error.is_some() {
                return;
            }
        }
        let input = self.input.clone();
        // The commands of `> >(…)` read the output of this command.
        if fetches(&ExpandedCommand { style: self.known.style(), ..ExpandedCommand::of(words.clone()) }) {
            self.input.origin = Origin::Network;
        }
        let (redirections, given) = self.redirections(&simple.redirections);
        self.input.origin = input.origin;
        let input = given.unwrap_or(input);
        if stays {
            assignments.retain(|(name, value)| variables::value_runs_code(name, value.as_deref()));
            return self.push_bare(assignments, redirections, input);
        }
        self.invoke(
            ExpandedCommand { assignments, redirections, input, ..ExpandedCommand::of(words) },
            false,
        );
    }

    /// Visits an assignment, and returns its name and its known value.
    ///
    /// `stays` is false before a command: then only that command gets the value.
    fn visit_assignment(&mut self, assignment: &Assignment, stays: bool) -> (String, Option<String>) {
        let Assignment { name, subscript, values, is_array, is_append, .. } = assignment;
        if let Some(subscript) = subscript {
            if self.known.is_associative(name) {
                self.visit_value(subscript);
            } else {
                self.visit_expression(subscript);
            }
        }
        let mut value = Expansion::default();
        for word in values {
            // The words of an array are split and globbed.
            if *is_array {
                for field in self.visit_fields(word) {
                    self.check_integer(name, &Expansion::of(&field.text));
                    value.is_downloaded |= field.is_downloaded;
                }
            } else {
                value = self.visit_value(word);
                self.check_integer(name, &value);
            }
        }
        self.check_hidden_subscripts(values.iter().filter_map(Word::literal));
        let is_plain = !is_array && !is_append && subscript.is_none();
        let known = Some(&value.text).filter(|text| is_plain && !text.contains(UNKNOWN)).cloned();
        let name = if self.syntax == Syntax::Zsh { variables::tied_in_zsh(name) } else { name };
        if variables::is_code_text(name) {
            self.visit_variable_code(name, known.as_deref(), value.is_downloaded);
        }
        if stays {
            let text = if is_plain { value.text.clone() } else { Expansion::any_text().text };
            self.known.assign(name, &Expansion { text, ..value });
        }
        (name.to_owned(), known)
    }

    /// Visits the value of a variable that runs as code.
    pub(super) fn visit_variable_code(&mut self, name: &str, value: Option<&str>, is_downloaded: bool) {
        if variables::value_runs_code(name, value) {
            self.in_branch(|walker| {
                walker.visit_code(value, "a variable that is run as code", is_downloaded);
            });
        }
    }
}
