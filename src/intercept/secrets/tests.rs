//! Values that are given, asked for, renewed and masked.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::Receiver;
use tokio::task::JoinHandle;

use super::{HostLink, SecretPlan, SecretText, Secrets, ValueTimes};
use crate::sandbox::protocol::intercept::messages::{
    InterceptorMessage, KEPT_VALUE, RENEWAL_PAUSE, VALUE_DEADLINE,
};

struct Scene {
    secrets: Arc<Secrets>,
    link: Arc<HostLink>,
    messages: Receiver<InterceptorMessage>,
}

impl Scene {
    fn new(value: Option<&str>, life: Duration) -> Self {
        Self::with_times(value, ValueTimes { life, between_renewals: RENEWAL_PAUSE })
    }

    fn with_times(value: Option<&str>, times: ValueTimes) -> Self {
        let (link, messages) = HostLink::new(VALUE_DEADLINE);
        let link = Arc::new(link);
        let value = value.map(|value| SecretText(value.to_owned()));
        let plans = [SecretPlan { name: "github".to_owned(), value }];
        let secrets = Secrets::new(1, &plans, Arc::clone(&link), times).expect("secrets");
        Self { secrets: Arc::new(secrets), link, messages }
    }

    fn get(&self) -> JoinHandle<Result<Arc<str>, String>> {
        let secrets = Arc::clone(&self.secrets);
        tokio::spawn(async move { secrets.value(0).await })
    }

    /// Answers the next question, and returns whether it was for another value.
    async fn answer(&mut self, value: &str) -> bool {
        let Some(InterceptorMessage::NeedValue { request, is_renewal, .. }) = self.messages.recv().await
        else {
            panic!("no question")
        };
        self.link.answer(request, (1, 0), Ok(SecretText(value.to_owned())));
        is_renewal
    }

    fn masks(&self, text: &str) -> bool {
        self.secrets.masks().current().text(text) != text
    }
}

async fn value(got: JoinHandle<Result<Arc<str>, String>>) -> String {
    got.await.expect("no panic").expect("a value").to_string()
}

#[tokio::test]
async fn a_given_value_is_never_asked_for() {
    let mut scene = Scene::new(Some("topsecret"), Duration::ZERO);
    assert_eq!(value(scene.get()).await, "topsecret");
    scene.secrets.reject(0, "topsecret");
    assert_eq!(value(scene.get()).await, "topsecret");
    assert!(scene.messages.try_recv().is_err());
    assert!(scene.masks("is topsecret"));
}

#[tokio::test]
async fn a_value_is_asked_for_once_by_many_requests() {
    let mut scene = Scene::new(None, KEPT_VALUE);
    let several = [scene.get(), scene.get(), scene.get()];
    assert!(!scene.answer("first-value").await);
    for one in several {
        assert_eq!(value(one).await, "first-value");
    }
    assert!(scene.messages.try_recv().is_err());
}

#[tokio::test]
async fn an_old_value_is_asked_for_again_and_both_are_masked() {
    let mut scene = Scene::new(None, Duration::ZERO);
    for text in ["first-value", "second-value"] {
        let got = scene.get();
        assert!(!scene.answer(text).await);
        assert_eq!(value(got).await, text);
    }
    assert!(scene.masks("first-value") && scene.masks("second-value"));
}

#[tokio::test]
async fn a_rejected_value_is_renewed_once() {
    let mut scene = Scene::new(None, KEPT_VALUE);
    let first = scene.get();
    scene.answer("first-value").await;
    scene.secrets.reject(0, &value(first).await);
    let second = scene.get();
    assert!(scene.answer("second-value").await);
    assert_eq!(value(second).await, "second-value");
    // A late response to a request with the old value.
    scene.secrets.reject(0, "first-value");
    assert_eq!(value(scene.get()).await, "second-value");
}

#[tokio::test]
async fn a_renewed_value_that_is_rejected_too_is_used_until_the_pause_is_over() {
    let mut scene = Scene::new(None, KEPT_VALUE);
    let first = scene.get();
    scene.answer("first-value").await;
    scene.secrets.reject(0, &value(first).await);
    let second = scene.get();
    scene.answer("second-value").await;
    scene.secrets.reject(0, &value(second).await);
    assert_eq!(value(scene.get()).await, "second-value");
    assert!(scene.messages.try_recv().is_err());
}

#[tokio::test]
async fn a_failed_renewal_is_not_repeated_before_the_pause_is_over() {
    let mut scene = Scene::new(None, KEPT_VALUE);
    let first = scene.get();
    scene.answer("first-value").await;
    scene.secrets.reject(0, &value(first).await);
    let second = scene.get();
    scene.answer("short").await;
    let failed = second.await.expect("no panic");
    assert_eq!((scene.get().await.expect("no panic"), failed.is_err()), (failed.clone(), true));
    assert!(scene.messages.try_recv().is_err());
}

#[tokio::test]
async fn a_question_goes_on_without_its_request() {
    let mut scene = Scene::new(None, KEPT_VALUE);
    let cancelled = scene.get();
    let Some(InterceptorMessage::NeedValue { request, .. }) = scene.messages.recv().await else {
        panic!("no question")
    };
    cancelled.abort();
    assert!(cancelled.await.is_err());
    let next = scene.get();
    tokio::task::yield_now().await;
    assert!(scene.messages.try_recv().is_err());
    scene.link.answer(request, (1, 0), Ok(SecretText("first-value".to_owned())));
    assert_eq!(value(next).await, "first-value");
}

#[tokio::test]
async fn a_value_of_a_request_under_way_is_masked_however_many_follow() {
    let times = ValueTimes { life: Duration::ZERO, between_renewals: Duration::ZERO };
    let mut scene = Scene::with_times(None, times);
    let mut held = Vec::new();
    for number in 0..100 {
        let got = scene.get();
        scene.answer(&format!("value-{number:03}")).await;
        let got = got.await.expect("no panic").expect("a value");
        if number == 5 {
            held.push(got);
        }
    }
    assert!(scene.masks("value-005") && scene.masks("value-040") && scene.masks("value-099"));
    assert!(!scene.masks("value-004"));
}

#[tokio::test]
async fn a_value_that_no_header_may_have_is_refused() {
    let mut scene = Scene::new(None, KEPT_VALUE);
    for text in ["short", "with\nbreak"] {
        let got = scene.get();
        scene.answer(text).await;
        assert!(got.await.expect("no panic").is_err(), "{text:?}");
    }
    let plan = SecretPlan { name: "x".to_owned(), value: Some(SecretText("a\0bcdefg".to_owned())) };
    let times = ValueTimes { life: KEPT_VALUE, between_renewals: RENEWAL_PAUSE };
    assert!(Secrets::new(1, &[plan], Arc::clone(&scene.link), times).is_err());
    assert_eq!(format!("{:?}", scene.secrets), r#"Secrets { names: ["github"], .. }"#);
}
