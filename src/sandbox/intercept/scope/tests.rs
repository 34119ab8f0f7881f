//! Scopes, with programs that do not run.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::UnboundedReceiver;

use super::super::process::{Interceptor, NeededValue, Outgoing};
use super::{MAX_REASON, MAX_VALUE, OpenScope, ScopeContent, SecretScope, SecretText};
use crate::sandbox::network::destination::Destination;
use crate::sandbox::protocol::intercept::messages::{HostMessage, InterceptorMessage, ScopePlan};

/// Returns a scope, and the questions for its values.
fn scope() -> (Arc<SecretScope>, Receiver<NeededValue>) {
    let (sender, questions) = channel();
    let content = ScopeContent {
        program: PathBuf::new(),
        plan: ScopePlan::default(),
        files: Vec::new(),
        bundles: Vec::new(),
    };
    let asker = Arc::new(move |needed| sender.send(needed).expect("a test"));
    (Arc::new(SecretScope::new(content, asker)), questions)
}

/// Opens the scope in a new program, and returns the program and the messages to it.
fn open(scope: &SecretScope) -> (Arc<Interceptor>, UnboundedReceiver<Outgoing>) {
    let (interceptor, queue) = Interceptor::unconnected();
    interceptor.add_scope(scope.id, Arc::clone(&scope.asker), sync_channel(1).0);
    let opened = OpenScope { interceptor: Arc::clone(&interceptor), certificate: String::new(), number: 1 };
    *scope.opened.lock().expect("a lock") = Some(opened);
    (interceptor, queue)
}

/// Asks as the program does, by its first question, and returns the question of the host.
fn ask(interceptor: &Interceptor, scope: &SecretScope, questions: &Receiver<NeededValue>) -> u64 {
    interceptor.take(InterceptorMessage::NeedValue {
        request: 1,
        scope: scope.id,
        secret: 0,
        is_renewal: false,
    });
    questions.try_recv().expect("a question").request
}

/// Returns the next answer to the program, if there is one.
fn answered(queue: &mut UnboundedReceiver<Outgoing>) -> Option<Result<SecretText, String>> {
    match queue.try_recv().ok()?.0 {
        HostMessage::Value { request: 1, secret: 0, value, .. } => Some(value),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_late_answer_is_not_that_to_a_question_of_the_next_program() {
    let (scope, questions) = scope();
    let (first, mut to_first) = open(&scope);
    let earlier = ask(&first, &scope, &questions);
    first.finish();
    let (second, mut to_second) = open(&scope);
    let later = ask(&second, &scope, &questions);
    scope.answer(earlier, Ok(SecretText("of the first".to_owned())));
    assert_eq!((answered(&mut to_first), answered(&mut to_second)), (None, None));
    scope.answer(later, Ok(SecretText("of the second".to_owned())));
    assert_eq!(answered(&mut to_second), Some(Ok(SecretText("of the second".to_owned()))));
    scope.answer(later, Ok(SecretText("once more".to_owned())));
    assert_eq!(answered(&mut to_second), None);
}

#[test]
fn an_answer_to_a_question_of_another_scope_is_ignored() {
    let ((one, questions), (other, _)) = (scope(), scope());
    let (interceptor, mut queue) = open(&one);
    let opened = one.opened.lock().expect("a lock").clone();
    *other.opened.lock().expect("a lock") = opened;
    let number = ask(&interceptor, &one, &questions);
    other.answer(number, Ok(SecretText("of another".to_owned())));
    assert_eq!(answered(&mut queue), None);
}

#[test]
fn an_answer_fits_a_message() {
    let (scope, questions) = scope();
    let (interceptor, mut queue) = open(&scope);
    let number = ask(&interceptor, &scope, &questions);
    scope.answer(number, Err("\u{e4}".repeat(MAX_REASON)));
    assert_eq!(answered(&mut queue), Some(Err("\u{e4}".repeat(MAX_REASON / 2))));
    let number = ask(&interceptor, &scope, &questions);
    scope.answer(number, Ok(SecretText("x".repeat(MAX_VALUE + 1))));
    assert!(matches!(answered(&mut queue), Some(Err(_))));
}

/// Returns a program that has a connection with the last reference to its scope.
async fn with_last_connection() -> Arc<Interceptor> {
    let (scope, _questions) = scope();
    let (interceptor, _queue) = open(&scope);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
    let address = listener.local_addr().expect("an address");
    let client = TcpStream::connect(address).await.expect("a client");
    let (server, _) = listener.accept().await.expect("a server");
    let opened = scope.opened.lock().expect("a lock").clone().expect("it is open");
    let link = scope.link(&opened);
    let host = Destination::parse("a.example").expect("a host");
    let passed = link.pass((&host, 443), (client, server), Vec::new(), Arc::new(Mutex::default()));
    tokio::select! {
        biased;
        () = passed => panic!("the connection has ended"),
        () = std::future::ready(()) => {}
    }
    interceptor
}

/// Waits for the end of a call that may lock for ever.
fn ends(call: impl FnOnce() + Send + 'static) -> bool {
    let (sender, ended) = channel();
    std::thread::spawn(move || {
        call();
        let _ = sender.send(());
    });
    ended.recv_timeout(Duration::from_secs(20)).is_ok()
}

#[tokio::test]
async fn the_last_reference_to_a_scope_may_end_with_its_connection() {
    let interceptor = with_last_connection().await;
    assert!(ends(move || interceptor.take(InterceptorMessage::Ended { connection: 1 })));
}

#[tokio::test]
async fn the_last_reference_to_a_scope_may_end_with_its_program() {
    let interceptor = with_last_connection().await;
    assert!(ends(move || interceptor.finish()));
}
