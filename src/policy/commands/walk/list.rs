//! Lists and pipelines.

use std::rc::Rc;

use crate::policy::commands::flow::{disguises, fetches, listed_directory, paths_of};
use crate::policy::commands::found::{Found, Input};
use crate::policy::commands::substitution::output_of;
use crate::policy::syntax::Syntax;
use crate::policy::syntax::tree::{Command, Item, List, Pipeline};

use super::walker::Walker;

impl Walker {
    pub(super) fn visit_list(&mut self, list: &List) {
        for item in &list.items {
            if self.has_given_up() {
                return;
            }
            self.visit_item(item);
        }
    }

    fn visit_item(&mut self, item: &Item) {
        let was_certain = (self.is_certain, self.is_certain_in_call);
        let scope = item.is_background.then(|| self.scope.saved());
        self.visit_pipeline(&item.first);
        for (_, pipeline) in &item.rest {
            // The first pipeline runs in any case: a change of the directory before `&&` has happened when the next one runs.
            (self.is_certain, self.is_certain_in_call) = (false, false);
            self.visit_pipeline(pipeline);
        }
        (self.is_certain, self.is_certain_in_call) = was_certain;
        if let Some(scope) = scope {
            self.restore(scope);
        }
    }

    fn visit_pipeline(&mut self, pipeline: &Pipeline) {
        if let [stage] = pipeline.stages.as_slice() {
            return self.visit_command(stage);
        }
        let (input, printed_text) = (self.input.clone(), self.prints_text);
        for (index, stage) in pipeline.stages.iter().enumerate() {
            let scope = self.scope.saved();
            let start = self.findings.commands.len();
            self.prints_text = false;
            let is_last = index + 1 == pipeline.stages.len();
            if is_last && self.syntax != Syntax::Bash {
                // zsh and ksh run it themselves, so that its variables stay.
                self.in_branch(|walker| walker.visit_command(stage));
                break;
            }
            self.visit_command(stage);
            self.restore(scope);
            if !is_last {
                self.input = self.output_of_stage(start, stage);
            }
        }
        self.input = input;
        self.prints_text |= printed_text;
    }

    pub(super) fn visit_command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.visit_simple(simple),
            Command::Compound(compound) => self.visit_compound(compound),
            Command::Function { name, body } => self.visit_function(name, body),
        }
    }

    /// Returns the output of a stage as the input of the next one. `start` is the index of the stage's first command.
    fn output_of_stage(&self, start: usize, stage: &Command) -> Input {
        let found = &self.findings.commands[start..];
        let names: Vec<&str> = found.iter().filter_map(Found::base_name).collect();
        let is_known = matches!(stage, Command::Simple(_)) && names.len() == 1;
        let last = found.last();
        let text = last.filter(|_| is_known).and_then(|found| {
            output_of(&found.words, &self.scope).map(Rc::from).or_else(|| {
                // `cat` without files prints its input.
                (found.base_name() == Some("cat") && found.words.len() == 1)
                    .then(|| found.input.text.clone())
                    .flatten()
            })
        });
        let guesses = last.filter(|_| is_known).map_or_else(Vec::new, |found| self.printed_guesses(found));
        let is_given = text.is_none();
        let names_files = last
            .is_some_and(|found| found.input.names_files || found.words.iter().any(|field| field.has_glob));
        Input {
            is_given: true,
            is_shared: true,
            names_files,
            is_numeric: !self.prints_text,
            is_downloaded: self.input.is_downloaded && is_given
                || found.iter().any(|found| {
                    fetches(found)
                        || found.input.is_downloaded && is_given
                        || found
                            .words
                            .iter()
                            .skip(1)
                            .any(|field| field.is_downloaded || self.is_download(field))
                }),
            listed: last.and_then(listed_directory).map(Rc::from),
            is_disguised: self.input.is_disguised && is_given || names.iter().any(|name| disguises(name)),
            paths: last.map_or_else(Vec::new, |found| paths_of(found, text.as_deref())).into(),
            guesses: guesses.into(),
            text,
        }
    }
}
