//! The prompts of one command that nobody has answered yet.

use std::future::poll_fn;
use std::os::fd::AsFd;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::question::Question;
use super::{Answer, Prompt};
use crate::helper::askpass::ANSWERED;
use crate::job::life::clock::never;
use crate::process::askpass::asker::is_pipe;
use crate::process::pipe::put_into;

/// The longest time for an answer.
const ANSWER_DEADLINE: Duration = Duration::from_secs(120);

/// The open prompts of a command.
#[derive(Debug, Default)]
pub(crate) struct OpenPrompts {
    open: Vec<OpenPrompt>,
    /// The number of the last prompt.
    last: u32,
}

#[derive(Debug)]
struct OpenPrompt {
    number: u32,
    question: Question,
    deadline: Instant,
}

impl OpenPrompts {
    /// Returns whether a person is being asked.
    pub(crate) const fn is_asking(&self) -> bool {
        !self.open.is_empty()
    }

    /// Opens a prompt.
    pub(crate) fn ask(&mut self, question: Question) -> Prompt {
        self.last += 1;
        let number = self.last;
        let prompt = Prompt {
            number,
            kind: question.kind,
            text: question.text.clone(),
            program: question.asker.program.clone(),
            is_verified: question.asker.is_verified,
        };
        self.open.push(OpenPrompt { number, question, deadline: Instant::now() + ANSWER_DEADLINE });
        prompt
    }

    /// Gives an answer to the program that asked. No answer refuses one, and one to a prompt that is not open
    /// any more does nothing. `hide` gets the answer before the program, if the output must not show it.
    pub(crate) fn answer(&mut self, number: u32, answer: Option<&Answer>, hide: impl FnOnce(&str)) {
        let Some(index) = self.open.iter().position(|open| open.number == number) else { return };
        let OpenPrompt { question, .. } = self.open.remove(index);
        let Some(answer) = answer.filter(|_| is_pipe(&question.output)) else { return };
        if let Some(secret) = answer.secret(question.kind) {
            hide(secret);
        }
        if put_into(question.output.as_fd(), answer.line()) {
            question.connection.send(ANSWERED);
        }
    }

    /// Waits until a prompt needs no answer any more, because its time is up or its program is gone. Returns
    /// its number, and refuses it. Cancel safe.
    pub(crate) async fn over(&mut self) -> u32 {
        let due = self.open.iter().map(|open| open.deadline).min().unwrap_or_else(never);
        let index = tokio::select! {
            index = any_closed(&self.open) => index,
            () = sleep_until(due) => self.open.iter().position(|open| open.deadline <= due),
        };
        match index {
            Some(index) => self.open.remove(index).number,
            None => std::future::pending().await,
        }
    }

    /// Refuses all open prompts, and returns their numbers.
    pub(crate) fn refuse_all(&mut self) -> Vec<u32> {
        self.open.drain(..).map(|open| open.number).collect()
    }
}

/// Waits until the program of any prompt is gone, and returns its index.
async fn any_closed(open: &[OpenPrompt]) -> Option<usize> {
    poll_fn(|context| {
        let is_closed = |open: &OpenPrompt| open.question.connection.poll_closed(context).is_ready();
        let index = open.iter().position(is_closed);
        if index.is_some() { Poll::Ready(index) } else { Poll::Pending }
    })
    .await
}
