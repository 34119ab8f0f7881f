//! Handles the prompts of a command: a person is asked, the time limits wait, and the output never shows
//! the answer.

use std::sync::Arc;

use super::Execution;
use crate::job::life::clock::Pause;
use crate::job::prompts::{Answer, PromptScope, Question};
use crate::text::redact::Redactor;

/// The name of an answer in marks.
const ANSWER: &str = "answer";

impl Execution {
    /// Asks the observer, unless the command is being ended. A shell is no command: its session counts.
    pub(crate) fn ask(&mut self, question: Question) {
        let scope = self.plan.surroundings.prompts.map(|prompts| prompts.scope);
        let is_for_shell = scope == Some(PromptScope::Shell);
        if self.life.is_stopping() || !(is_for_shell || self.prompt_count.takes_one()) {
            return;
        }
        let prompt = self.prompts.ask(question);
        self.clock.pause(Pause::Prompt);
        self.end.observer().prompted(prompt);
    }

    /// Gives an answer to the program that asked.
    pub(super) fn answer_prompt(&mut self, number: u32, answer: Option<&Answer>) {
        let Self { prompts, streams, .. } = self;
        prompts.answer(number, answer, |secret| streams.hide(secret));
        if !prompts.is_asking() {
            self.clock.resume(Pause::Prompt);
        }
    }

    /// Reports that a prompt needs no answer any more.
    pub(crate) fn prompt_over(&mut self, number: u32) {
        self.end.observer().prompt_over(number);
        if !self.prompts.is_asking() {
            self.clock.resume(Pause::Prompt);
        }
    }

    /// Refuses all prompts, because the command is being ended.
    pub(crate) fn refuse_prompts(&mut self) {
        for number in self.prompts.refuse_all() {
            self.end.observer().prompt_over(number);
        }
    }
}

/// Returns the redactor that replaces an answer by its mark; `None` for one that it can't replace.
pub(super) fn redactor_of(answer: &str) -> Option<Arc<Redactor>> {
    // Without rules, there is none that can't be compiled.
    Redactor::new(&[(ANSWER.to_owned(), answer.to_owned())], &[], false).ok().map(Arc::new)
}
