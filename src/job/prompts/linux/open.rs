//! The prompts of one command that nobody has answered yet.

use std::future::poll_fn;
use std::os::fd::AsFd;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::question::Question;
use crate::helper::askpass::ANSWERED;
use crate::job::life::clock::never;
use crate::job::prompts::{Answer, Prompt};
use crate::process::askpass::asker::is_pipe;
use crate::process::pipe::put_into;

/// The longest time for an answer.
const ANSWER_DEADLINE: Duration = Duration::from_secs(120);

/// The prompts of a command that wait for a person, each with a deadline.
#[derive(Debug)]
pub(crate) struct OpenPrompts {
    /// The longest time for an answer.
    limit: Duration,
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

impl Default for OpenPrompts {
    fn default() -> Self {
        Self::new(ANSWER_DEADLINE)
    }
}

impl OpenPrompts {
    const fn new(limit: Duration) -> Self {
        Self { limit, open: Vec::new(), last: 0 }
    }

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
        self.open.push(OpenPrompt { number, question, deadline: Instant::now() + self.limit });
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

#[cfg(test)]
mod tests {
    use std::io::{PipeReader, Read, pipe};
    use std::os::fd::OwnedFd;
    use std::time::Duration;

    use rustix::net::{RecvFlags, recv};
    use tokio::runtime::Builder;

    use super::{OpenPrompts, Question};
    use crate::job::prompts::{Answer, PromptKind};
    use crate::process::askpass::asker::Asker;
    use crate::process::askpass::socket::AskpassConnection;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(future)
    }

    /// Returns a question, the socket of the program that asks, and the pipe from which it reads the answer.
    fn question() -> (Question, OwnedFd, PipeReader) {
        let (connection, program) = AskpassConnection::pair();
        let (answer, output) = pipe().expect("a pipe");
        let asker = Asker { program: "ssh".to_owned(), is_verified: false };
        let (kind, text) = (PromptKind::Password, "?".to_owned());
        (Question { kind, text, asker, connection, output: output.into() }, program, answer)
    }

    fn no_secret(_: &str) {
        panic!("a late answer");
    }

    #[test]
    fn a_prompt_is_refused_after_its_time_and_a_late_answer_goes_nowhere() {
        block_on(async {
            let mut prompts = OpenPrompts::new(Duration::from_millis(10));
            let (question, program, mut output) = question();
            let number = prompts.ask(question).number;
            assert!(prompts.is_asking());
            assert_eq!(prompts.over().await, number);
            assert!(!prompts.is_asking());
            prompts.answer(number, Answer::new("open sesame".to_owned()).as_ref(), no_secret);
            let (length, _) = recv(&program, &mut [0_u8; 8][..], RecvFlags::empty()).expect("an end");
            assert_eq!(length, 0, "the program sees a refusal");
            let mut written = Vec::new();
            output.read_to_end(&mut written).expect("read");
            assert_eq!(written, b"");
        });
    }

    #[test]
    fn each_prompt_has_a_time_of_its_own() {
        block_on(async {
            let mut prompts = OpenPrompts::new(Duration::from_millis(10));
            let (first, _first_program, _first_output) = question();
            let (second, _second_program, _second_output) = question();
            let numbers = [prompts.ask(first).number, prompts.ask(second).number];
            assert_eq!([prompts.over().await, prompts.over().await], numbers);
        });
    }

    #[test]
    fn a_prompt_is_over_when_its_program_is_gone() {
        block_on(async {
            let mut prompts = OpenPrompts::default();
            let (question, program, _output) = question();
            let number = prompts.ask(question).number;
            drop(program);
            assert_eq!(prompts.over().await, number);
            assert!(!prompts.is_asking());
        });
    }
}
