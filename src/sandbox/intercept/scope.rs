//! A scope: the rules and secrets of the commands of a toolset or a session.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;

use super::link::ScopeLink;
use super::process::{Asker, Interceptor};
use crate::process::errno::Errno;
use crate::sandbox::protocol::intercept::messages::{
    HostMessage, MAX_REASON, MAX_VALUE, ScopePlan, SecretText, shortened,
};
use crate::sandbox::protocol::intercept::socket::write_scope;

/// The longest wait for the certificate of a scope: making one takes a millisecond.
const OPEN_DEADLINE: Duration = Duration::from_secs(10);

/// The parts of a scope.
#[derive(Clone, Debug)]
pub struct ScopeContent {
    /// The path of the interceptor.
    pub program: PathBuf,
    pub plan: ScopePlan,
    /// Files that commands see: their paths below the home, and their contents.
    pub files: Vec<(String, String)>,
    /// The files of the system with the certificates that programs trust: bundles, and key stores of Java.
    pub bundles: Vec<String>,
}

/// A scope, which the commands that run in it keep alive.
pub struct SecretScope {
    id: u32,
    pub(super) content: ScopeContent,
    asker: Asker,
    /// The program that has the scope, with the certificate of its authority there.
    opened: Mutex<Option<OpenScope>>,
}

/// A scope that a program has.
#[derive(Clone, Debug)]
pub struct OpenScope {
    pub(super) interceptor: Arc<Interceptor>,
    /// The certificate of the authority (PEM).
    pub(super) certificate: String,
    /// A number that no other opening has.
    pub(super) number: u32,
}

impl std::fmt::Debug for SecretScope {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("SecretScope").field("id", &self.id).finish_non_exhaustive()
    }
}

impl SecretScope {
    /// Makes a scope. Nothing is started for it yet. `asker` gets the questions for values of functions.
    #[must_use]
    pub fn new(content: ScopeContent, asker: Asker) -> Self {
        Self { id: next_number(), content, asker, opened: Mutex::default() }
    }

    /// Returns the opened scope. The first command opens it, and starts the program if it does not run.
    /// Blocks for some milliseconds.
    ///
    /// # Errors
    ///
    /// Why it can't be opened, as text for people.
    pub fn open(&self, runtime: &Handle) -> Result<OpenScope, String> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = opened.as_ref().filter(|open| !open.interceptor.is_over()) {
            return Ok(open.clone());
        }
        let interceptor = Interceptor::running(&self.content.program, runtime)?;
        let failed = |reason: &str| format!("the interceptor can't use the rules: {reason}");
        let file = write_scope(&self.content.plan).map_err(|error| failed(&Errno::of(&error).name()))?;
        let (sender, receiver) = sync_channel(1);
        interceptor.add_scope(self.id, Arc::clone(&self.asker), sender);
        interceptor.tell(HostMessage::Scope { id: self.id }, vec![file]);
        let answer = receiver.recv_timeout(OPEN_DEADLINE).map_err(|_| "it does not answer".to_owned());
        let certificate = answer.and_then(|certificate| certificate).map_err(|reason| {
            // A scope that nobody uses would keep its secrets there.
            interceptor.end_scope(self.id);
            failed(&reason)
        })?;
        let open = OpenScope { interceptor, certificate, number: next_number() };
        *opened = Some(open.clone());
        Ok(open)
    }

    /// Answers a question for a value: with the value, or why there is none. A long reason is cut off.
    pub fn answer(&self, request: u64, value: Result<SecretText, String>) {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = opened.as_ref() {
            open.interceptor.answer(self.id, request, sendable(value));
        }
    }

    /// Returns what passes the connections of a sandbox that was launched with this opening.
    #[must_use]
    pub fn link(self: &Arc<Self>, open: &OpenScope) -> ScopeLink {
        ScopeLink::new(Arc::clone(self), Arc::clone(&open.interceptor))
    }

    /// Returns the number by which the interceptor knows the scope.
    pub(super) const fn id(&self) -> u32 {
        self.id
    }
}

impl Drop for SecretScope {
    fn drop(&mut self) {
        let opened = self.opened.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = opened.take() {
            open.interceptor.end_scope(self.id);
        }
    }
}

/// Returns an answer that a message can have: a longer one would end the interceptor.
fn sendable(value: Result<SecretText, String>) -> Result<SecretText, String> {
    match value {
        Ok(SecretText(text)) if text.len() > MAX_VALUE => {
            Err(format!("expected at most {MAX_VALUE} bytes, got {}", text.len()))
        }
        other => other.map_err(|reason| shortened(&reason, MAX_REASON).to_owned()),
    }
}

fn next_number() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests;
