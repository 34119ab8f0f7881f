//! The questions of a command's programs. The job of the shell has the programs; the command asks its own
//! observer, waits with its time limits, and hides the answer in its own output.

use super::CommandFrame;
use crate::job::life::clock::Pause;
use crate::job::prompts::{Answer, Prompt, PromptKind};
use crate::session::shell::LiveShell;

/// The questions of one command that nobody has answered yet.
#[derive(Debug, Default)]
pub(super) struct FramePrompts(Vec<(u32, PromptKind)>);

impl CommandFrame {
    /// Asks the observer of the command.
    pub(in crate::session) fn ask_prompt(&mut self, prompt: Prompt, shell: &LiveShell) {
        if self.execution.life.is_stopping() || !self.execution.prompt_count.takes_one() {
            return shell.answer(prompt.number, None);
        }
        self.prompts.0.push((prompt.number, prompt.kind));
        self.execution.clock.pause(Pause::Prompt);
        self.execution.end.observer().prompted(prompt);
    }

    /// Passes an answer on, if it is to a question of this command.
    pub(super) fn answer_prompt(&mut self, number: u32, answer: Option<Answer>, shell: &LiveShell) {
        let Some(kind) = self.close_prompt(number) else { return };
        if let Some(secret) = answer.as_ref().and_then(|answer| answer.secret(kind)) {
            self.execution.streams.hide(secret);
        }
        shell.answer(number, answer);
    }

    /// Reports that a question needs no answer any more.
    pub(in crate::session) fn prompt_over(&mut self, number: u32) {
        if self.close_prompt(number).is_some() {
            self.execution.end.observer().prompt_over(number);
        }
    }

    /// Refuses all questions, because the command is being ended or has ended.
    pub(super) fn refuse_prompts(&mut self, shell: &LiveShell) {
        for (number, _) in std::mem::take(&mut self.prompts.0) {
            shell.answer(number, None);
            self.execution.end.observer().prompt_over(number);
        }
    }

    fn close_prompt(&mut self, number: u32) -> Option<PromptKind> {
        let index = self.prompts.0.iter().position(|(open, _)| *open == number)?;
        let (_, kind) = self.prompts.0.remove(index);
        if self.prompts.0.is_empty() {
            self.execution.clock.resume(Pause::Prompt);
        }
        Some(kind)
    }
}
