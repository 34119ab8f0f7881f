//! A redactor, as JavaScript holds it.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use std::sync::Arc;

use napi::bindgen_prelude::Either;
use napi_derive::napi;

use crate::node::error::NativeError;
use crate::text::redact::{Redactor, Rule};

/// The handle of a redactor, which running commands keep alive too.
#[derive(Debug)]
#[napi(js_name = "NativeRedactor")]
pub struct RedactorHandle(Arc<Redactor>);

/// The values and rules of a redactor. JavaScript has checked the sizes.
#[napi(object, object_to_js = false)]
#[allow(missing_debug_implementations, reason = "the values are secret")]
pub struct RedactorSpec {
    pub names: Vec<String>,
    /// The values of these names.
    pub values: Vec<String>,
    pub rules: Vec<RuleSpec>,
    /// Whether the built-in rules count too.
    pub has_tokens: bool,
}

/// A rule of the caller.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct RuleSpec {
    /// The name of the option, such as `redact.rules[0]`.
    pub option: String,
    pub name: String,
    pub literal: String,
    pub pattern: String,
    /// The longest match (bytes).
    pub max: u32,
}

impl RedactorHandle {
    /// Returns the redactor, for a command.
    pub(in crate::node) fn redactor(&self) -> Arc<Redactor> {
        Arc::clone(&self.0)
    }
}

#[napi]
impl RedactorHandle {
    /// Compiles a redactor.
    #[napi(catch_unwind)]
    pub fn create(spec: RedactorSpec) -> Either<RedactorHandle, NativeError> {
        let values: Vec<(String, String)> = spec.names.into_iter().zip(spec.values).collect();
        let rules: Vec<Rule> = spec.rules.iter().map(RuleSpec::rule).collect();
        let redactor = match Redactor::new(&values, &rules, spec.has_tokens) {
            Ok(redactor) => redactor,
            Err(error) => {
                let option = spec.rules.get(error.index).map_or("redact.rules", |rule| &rule.option);
                let reason = format!("expected a pattern: {error}");
                return Either::B(NativeError::of_option(format!("{option}.pattern"), reason));
            }
        };
        if let Some(name) = redactor.shown_by_a_mark() {
            let reason = "expected a value that no mark contains".to_owned();
            return Either::B(NativeError::of_option(format!("redact.values.{name}"), reason));
        }
        Either::A(Self(Arc::new(redactor)))
    }

    /// Returns a text in which each value is a mark; null for a text without values.
    #[napi(catch_unwind)]
    pub fn text(&self, text: String) -> Option<String> {
        match self.0.text(&text) {
            std::borrow::Cow::Borrowed(_) => None,
            std::borrow::Cow::Owned(redacted) => Some(redacted),
        }
    }

    /// Returns the name whose mark a text contains.
    #[napi(catch_unwind)]
    pub fn mark_in(&self, text: String) -> Option<String> {
        self.0.mark_in(&text).map(ToOwned::to_owned)
    }
}

impl RuleSpec {
    fn rule(&self) -> Rule {
        Rule {
            name: self.name.clone(),
            literal: self.literal.clone(),
            pattern: self.pattern.clone(),
            max: self.max as usize,
        }
    }
}
