//! Questions about hosts that no list has, which a person answers while the connection waits.
//!
//! There is one question for each host and port: later connections share it, and its answer lasts for the
//! command. The host is neither looked up nor contacted before a yes.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::sandbox::protocol::report::RefusalReason;

/// The longest wait for an answer. Most clients wait longer for a connection.
const ANSWER_DEADLINE: Duration = Duration::from_secs(60);

/// The largest number of hosts and ports of one command that are remembered. Further ones are refused.
const MAX_QUESTIONS: usize = 1024;

/// The decision about a connection: it is made, or refused for a reason.
pub type Verdict = Result<(), RefusalReason>;

/// An event about a question, for the one who asks the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectEvent {
    /// A connection waits for an answer.
    Asked {
        /// The question's number.
        number: u32,
        /// The name, or the address.
        host: String,
        port: u16,
    },
    /// The question of this number has its answer, or needs none any more.
    Over(u32),
}

/// The questions of one sandbox.
#[derive(Debug)]
pub struct Questions {
    /// The longest wait for an answer.
    limit: Duration,
    state: Mutex<State>,
    events: UnboundedSender<ConnectEvent>,
    receiver: Mutex<UnboundedReceiver<ConnectEvent>>,
}

#[derive(Debug, Default)]
struct State {
    last_number: u32,
    /// Whether the command is being ended, so that nobody is asked.
    is_stopped: bool,
    asked: HashMap<(String, u16), Question>,
}

#[derive(Debug)]
struct Question {
    number: u32,
    deadline: Instant,
    verdict: watch::Sender<Option<Verdict>>,
}

impl Default for Questions {
    fn default() -> Self {
        Self::new(ANSWER_DEADLINE)
    }
}

impl Questions {
    fn new(limit: Duration) -> Self {
        let (events, receiver) = unbounded_channel();
        Self { limit, state: Mutex::default(), events, receiver: Mutex::new(receiver) }
    }

    /// Waits for the answer about a host, and asks if nobody has asked before.
    ///
    /// # Errors
    ///
    /// Why the connection is refused.
    pub async fn ask(&self, host: &str, port: u16) -> Verdict {
        let Some((number, deadline, mut verdict)) = self.question(host, port) else {
            return Err(RefusalReason::NotAllowed);
        };
        let answered = async { verdict.wait_for(Option::is_some).await.ok().and_then(|verdict| *verdict) };
        if let Ok(verdict) = timeout_at(deadline, answered).await {
            return verdict.unwrap_or(Err(RefusalReason::NotAllowed));
        }
        self.answer(number, Err(RefusalReason::Unanswered));
        Err(RefusalReason::Unanswered)
    }

    /// Returns the question about a host, after asking it.
    fn question(&self, host: &str, port: u16) -> Option<(u32, Instant, watch::Receiver<Option<Verdict>>)> {
        let mut state = self.state();
        let key = (host.to_owned(), port);
        if let Some(question) = state.asked.get(&key) {
            return Some((question.number, question.deadline, question.verdict.subscribe()));
        }
        if state.is_stopped || state.asked.len() >= MAX_QUESTIONS {
            return None;
        }
        state.last_number += 1;
        let number = state.last_number;
        let deadline = Instant::now() + self.limit;
        let (verdict, receiver) = watch::channel(None);
        state.asked.insert(key, Question { number, deadline, verdict });
        // The receiver lives as long as this sender.
        let _ = self.events.send(ConnectEvent::Asked { number, host: host.to_owned(), port });
        Some((number, deadline, receiver))
    }

    /// Answers a question. A late answer, or a second one, has no effect.
    pub fn answer(&self, number: u32, verdict: Verdict) {
        let state = self.state();
        let is_open = |question: &&Question| question.number == number && question.verdict.borrow().is_none();
        if let Some(question) = state.asked.values().find(is_open) {
            self.close(question, verdict);
        }
    }

    /// Begins another command: its answers are its own. Questions that are open stay.
    pub fn start(&self) {
        let mut state = self.state();
        state.is_stopped = false;
        state.asked.retain(|_, question| question.verdict.borrow().is_none());
    }

    /// Refuses all open and further questions, because the command is being ended.
    pub fn stop(&self) {
        let mut state = self.state();
        state.is_stopped = true;
        for question in state.asked.values().filter(|question| question.verdict.borrow().is_none()) {
            self.close(question, Err(RefusalReason::NotAllowed));
        }
    }

    /// Polls for the next event.
    pub fn poll_event(&self, context: &mut Context<'_>) -> Poll<ConnectEvent> {
        let mut receiver = self.receiver.lock().unwrap_or_else(PoisonError::into_inner);
        match receiver.poll_recv(context) {
            Poll::Ready(Some(event)) => Poll::Ready(event),
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    }

    fn close(&self, question: &Question, verdict: Verdict) {
        question.verdict.send_replace(Some(verdict));
        let _ = self.events.send(ConnectEvent::Over(question.number));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::time::Duration;

    use tokio::join;
    use tokio::runtime::Builder;

    use super::{ConnectEvent, MAX_QUESTIONS, Questions, RefusalReason};

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        Builder::new_current_thread().enable_time().build().expect("a runtime").block_on(future)
    }

    async fn next(questions: &Questions) -> ConnectEvent {
        poll_fn(|context| questions.poll_event(context)).await
    }

    fn asked(number: u32, host: &str, port: u16) -> ConnectEvent {
        ConnectEvent::Asked { number, host: host.to_owned(), port }
    }

    #[test]
    fn parallel_connections_share_one_question_and_later_ones_its_answer() {
        block_on(async {
            let questions = Questions::default();
            let person = async {
                assert_eq!(next(&questions).await, asked(1, "a.test", 443));
                questions.answer(1, Ok(()));
                assert_eq!(next(&questions).await, ConnectEvent::Over(1));
            };
            let (one, other, ()) = join!(questions.ask("a.test", 443), questions.ask("a.test", 443), person);
            assert_eq!((one, other), (Ok(()), Ok(())));
            assert_eq!(questions.ask("a.test", 443).await, Ok(()));
            questions.answer(1, Err(RefusalReason::Declined));
            assert_eq!(questions.ask("a.test", 443).await, Ok(()), "a late answer");
        });
    }

    #[test]
    fn another_port_is_another_question() {
        block_on(async {
            let questions = Questions::default();
            let person = async {
                assert_eq!(next(&questions).await, asked(1, "a.test", 443));
                assert_eq!(next(&questions).await, asked(2, "a.test", 22));
                questions.answer(2, Err(RefusalReason::Declined));
                questions.answer(1, Ok(()));
            };
            let (one, other, ()) = join!(questions.ask("a.test", 443), questions.ask("a.test", 22), person);
            assert_eq!((one, other), (Ok(()), Err(RefusalReason::Declined)));
        });
    }

    #[test]
    fn nobody_is_waited_for_longer_than_the_limit() {
        block_on(async {
            let questions = Questions::new(Duration::from_millis(10));
            assert_eq!(questions.ask("a.test", 443).await, Err(RefusalReason::Unanswered));
            assert_eq!(next(&questions).await, asked(1, "a.test", 443));
            assert_eq!(next(&questions).await, ConnectEvent::Over(1));
            questions.answer(1, Ok(()));
            assert_eq!(questions.ask("a.test", 443).await, Err(RefusalReason::Unanswered));
        });
    }

    #[test]
    fn the_end_of_a_command_refuses_and_the_next_one_asks_again() {
        block_on(async {
            let questions = Questions::default();
            let end = async {
                next(&questions).await;
                questions.stop();
            };
            let (verdict, ()) = join!(questions.ask("a.test", 443), end);
            assert_eq!(verdict, Err(RefusalReason::NotAllowed));
            assert_eq!(questions.ask("b.test", 443).await, Err(RefusalReason::NotAllowed));
            assert_eq!(next(&questions).await, ConnectEvent::Over(1));
            questions.start();
            let person = async {
                assert_eq!(next(&questions).await, asked(2, "a.test", 443));
                questions.answer(2, Ok(()));
            };
            let (verdict, ()) = join!(questions.ask("a.test", 443), person);
            assert_eq!(verdict, Ok(()));
        });
    }

    #[test]
    fn the_number_of_questions_of_a_command_has_a_bound() {
        block_on(async {
            let questions = Questions::default();
            for number in 0..MAX_QUESTIONS {
                assert!(questions.question(&format!("h{number}.test"), 1).is_some());
            }
            assert!(questions.question("one-more.test", 1).is_none());
            assert!(questions.question("h0.test", 1).is_some());
        });
    }
}
