//! Lists and pipelines.

use crate::policy::commands::flow::is_constant;
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
        self.background_jobs += usize::from(item.is_background);
        self.visit_pipeline(&item.first);
        let mut is_conditional = !is_constant(&item.first);
        for (_, pipeline) in &item.rest {
            // The first pipeline runs in any case: a change of the directory before `&&` has happened when the next one runs.
            (self.is_certain, self.is_certain_in_call) = (false, false);
            self.on_condition(is_conditional, |walker| walker.visit_pipeline(pipeline));
            is_conditional |= !is_constant(pipeline);
        }
        self.background_jobs -= usize::from(item.is_background);
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
        self.pipelines += 1;
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
                self.input = self.output_since(start, matches!(stage, Command::Simple(_)));
                self.capture(start);
            }
        }
        self.pipelines -= 1;
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
}
