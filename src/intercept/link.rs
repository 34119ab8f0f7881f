//! The interceptor's side of the conversation with the host: reports, and questions for values.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::sandbox::protocol::intercept::messages::{InterceptorMessage, SecretText};

/// The most messages that wait for the host. Then requests wait.
pub const MAX_WAITING: usize = 256;

/// The answer to a question: the value, or why there is none.
type Answer = Result<SecretText, String>;

/// A question that waits for its answer.
#[derive(Debug)]
struct Question {
    /// The scope and the position of the secret.
    subject: (u32, u32),
    answered: oneshot::Sender<Answer>,
}

/// Sends messages to the host, in their order.
#[derive(Debug)]
pub struct HostLink {
    messages: mpsc::Sender<InterceptorMessage>,
    questions: Mutex<HashMap<u64, Question>>,
    next: AtomicU64,
    /// The time for which a question waits for its answer.
    patience: Duration,
}

impl HostLink {
    /// Creates a link whose messages the receiver gets. A question ends without an answer after `patience`.
    #[must_use]
    pub fn new(patience: Duration) -> (Self, mpsc::Receiver<InterceptorMessage>) {
        let (messages, receiver) = mpsc::channel(MAX_WAITING);
        (Self { messages, questions: Mutex::default(), next: AtomicU64::new(1), patience }, receiver)
    }

    /// Sends a message. A host that is gone ends the program, so errors don't matter.
    pub async fn report(&self, message: InterceptorMessage) {
        let _ = self.messages.send(message).await;
    }

    /// Asks for the value of a secret.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub async fn ask(&self, scope: u32, secret: u32, is_renewal: bool) -> Answer {
        let request = self.next.fetch_add(1, Ordering::Relaxed);
        let (answered, answer) = oneshot::channel();
        self.questions().insert(request, Question { subject: (scope, secret), answered });
        self.report(InterceptorMessage::NeedValue { request, scope, secret, is_renewal }).await;
        let answer = timeout(self.patience, answer).await;
        self.questions().remove(&request);
        match answer {
            Ok(Ok(answer)) => answer,
            _ => Err(format!("its function took longer than {} s", self.patience.as_secs())),
        }
    }

    /// Passes the host's answer about a scope and a secret to the request that has asked. A late answer is
    /// dropped, and one to another question: the number may be that of a program before this one.
    pub fn answer(&self, request: u64, subject: (u32, u32), answer: Answer) {
        let mut questions = self.questions();
        if questions.get(&request).is_none_or(|question| question.subject != subject) {
            return;
        }
        if let Some(question) = questions.remove(&request) {
            let _ = question.answered.send(answer);
        }
    }

    fn questions(&self) -> MutexGuard<'_, HashMap<u64, Question>> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::{HostLink, InterceptorMessage, SecretText};
    use crate::sandbox::protocol::intercept::messages::VALUE_DEADLINE;

    #[tokio::test]
    async fn a_question_has_its_own_answer() {
        let (link, mut messages) = HostLink::new(VALUE_DEADLINE);
        let link = Arc::new(link);
        let asking = Arc::clone(&link);
        let asked = tokio::spawn(async move { asking.ask(1, 2, false).await });
        let Some(InterceptorMessage::NeedValue { request, scope: 1, secret: 2, is_renewal: false }) =
            messages.recv().await
        else {
            panic!("no question")
        };
        link.answer(request + 7, (1, 2), Err("another".to_owned()));
        for other in [(1, 3), (2, 2)] {
            link.answer(request, other, Ok(SecretText("of another secret".to_owned())));
        }
        link.answer(request, (1, 2), Ok(SecretText("value".to_owned())));
        link.answer(request, (1, 2), Err("late".to_owned()));
        assert_eq!(asked.await.expect("no panic"), Ok(SecretText("value".to_owned())));
    }

    #[tokio::test]
    async fn a_question_without_an_answer_ends() {
        let (link, _messages) = HostLink::new(Duration::ZERO);
        assert_eq!(link.ask(1, 3, true).await, Err("its function took longer than 0 s".to_owned()));
        assert!(link.questions().is_empty());
    }
}
