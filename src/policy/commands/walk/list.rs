//! Lists and pipelines.

use std::rc::Rc;

use crate::policy::commands::analysis::{ExpandedCommand, Origin, StandardInput};
use crate::policy::commands::download::{decodes, fetches};
use crate::policy::commands::literal_output::literal_output;
use crate::syntax::Syntax;
use crate::syntax::tree::{AndOrList, Command, Connector, List, Pipeline};

use super::walker::Walker;

impl Walker<'_> {
    pub(super) fn visit_list(&mut self, list: &List) {
        for item in &list.items {
            if self.error.is_some() {
                return;
            }
            if item.is_background {
                self.in_process(|walker| walker.visit_item(item));
            } else {
                self.visit_item(item);
            }
        }
    }

    fn visit_item(&mut self, item: &AndOrList) {
        self.visit_pipeline(&item.first);
        // After `&&`, the commands before it have run. After the first `||`, or after the whole list, perhaps
        // not: in `a || x=b && $x c`, `$x` may be unset.
        let before = self.known.mark();
        let mut is_certain = true;
        for (connector, pipeline) in &item.rest {
            is_certain &= *connector == Connector::And;
            if !is_certain {
                self.known.cut(before);
            }
            self.visit_pipeline(pipeline);
        }
        self.known.cut(before);
    }

    fn visit_pipeline(&mut self, pipeline: &Pipeline) {
        if let [stage] = pipeline.stages.as_slice() {
            return self.visit_command(stage);
        }
        let outer = self.input.clone();
        for (index, stage) in pipeline.stages.iter().enumerate() {
            let start = self.findings.commands.len();
            if index + 1 == pipeline.stages.len() {
                // zsh and ksh run the last stage in the shell itself, so that its directory stays.
                if self.syntax == Syntax::Bash {
                    self.in_process(|walker| walker.visit_command(stage));
                } else {
                    self.in_branch(|walker| walker.visit_command(stage));
                }
                break;
            }
            self.in_process(|walker| walker.visit_command(stage));
            self.input = self.output_since(start, matches!(stage, Command::Simple(_)));
        }
        self.input = outer;
    }

    /// Returns the output of the commands from `start` on, as the input of the next stage. The text of one
    /// simple command is known.
    fn output_since(&self, start: usize, is_simple: bool) -> StandardInput {
        let found = &self.findings.commands[start..];
        let text = match found {
            [only] if is_simple => literal_output(only).map(Rc::from),
            _ => None,
        };
        let mut origin = self.input.origin;
        let has_download = |found: &ExpandedCommand| found.words.iter().any(|field| field.is_downloaded);
        if found.iter().any(|found| fetches(found) || has_download(found)) {
            origin = Origin::Network;
        } else if text.is_some() {
            origin = Origin::Local;
        } else if origin == Origin::Local && found.iter().any(decodes) {
            origin = Origin::Decoder;
        }
        // A command whose whole input is given passes nothing on from the pipeline.
        let is_own = |found: &ExpandedCommand| found.input.text.is_some();
        if found.last().is_some_and(is_own) && !found.iter().any(|found| fetches(found) || decodes(found)) {
            origin = Origin::Local;
        }
        let feeder = (!found.is_empty()).then(|| self.findings.commands.len() - 1);
        StandardInput { is_given: true, text, origin, feeder }
    }

    pub(super) fn visit_command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.visit_simple(simple),
            Command::Compound(compound) => self.visit_compound(compound),
            Command::Function { name, body } => self.visit_function(name, body),
        }
    }
}
