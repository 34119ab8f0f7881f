//! Redirections: the files of a command, and the text that it reads.

use std::rc::Rc;

use crate::policy::commands::constant::{Constant, constant};
use crate::policy::commands::expand::{UNSURE, expand, values};
use crate::policy::commands::field::{Field, PROCESS_FILE, UNKNOWN, is_glob, is_tainted};
use crate::policy::commands::flow::{fetches, is_network, listed_directory, paths_of};
use crate::policy::commands::found::{Found, Input, Redirect};
use crate::policy::commands::inner::is_input;
use crate::policy::commands::scope::Variable;
use crate::policy::syntax::tree::{Mode, Operator, Parameter, Part, Piece, Redirection, Word};

use super::files::descriptors::descriptor;
use super::walker::Walker;

/// The work of judging a redirection, as counted by `Scope::spend`.
const REDIRECTION_WORK: usize = 80;

/// The work of judging one of several targets: its links are looked up.
const TARGET_WORK: usize = 12;

/// The most targets of a redirection that are told apart.
const MAX_TARGETS: usize = 64;

fn is_plain(parameter: &Parameter) -> bool {
    parameter.operator == Operator::None && parameter.subscript.is_none()
}

impl Walker {
    /// Visits redirections. Returns them with their targets expanded, and the standard input, if one of them gives it.
    pub(super) fn redirections(&mut self, redirections: &[Redirection]) -> (Vec<Redirect>, Option<Input>) {
        let mut found = Vec::new();
        let mut given = None;
        for Redirection { number, variable, mode, target, body } in redirections {
            let descriptor = descriptor(*number, variable.as_deref());
            self.scope.spend(REDIRECTION_WORK);
            if let Some(name) = variable {
                self.note_assignment(name, None);
                self.scope.set(name, Variable::number(), false);
            }
            let text = match mode {
                Mode::HereDocument => body.as_ref().and_then(|body| body.get()),
                Mode::HereString => Some(target),
                _ => None,
            };
            if let Some(text) = text {
                self.visit_word(text);
                let input = self.text_input(text);
                self.open(descriptor, &input);
                given = Some(input);
                continue;
            }
            let start = self.findings.commands.len();
            let is_output = !matches!(mode, Mode::Read | Mode::DuplicateInput);
            if is_output && matches!(target.pieces.as_slice(), [Piece { part: Part::Process(_), .. }]) {
                let pipe = self.pipe(PROCESS_FILE);
                let input = std::mem::replace(&mut self.input, pipe);
                self.visit_word(target);
                self.input = input;
            } else {
                self.visit_word(target);
            }
            let values = self.certain_values(target);
            let target = self.redirection_target(target);
            if matches!(mode, Mode::Read | Mode::ReadWrite | Mode::DuplicateInput) {
                let input = match self.opened(&target.text).filter(|_| *mode == Mode::DuplicateInput) {
                    Some(input) => input,
                    None => self.file_input(*mode, &target, start),
                };
                self.open(descriptor.clone(), &input);
                given = Some(input);
            }
            if is_output {
                self.open_output(&descriptor, *mode, &target);
            }
            let directories = self.scope.directories.clone();
            found.push(Redirect { mode: *mode, target, values, directories });
        }
        (found, given)
    }

    /// Returns all possible targets of a redirection that depends on constants; none for any other.
    fn certain_values(&self, target: &Word) -> Vec<String> {
        let mut all = vec![String::new()];
        for piece in &target.pieces {
            let values = match &piece.part {
                Part::Text(text) if piece.is_quoted || !text.contains(['*', '?', '[', '{', '~']) => {
                    vec![text.clone()]
                }
                Part::Parameter(parameter) if is_plain(parameter) => self.certain_parameter(&parameter.name),
                _ => Vec::new(),
            };
            all = all
                .iter()
                .flat_map(|text| values.iter().map(move |value| format!("{text}{value}")))
                .collect();
            if all.len() > MAX_TARGETS || !self.scope.spend(all.iter().map(String::len).sum()) {
                return Vec::new();
            }
        }
        self.scope.spend(TARGET_WORK * (all.len() - all.len().min(1)));
        all
    }

    fn certain_parameter(&self, name: &str) -> Vec<String> {
        if let Ok(number) = name.parse::<usize>() {
            let fields = self.scope.positional.as_deref().unwrap_or_default();
            let field = number.checked_sub(1).and_then(|index| fields.get(index));
            let is_sure = !fields.iter().take(number).any(|field| field.is_many);
            let is_plain = |text: &&str| !text.contains([' ', '\t', '\n', '*', '?', '[']);
            let value = field.filter(|_| is_sure).and_then(Field::literal).filter(is_plain);
            return value.map(str::to_owned).into_iter().collect();
        }
        let sources = |found: &Found| matches!(found.base_name(), Some("source" | "."));
        if self.depth() > 0 || self.findings.commands.iter().any(sources) {
            return Vec::new();
        }
        let Some(variable) = self.scope.get(name) else { return Vec::new() };
        let constant = self.constant(name);
        if matches!(*constant, Some(Constant::Looped(_))) {
            self.note_unrepeatable();
        }
        match &*constant {
            Some(Constant::Assigned(value)) if variable.values == [value.as_str()] => vec![value.clone()],
            Some(Constant::Looped(values)) if self.loops.iter().any(|other| other == name) => {
                let is_known = |value: &String| value.contains(UNKNOWN) || values.contains(value);
                if variable.values.iter().all(is_known) { values.clone() } else { Vec::new() }
            }
            _ => Vec::new(),
        }
    }

    /// Returns what the text says of a variable, and reads the text once for each name.
    fn constant(&self, name: &str) -> Rc<Option<Constant>> {
        if let Some(known) = self.constants.borrow().get(name) {
            return Rc::clone(known);
        }
        self.scope.spend(self.text.len() / 16);
        let found = Rc::new(constant(&self.text, name));
        self.constants.borrow_mut().insert(name.to_owned(), Rc::clone(&found));
        found
    }

    fn redirection_target(&self, target: &Word) -> Field {
        let mut fields = expand(target, &self.scope, self, 0, &mut 0);
        let others = expand(target, &self.scope, self, UNSURE, &mut 0);
        if others.len() == 1 && fields.len() == 1 && others != fields {
            // The first possible value is a guess: checks of danger read its text, and `is_many` keeps allow rules from it.
            fields[0].is_many = true;
        }
        let mut fields = self.with_content(target, fields);
        if fields.len() == 1 { fields.remove(0) } else { Field::unknown() }
    }

    /// Returns the input from a file. `start` is the index of the first command in the target, as in `< <(curl …)`.
    #[inline(never)]
    pub(super) fn file_input(&self, mode: Mode, target: &Field, start: usize) -> Input {
        let is_downloaded = target.is_downloaded
            || mode == Mode::DuplicateInput && self.has_open_connection()
            || self.is_download(target)
            || self.findings.commands[start..].iter().any(fetches)
            || is_network(&target.text);
        if is_input(&target.text) {
            return Input { is_given: true, is_shared: true, ..self.input.clone() };
        }
        let text = target.content.clone();
        let names_files = text.as_deref().is_some_and(is_glob);
        let guesses = self.content_of(self.scope.directory().as_deref(), &target.text);
        let texts = text.as_deref().into_iter().chain(guesses.iter().map(String::as_str));
        let mut paths: Vec<String> = texts.flat_map(str::split_whitespace).map(str::to_owned).collect();
        // `< <(find directory)`
        let printing = self.findings.commands[start..].last().filter(|_| target.text == PROCESS_FILE);
        paths.extend(printing.iter().flat_map(|found| paths_of(found, None)));
        Input {
            is_given: true,
            text,
            names_files,
            is_downloaded,
            listed: printing.and_then(listed_directory).map(Rc::from),
            paths: paths.into(),
            guesses: guesses.into(),
            ..Input::default()
        }
    }

    fn text_input(&self, word: &Word) -> Input {
        let (values, is_downloaded) = values(word, &self.scope, self);
        let text: Option<Rc<str>> = match values.as_slice() {
            [value] if !value.contains(UNKNOWN) => Some(Rc::from(value.as_str())),
            _ => None,
        };
        let is_numeric =
            values.iter().all(|value| !is_tainted(value) && !value.contains(['[', '$', '`', '\\']));
        let paths = text.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned).collect();
        Input { is_given: true, text, is_numeric, is_downloaded, paths, ..Input::default() }
    }
}
