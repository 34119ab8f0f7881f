//! Questions about hosts that no list has, which a person answers while the connection waits.
//!
//! There is one question for each host and port: later connections share it, and its answer lasts for the
//! command. The host is neither looked up nor contacted before a yes. A question ends without an answer when
//! the connections that wait for it are gone.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};

use crate::sandbox::protocol::report::RefusalReason;

/// The longest wait for an answer. Most clients wait longer for a connection.
const ANSWER_DEADLINE: Duration = Duration::from_secs(60);

/// The time for which a question outlives its last connection: programs that have waited for as long as they
/// may connect again within a second or two, and a new question would close the person's dialog.
const RETRY_GRACE: Duration = Duration::from_secs(3);

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
    /// The time for which a question outlives its last connection.
    grace: Duration,
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
    /// The number of connections that wait.
    waiting: usize,
}

/// A connection that waits for the answer to a question. Dropping the last one ends the question.
#[derive(Debug)]
struct Waiter<'a> {
    questions: &'a Questions,
    number: u32,
    deadline: Instant,
    verdict: watch::Receiver<Option<Verdict>>,
}

impl Default for Questions {
    fn default() -> Self {
        Self::new(ANSWER_DEADLINE, RETRY_GRACE)
    }
}

impl Questions {
    fn new(limit: Duration, grace: Duration) -> Self {
        let (events, receiver) = unbounded_channel();
        Self { limit, grace, state: Mutex::default(), events, receiver: Mutex::new(receiver) }
    }

    /// Waits for the answer about a host, and asks if nobody has asked before. `gone` resolves when the
    /// connection that waits is closed.
    ///
    /// # Errors
    ///
    /// Why the connection is refused.
    pub async fn ask(&self, host: &str, port: u16, gone: impl Future<Output = ()>) -> Verdict {
        let Some(mut waiter) = self.wait(host, port) else {
            return Err(RefusalReason::NotAllowed);
        };
        tokio::select! {
            biased;
            verdict = waiter.verdict() => verdict,
            () = async { gone.await; sleep(self.grace).await } => Err(RefusalReason::Unanswered),
        }
    }

    /// Adds a connection to the question about a host, after asking it.
    fn wait(&self, host: &str, port: u16) -> Option<Waiter<'_>> {
        let mut state = self.state();
        let State { last_number, is_stopped, asked } = &mut *state;
        let count = asked.len();
        let question = match asked.entry((host.to_owned(), port)) {
            Entry::Occupied(question) => question.into_mut(),
            Entry::Vacant(_) if *is_stopped || count >= MAX_QUESTIONS => return None,
            Entry::Vacant(place) => {
                *last_number += 1;
                let (number, deadline) = (*last_number, Instant::now() + self.limit);
                // The receiver lives as long as this sender.
                let _ = self.events.send(ConnectEvent::Asked { number, host: host.to_owned(), port });
                place.insert(Question { number, deadline, verdict: watch::channel(None).0, waiting: 0 })
            }
        };
        question.waiting += 1;
        let Question { number, deadline, .. } = *question;
        Some(Waiter { questions: self, number, deadline, verdict: question.verdict.subscribe() })
    }

    /// Removes a connection that waited, and its question if nobody else waits for the answer. The next
    /// connection to the host asks again.
    fn leave(&self, number: u32) {
        let mut state = self.state();
        let found = state.asked.iter_mut().find(|(_, question)| question.number == number);
        let Some((key, question)) = found else { return };
        question.waiting = question.waiting.saturating_sub(1);
        if question.waiting == 0 && question.verdict.borrow().is_none() {
            self.close(question, Err(RefusalReason::Unanswered));
            let key = key.clone();
            state.asked.remove(&key);
        }
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

impl Waiter<'_> {
    /// Waits for the answer until the question's time is up.
    async fn verdict(&mut self) -> Verdict {
        let Self { questions, number, deadline, verdict } = self;
        let answered = async { verdict.wait_for(Option::is_some).await.ok().and_then(|verdict| *verdict) };
        if let Ok(verdict) = timeout_at(*deadline, answered).await {
            return verdict.unwrap_or(Err(RefusalReason::NotAllowed));
        }
        questions.answer(*number, Err(RefusalReason::Unanswered));
        Err(RefusalReason::Unanswered)
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.questions.leave(self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, poll_fn, ready};
    use std::time::Duration;

    use tokio::join;
    use tokio::runtime::Builder;

    use super::{ConnectEvent, MAX_QUESTIONS, Questions, RETRY_GRACE, RefusalReason, Verdict};

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        Builder::new_current_thread().enable_time().build().expect("a runtime").block_on(future)
    }

    /// Asks for a connection that stays open.
    async fn ask(questions: &Questions, host: &str, port: u16) -> Verdict {
        questions.ask(host, port, pending()).await
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
            let (one, other, ()) =
                join!(ask(&questions, "a.test", 443), ask(&questions, "a.test", 443), person);
            assert_eq!((one, other), (Ok(()), Ok(())));
            assert_eq!(ask(&questions, "a.test", 443).await, Ok(()));
            questions.answer(1, Err(RefusalReason::Declined));
            assert_eq!(ask(&questions, "a.test", 443).await, Ok(()), "a late answer");
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
            let (one, other, ()) =
                join!(ask(&questions, "a.test", 443), ask(&questions, "a.test", 22), person);
            assert_eq!((one, other), (Ok(()), Err(RefusalReason::Declined)));
        });
    }

    #[test]
    fn nobody_is_waited_for_longer_than_the_limit() {
        block_on(async {
            let questions = Questions::new(Duration::from_millis(10), RETRY_GRACE);
            assert_eq!(ask(&questions, "a.test", 443).await, Err(RefusalReason::Unanswered));
            assert_eq!(next(&questions).await, asked(1, "a.test", 443));
            assert_eq!(next(&questions).await, ConnectEvent::Over(1));
            questions.answer(1, Ok(()));
            assert_eq!(ask(&questions, "a.test", 443).await, Err(RefusalReason::Unanswered));
        });
    }

    #[test]
    fn a_question_ends_when_its_last_connection_is_gone_and_the_next_one_asks_again() {
        block_on(async {
            let questions = Questions::new(Duration::from_secs(60), Duration::from_millis(1));
            let gone = || questions.ask("a.test", 443, ready(()));
            assert_eq!(
                join!(gone(), gone()),
                (Err(RefusalReason::Unanswered), Err(RefusalReason::Unanswered))
            );
            assert_eq!(next(&questions).await, asked(1, "a.test", 443));
            assert_eq!(next(&questions).await, ConnectEvent::Over(1));
            let person = async {
                assert_eq!(next(&questions).await, asked(2, "a.test", 443));
                questions.answer(2, Ok(()));
            };
            assert_eq!(join!(ask(&questions, "a.test", 443), person).0, Ok(()));
        });
    }

    #[test]
    fn a_question_stays_open_for_a_program_that_connects_again() {
        block_on(async {
            let questions = Questions::default();
            let first = async { questions.ask("a.test", 443, ready(())).await };
            let person = async {
                assert_eq!(next(&questions).await, asked(1, "a.test", 443));
                let again = ask(&questions, "a.test", 443);
                let answer = async { questions.answer(1, Ok(())) };
                assert_eq!(join!(again, answer).0, Ok(()));
                assert_eq!(next(&questions).await, ConnectEvent::Over(1));
            };
            assert_eq!(join!(first, person).0, Ok(()));
        });
    }

    #[test]
    fn a_question_ends_with_the_task_that_serves_its_connection() {
        block_on(async {
            let questions = Questions::default();
            drop(questions.wait("a.test", 443));
            assert_eq!(next(&questions).await, asked(1, "a.test", 443));
            assert_eq!(next(&questions).await, ConnectEvent::Over(1));
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
            let (verdict, ()) = join!(ask(&questions, "a.test", 443), end);
            assert_eq!(verdict, Err(RefusalReason::NotAllowed));
            assert_eq!(ask(&questions, "b.test", 443).await, Err(RefusalReason::NotAllowed));
            assert_eq!(next(&questions).await, ConnectEvent::Over(1));
            questions.start();
            let person = async {
                assert_eq!(next(&questions).await, asked(2, "a.test", 443));
                questions.answer(2, Ok(()));
            };
            let (verdict, ()) = join!(ask(&questions, "a.test", 443), person);
            assert_eq!(verdict, Ok(()));
        });
    }

    #[test]
    fn the_number_of_questions_of_a_command_has_a_bound() {
        block_on(async {
            let questions = Questions::default();
            for number in 0..MAX_QUESTIONS {
                let mut waiter = questions.wait(&format!("h{number}.test"), 1).expect("a question");
                questions.answer(waiter.number, Ok(()));
                assert_eq!(waiter.verdict().await, Ok(()));
            }
            assert!(questions.wait("one-more.test", 1).is_none());
            assert!(questions.wait("h0.test", 1).is_some());
        });
    }
}
