//! A scope of secrets, as JavaScript holds it, and the call that makes one.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use std::path::PathBuf;
use std::sync::Arc;

use napi::bindgen_prelude::Either;
use napi_derive::napi;

use crate::node::binding::Binding;
use crate::node::error::NativeError;
use crate::node::mailbox::Message;
use crate::sandbox::intercept::scope::{ScopeContent, SecretScope};
use crate::sandbox::network::allow::AllowedDestination;
use crate::sandbox::protocol::intercept::messages::{
    HeaderRule, HostRule, ScopePlan, SecretPlan, SecretText,
};

/// The handle of a scope, which running commands keep alive too.
#[derive(Debug)]
#[napi(js_name = "NativeSecretScope")]
pub struct SecretScopeHandle(Arc<SecretScope>);

/// The parts of a scope. JavaScript has checked the secrets.
#[napi(object, object_to_js = false)]
#[allow(missing_debug_implementations, reason = "the values are secret")]
pub struct SecretScopeSpec {
    /// The path of the interceptor.
    pub program: String,
    /// The certificates that servers are verified by (PEM).
    pub roots: String,
    /// The files of the system with such certificates: bundles, and key stores of Java.
    pub bundles: Vec<String>,
    pub rules: Vec<HostRuleSpec>,
    pub secrets: Vec<SecretSpec>,
    pub files: Vec<SecretFileSpec>,
}

/// An entry with rules in the list of allowed hosts.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct HostRuleSpec {
    /// A name or an address, with a port.
    pub host: String,
    pub headers: Vec<HeaderSpec>,
    /// Absent for all methods.
    pub methods: Option<Vec<String>>,
    /// Absent for all paths.
    pub paths: Option<Vec<String>>,
    pub masks: bool,
    pub is_plain: bool,
}

/// A header that is set.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct HeaderSpec {
    pub name: String,
    /// The value of the header, in which `{}` stands for the secret.
    pub template: String,
    /// The position of the secret.
    pub secret: u32,
}

/// A value for the headers of rules, which name it by its position.
#[napi(object, object_to_js = false)]
#[allow(missing_debug_implementations, reason = "the values are secret")]
pub struct SecretSpec {
    pub name: String,
    /// Absent for a value that a function gives.
    pub value: Option<String>,
}

/// A file of the home that commands see.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct SecretFileSpec {
    /// The path below the home.
    pub path: String,
    pub content: String,
}

impl SecretScopeHandle {
    /// Returns the scope, for a command that runs in it.
    pub(in crate::node) fn scope(&self) -> Arc<SecretScope> {
        Arc::clone(&self.0)
    }
}

#[napi]
impl SecretScopeHandle {
    /// Answers a question for a value: with the value, or the reason why there is none.
    #[napi(catch_unwind)]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the number was an integer")]
    pub fn answer(&self, request: f64, value: Option<String>, reason: Option<String>) {
        let value = value.map(SecretText).ok_or_else(|| reason.unwrap_or_default());
        self.0.answer(request as u64, value);
    }
}

#[napi]
impl Binding {
    /// Makes a scope. Questions for its values arrive as events of this id.
    #[napi(catch_unwind)]
    pub fn open_secret_scope(
        &self,
        id: u32,
        spec: SecretScopeSpec,
    ) -> Either<SecretScopeHandle, NativeError> {
        let content = match spec.content() {
            Ok(content) => content,
            Err(expected) => {
                return Either::B(NativeError::of_option("sandbox.network.allow".to_owned(), expected));
            }
        };
        let state = Arc::clone(&self.state);
        let asker = Arc::new(move |needed| state.mailbox().post(Message::NeedsValue(id, needed)));
        Either::A(SecretScopeHandle(Arc::new(SecretScope::new(content, asker))))
    }
}

impl SecretScopeSpec {
    fn content(self) -> Result<ScopeContent, String> {
        let rules = self.rules.into_iter().map(HostRuleSpec::rule).collect::<Result<_, _>>()?;
        let secret = |SecretSpec { name, value }| SecretPlan { name, value: value.map(SecretText) };
        let secrets = self.secrets.into_iter().map(secret).collect();
        Ok(ScopeContent {
            program: PathBuf::from(self.program),
            plan: ScopePlan { rules, secrets, roots: self.roots.into_bytes() },
            files: self.files.into_iter().map(|SecretFileSpec { path, content }| (path, content)).collect(),
            bundles: self.bundles,
        })
    }
}

impl HostRuleSpec {
    fn rule(self) -> Result<HostRule, String> {
        let header = |HeaderSpec { name, template, secret }| HeaderRule { name, template, secret };
        Ok(HostRule {
            destination: AllowedDestination::parse(&self.host)?,
            headers: self.headers.into_iter().map(header).collect(),
            methods: self.methods,
            paths: self.paths,
            masks: self.masks,
            is_plain: self.is_plain,
        })
    }
}
