//! The values of a scope's secrets: given, or asked for and kept for a while.

use std::collections::VecDeque;
use std::fmt::{self, Debug, Formatter};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hyper::header::HeaderValue;
use tokio::sync::Mutex as Turn;

use super::link::HostLink;
use crate::sandbox::protocol::intercept::messages::{
    MAX_SECRETS, MAX_VALUE, MAX_VALUES, SecretPlan, SecretText,
};
use crate::text::redact::Redactor;

/// The shortest value (bytes). A shorter one would mask any text.
const MIN_VALUE: usize = 6;

/// The most values of one function that are masked: the latest, since servers may repeat earlier ones.
const MAX_MASKED: usize = 4;

/// The secrets of one scope.
pub struct Secrets {
    scope: u32,
    entries: Vec<Entry>,
    redactor: Mutex<Arc<Redactor>>,
    link: Arc<HostLink>,
    /// The time for which an answer is kept.
    life: Duration,
}

struct Entry {
    name: String,
    kept: Mutex<Kept>,
    /// Held by the request that asks for the value, while others wait for the same answer.
    asking: Turn<()>,
}

#[derive(Default)]
struct Kept {
    /// The latest values, the newest at the end.
    values: VecDeque<Arc<str>>,
    /// Until when the newest value is used; `None` for one that was given.
    until: Option<Instant>,
    /// Whether a server has answered the newest value with 401.
    is_rejected: bool,
    /// The time of the last question that got no value, and the reason.
    failed: Option<(Instant, String)>,
}

impl Secrets {
    /// Takes the secrets of a scope. The values of functions are kept for `life`.
    ///
    /// # Errors
    ///
    /// What was expected instead.
    pub fn new(
        scope: u32,
        plans: &[SecretPlan],
        link: Arc<HostLink>,
        life: Duration,
    ) -> Result<Self, String> {
        let given =
            || plans.iter().filter_map(|plan| plan.value.as_ref().map(|value| (&plan.name, &value.0)));
        if plans.len() > MAX_SECRETS || given().map(|(_, value)| value.len()).sum::<usize>() > MAX_VALUES {
            return Err(format!("expected at most {MAX_SECRETS} secrets of {MAX_VALUES} bytes together"));
        }
        for (name, value) in given() {
            check(value).map_err(|error| format!("{name}: {error}"))?;
        }
        let entries = plans.iter().map(|SecretPlan { name, value }| Entry {
            name: name.clone(),
            kept: Mutex::new(Kept {
                values: value.iter().map(|value| Arc::from(value.0.as_str())).collect(),
                ..Kept::default()
            }),
            asking: Turn::default(),
        });
        let entries: Vec<Entry> = entries.collect();
        let redactor = compile(&entries)?;
        Ok(Self { scope, entries, redactor: Mutex::new(redactor), link, life })
    }

    /// Returns the name of a secret.
    #[must_use]
    pub fn name(&self, secret: u32) -> &str {
        self.entries.get(secret as usize).map_or("", |entry| entry.name.as_str())
    }

    /// Returns the value of a secret. Asks the host for it, unless there is a value that is young enough.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub async fn value(&self, secret: u32) -> Result<Arc<str>, String> {
        let entry = self.entries.get(secret as usize).ok_or("it is unknown")?;
        let begun = Instant::now();
        if let Some(value) = entry.kept().usable() {
            return Ok(value);
        }
        let _turn = entry.asking.lock().await;
        let is_renewal = {
            let kept = entry.kept();
            if let Some(value) = kept.usable() {
                return Ok(value);
            }
            // The answer to a question that was asked while this request waited.
            if let Some((_, reason)) = kept.failed.as_ref().filter(|(asked, _)| *asked >= begun) {
                return Err(reason.clone());
            }
            kept.is_rejected
        };
        let asked = Instant::now();
        let answer = self.link.ask(self.scope, secret, is_renewal).await;
        match answer.and_then(|SecretText(value)| check(&value).map(|()| value)) {
            Ok(value) => {
                let value: Arc<str> = value.into();
                entry.kept().keep(Arc::clone(&value), self.life);
                *self.redactor.lock().unwrap_or_else(PoisonError::into_inner) = compile(&self.entries)?;
                Ok(value)
            }
            Err(reason) => {
                entry.kept().failed = Some((asked, reason.clone()));
                Err(reason)
            }
        }
    }

    /// Notes that a server has answered this value with 401: the next request asks for another one.
    pub fn reject(&self, secret: u32, value: &str) {
        let Some(entry) = self.entries.get(secret as usize) else { return };
        let mut kept = entry.kept();
        // A given value has no other.
        if kept.until.is_some() && kept.values.back().is_some_and(|newest| **newest == *value) {
            kept.is_rejected = true;
        }
    }

    /// Returns what masks all known values.
    #[must_use]
    pub fn redactor(&self) -> Arc<Redactor> {
        Arc::clone(&self.redactor.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Entry {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn usable(&self) -> Option<Arc<str>> {
        let is_young = self.until.is_none_or(|until| Instant::now() < until);
        self.values.back().filter(|_| is_young && !self.is_rejected).cloned()
    }

    fn keep(&mut self, value: Arc<str>, life: Duration) {
        self.values.retain(|other| *other != value);
        if self.values.len() == MAX_MASKED {
            self.values.pop_front();
        }
        self.values.push_back(value);
        self.until = Some(Instant::now() + life);
        self.is_rejected = false;
        self.failed = None;
    }
}

impl Debug for Secrets {
    /// Shows no value.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.entries.iter().map(|entry| &entry.name).collect();
        out.debug_struct("Secrets").field("names", &names).finish_non_exhaustive()
    }
}

fn check(value: &str) -> Result<(), String> {
    if !(MIN_VALUE..=MAX_VALUE).contains(&value.len()) {
        return Err(format!("expected {MIN_VALUE} to {MAX_VALUE} bytes, got {}", value.len()));
    }
    if HeaderValue::from_bytes(value.as_bytes()).is_ok() {
        Ok(())
    } else {
        Err("the value has characters that no header may have".to_owned())
    }
}

/// Returns what masks the values of all secrets.
fn compile(entries: &[Entry]) -> Result<Arc<Redactor>, String> {
    let of_entry = |entry: &Entry| -> Vec<_> {
        entry.kept().values.iter().map(|value| (entry.name.clone(), value.to_string())).collect()
    };
    let values: Vec<(String, String)> = entries.iter().flat_map(of_entry).collect();
    let redactor = Redactor::new(&values, &[], false).map_err(|_| "it can't be masked".to_owned())?;
    Ok(Arc::new(redactor))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use tokio::sync::mpsc::Receiver;
    use tokio::task::JoinHandle;

    use super::{HostLink, SecretPlan, SecretText, Secrets};
    use crate::sandbox::protocol::intercept::messages::{InterceptorMessage, KEPT_VALUE, VALUE_DEADLINE};

    struct Scene {
        secrets: Arc<Secrets>,
        link: Arc<HostLink>,
        messages: Receiver<InterceptorMessage>,
    }

    impl Scene {
        fn new(value: Option<&str>, life: Duration) -> Self {
            let (link, messages) = HostLink::new(VALUE_DEADLINE);
            let link = Arc::new(link);
            let value = value.map(|value| SecretText(value.to_owned()));
            let plans = [SecretPlan { name: "github".to_owned(), value }];
            let secrets = Secrets::new(1, &plans, Arc::clone(&link), life).expect("secrets");
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
            self.secrets.redactor().text(text) != text
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
    async fn a_value_that_no_header_may_have_is_refused() {
        let mut scene = Scene::new(None, KEPT_VALUE);
        for text in ["short", "with\nbreak"] {
            let got = scene.get();
            scene.answer(text).await;
            assert!(got.await.expect("no panic").is_err(), "{text:?}");
        }
        let plan = SecretPlan { name: "x".to_owned(), value: Some(SecretText("a\0bcdefg".to_owned())) };
        assert!(Secrets::new(1, &[plan], Arc::clone(&scene.link), KEPT_VALUE).is_err());
        assert_eq!(format!("{:?}", scene.secrets), r#"Secrets { names: ["github"], .. }"#);
    }
}
