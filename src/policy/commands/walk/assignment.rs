//! Assignments, and variables whose values are run as code.

use std::rc::Rc;

use crate::policy::commands::expand::{UNSURE, expand, values};
use crate::policy::commands::field::{Field, UNKNOWN, unknown_of};
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
                self.note_arithmetic(subscript);
            }
        }
        for word in &assignment.values {
            self.visit_word(word);
        }
        self.check_hidden_subscripts(assignment.values.iter().filter_map(Word::literal));
        let name = assignment.name.clone();
        let variable = self.assigned(assignment);
        let (values, is_downloaded) = (&variable.values, variable.is_downloaded);
        self.check_integer(&name, values.iter().map(String::as_str));
        let known = match values.as_slice() {
            [value] if !value.contains(UNKNOWN) => Some(value.clone()),
            _ => None,
        };
        if variables::is_code_text(&name) {
            self.visit_variable_code(&name, known.as_deref(), is_downloaded);
        }
        if stays {
            self.scope.set(&name, variable, self.is_certain);
        }
        (name, known)
    }

    /// Returns the variable after an assignment.
    fn assigned(&self, assignment: &Assignment) -> Variable {
        let old = self.scope.get(&assignment.name);
        if assignment.is_array {
            return self.assigned_array(assignment, old);
        }
        let mut texts = Vec::new();
        let mut is_downloaded = false;
        for word in &assignment.values {
            let (values, has_download) = values(word, &self.scope, self);
            is_downloaded |= has_download;
            texts.extend(values);
        }
        // A value goes to one element of an array.
        if assignment.subscript.is_some() || old.as_ref().is_some_and(|old| old.is_array) {
            let mut array = Variable::array(old);
            array.is_downloaded |= is_downloaded;
            array.values.extend(texts);
            return array;
        }
        let mut names_files = false;
        let values = match old.filter(|_| assignment.is_append) {
            None => texts,
            Some(old) => {
                is_downloaded |= old.is_downloaded;
                names_files = old.names_files;
                let appended =
                    |old: &String| texts.iter().map(move |text| format!("{old}{text}")).collect::<Vec<_>>();
                old.values.iter().flat_map(appended).take(MAX_APPENDED).collect()
            }
        };
        Variable { values, is_downloaded, names_files, ..Variable::default() }
    }

    /// Returns the array after `a=(…)` or `a+=(…)`.
    fn assigned_array(&self, assignment: &Assignment, old: Option<Variable>) -> Variable {
        let mut most = 1;
        let mut expanded = |word| expand(word, &self.scope, self, UNSURE, &mut most);
        let fields: Vec<Field> = assignment.values.iter().flat_map(&mut expanded).collect();
        let mut is_downloaded = fields.iter().any(|field| field.is_downloaded);
        // `[1]=x` gives the place too; in `declare -A`, every other element is a key.
        let had_places = old.as_ref().is_some_and(|old| old.is_array && old.elements.is_none());
        let new: Option<Vec<String>> = fields.iter().map(|field| field.known().map(str::to_owned)).collect();
        let texts: Vec<&str> = fields.iter().map(|field| field.text.as_str()).collect();
        let old = old.filter(|_| assignment.is_append);
        is_downloaded |= old.as_ref().is_some_and(|old| old.is_downloaded);
        let (before, old_values) = match old {
            None => (Some(Vec::new()), vec![String::new()]),
            Some(old) if old.is_array => (old.elements.map(|elements| elements.to_vec()), old.values),
            // An empty value may be none, which gives no element.
            Some(old) => {
                let is_one = |values: &Vec<String>| values.len() == 1 && !values[0].is_empty();
                (Some(old.values.clone()).filter(|_| !old.names_files).filter(is_one), old.values)
            }
        };
        let work = old_values.iter().chain(before.iter().flatten()).map(|text| 1 + text.len()).sum();
        if !self.scope.spend(work) {
            return Variable::array(None);
        }
        let elements: Option<Rc<[String]>> = before
            .zip(new)
            .filter(|_| !assignment.has_places && !had_places)
            .map(|(before, new)| before.into_iter().chain(new).collect());
        let all = texts.join(" ");
        let separator = |old: &str| if old.is_empty() { "" } else { " " };
        let values = old_values.iter().map(|old| format!("{old}{}{all}", separator(old))).take(MAX_APPENDED);
        let mut values: Vec<String> = values.collect();
        if elements.is_none() {
            let mark = unknown_of(values.iter().map(String::as_str));
            values.insert(0, mark);
        }
        // The possible values of the words are likely ones of the elements.
        for choice in (0..most.min(MAX_APPENDED)).filter(|_| most > 1) {
            let fields =
                assignment.values.iter().flat_map(|word| expand(word, &self.scope, self, choice, &mut 0));
            let texts: Vec<String> = fields.map(|field| field.text).collect();
            values.push(texts.join(" "));
        }
        Variable { values, is_downloaded, is_array: true, elements, ..Variable::default() }
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
            self.push_bare(vec![(name.to_owned(), value)], Vec::new(), None);
        }
    }
}
