//! The values of a scope's secrets: given, or asked for and kept for a while.

use std::collections::VecDeque;
use std::fmt::{self, Debug, Formatter};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hyper::header::HeaderValue;
use tokio::sync::Mutex as Turn;

use super::link::HostLink;
use super::masks::Masks;
use crate::sandbox::protocol::intercept::messages::{
    MAX_SECRETS, MAX_VALUE, MAX_VALUES, SecretPlan, SecretText,
};
use crate::text::redact::Redactor;

/// The shortest value (bytes). A shorter one would mask any text.
const MIN_VALUE: usize = 6;

/// The most values of one function that are masked, besides those of requests under way: the latest, since
/// servers may repeat earlier ones.
const MAX_MASKED: usize = 64;

/// The most bytes of these values. Their forms take up to a hundred times as much memory.
const MAX_MASKED_BYTES: usize = 16 * 1024;

/// The secrets of one scope.
pub struct Secrets(Arc<Shared>);

/// The times that bound the questions for a value.
#[derive(Clone, Copy, Debug)]
pub struct ValueTimes {
    /// The time for which a value is kept.
    pub life: Duration,
    /// The shortest time between two renewals of a value that a server rejects.
    pub between_renewals: Duration,
}

/// The secrets, which a question keeps as long as it waits.
struct Shared {
    scope: u32,
    entries: Vec<Entry>,
    masks: Arc<Masks>,
    link: Arc<HostLink>,
    times: ValueTimes,
}

struct Entry {
    name: String,
    kept: Mutex<Kept>,
    /// Held by the question for the value, while requests wait for the same answer.
    asking: Arc<Turn<()>>,
}

#[derive(Default)]
struct Kept {
    /// The latest values, the newest at the end.
    values: VecDeque<Arc<str>>,
    /// Until when the newest value is used; `None` for one that was given.
    until: Option<Instant>,
    /// Whether a server has answered the newest value with 401.
    is_rejected: bool,
    /// The time of the last question for a renewal.
    renewed: Option<Instant>,
    /// The time of the last question that got no value, and the reason.
    failed: Option<(Instant, String)>,
}

impl Secrets {
    /// Takes the secrets of a scope.
    ///
    /// # Errors
    ///
    /// The secret that is wrong, and what was expected.
    pub fn new(
        scope: u32,
        plans: &[SecretPlan],
        link: Arc<HostLink>,
        times: ValueTimes,
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
            asking: Arc::default(),
        });
        let entries: Vec<Entry> = entries.collect();
        let masks = Masks::new(compile(&entries, None)?);
        Ok(Self(Arc::new(Shared { scope, entries, masks, link, times })))
    }

    /// Returns the name of a secret.
    #[must_use]
    pub fn name(&self, secret: u32) -> &str {
        self.0.entry(secret).map_or("", |entry| entry.name.as_str())
    }

    /// Returns the value of a secret. Asks the host for it, unless there is a value that is young enough. The
    /// question goes on without a request that is cancelled, so that each function runs once at a time.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub async fn value(&self, secret: u32) -> Result<Arc<str>, String> {
        let entry = self.0.entry(secret).ok_or("it is unknown")?;
        let (begun, pause) = (Instant::now(), self.0.times.between_renewals);
        if let Some(known) = entry.kept().known(begun, pause) {
            return known;
        }
        let turn = Arc::clone(&entry.asking).lock_owned().await;
        if let Some(known) = entry.kept().known(begun, pause) {
            return known;
        }
        let shared = Arc::clone(&self.0);
        let asked = tokio::spawn(async move {
            let _turn = turn;
            shared.ask(secret).await
        });
        asked.await.unwrap_or_else(|_| Err("its function was not called".to_owned()))
    }

    /// Notes that a server has answered this value with 401: the next request asks for another one.
    pub fn reject(&self, secret: u32, value: &str) {
        let Some(entry) = self.0.entry(secret) else { return };
        let mut kept = entry.kept();
        // A given value has no other.
        if kept.until.is_some() && kept.values.back().is_some_and(|newest| **newest == *value) {
            kept.is_rejected = true;
        }
    }

    /// Returns what masks all known values.
    #[must_use]
    pub fn masks(&self) -> Arc<Masks> {
        Arc::clone(&self.0.masks)
    }
}

impl Shared {
    fn entry(&self, secret: u32) -> Option<&Entry> {
        self.entries.get(secret as usize)
    }

    /// Asks the host for a value, and keeps the answer.
    async fn ask(&self, secret: u32) -> Result<Arc<str>, String> {
        let entry = self.entry(secret).ok_or("it is unknown")?;
        let asked = Instant::now();
        let is_renewal = entry.kept().begin(asked);
        let answer = self.link.ask(self.scope, secret, is_renewal).await;
        let kept = answer.and_then(|SecretText(value)| self.keep(entry, &value));
        if let Err(reason) = &kept {
            entry.kept().failed = Some((asked, reason.clone()));
        }
        kept
    }

    /// Keeps a new value, which is masked before any request has it.
    fn keep(&self, entry: &Entry, value: &str) -> Result<Arc<str>, String> {
        check(value)?;
        self.masks.replace(compile(&self.entries, Some((&entry.name, value)))?);
        Ok(entry.kept().keep(value, self.times.life))
    }
}

impl Entry {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Returns the value, or why there is none; `None` if the host has to be asked. Between two renewals, a
    /// rejected value is used again, so that a command can't call a function by each of its requests.
    fn known(&self, begun: Instant, pause: Duration) -> Option<Result<Arc<str>, String>> {
        let waits = self.is_rejected && self.renewed.is_some_and(|asked| asked.elapsed() < pause);
        // A question that was asked while this request waited has its answer.
        if let Some((_, reason)) = self.failed.as_ref().filter(|(asked, _)| waits || *asked >= begun) {
            return Some(Err(reason.clone()));
        }
        let is_young = self.until.is_none_or(|until| Instant::now() < until);
        self.values.back().filter(|_| is_young && (waits || !self.is_rejected)).cloned().map(Ok)
    }

    /// Notes that the host is asked. Returns whether it is asked for a renewal.
    fn begin(&mut self, asked: Instant) -> bool {
        if self.is_rejected {
            self.renewed = Some(asked);
        }
        self.is_rejected
    }

    fn keep(&mut self, value: &str, life: Duration) -> Arc<str> {
        let known = self.values.iter().position(|other| **other == *value);
        let value = known.and_then(|position| self.values.remove(position)).unwrap_or_else(|| value.into());
        self.values.push_back(Arc::clone(&value));
        self.forget_oldest();
        self.until = Some(Instant::now() + life);
        self.is_rejected = false;
        self.failed = None;
        value
    }

    /// Forgets the oldest values above the bounds, but none of a request under way, which has it too.
    fn forget_oldest(&mut self) {
        let bytes = |values: &VecDeque<Arc<str>>| values.iter().map(|value| value.len()).sum::<usize>();
        while self.values.len() > MAX_MASKED || bytes(&self.values) > MAX_MASKED_BYTES {
            let Some(oldest) = self.values.iter().position(|value| Arc::strong_count(value) == 1) else {
                return;
            };
            self.values.remove(oldest);
        }
    }
}

impl Debug for Secrets {
    /// Shows no value.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.0.entries.iter().map(|entry| &entry.name).collect();
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

/// Returns what masks the values of all secrets, and one more.
fn compile(entries: &[Entry], new: Option<(&str, &str)>) -> Result<Redactor, String> {
    let of_entry = |entry: &Entry| -> Vec<_> {
        entry.kept().values.iter().map(|value| (entry.name.clone(), value.to_string())).collect()
    };
    let new = new.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let values: Vec<(String, String)> = entries.iter().flat_map(of_entry).chain(new).collect();
    Redactor::new(&values, &[], false).map_err(|_| "it can't be masked".to_owned())
}

#[cfg(test)]
mod tests;
