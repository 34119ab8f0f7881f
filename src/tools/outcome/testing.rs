//! Outcomes for tests, from the JSON that `lib/tools/perform/` makes of them.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::CallOutcome;

/// Converts an outcome.
///
/// # Panics
///
/// For a value that is no outcome.
#[must_use]
pub fn outcome<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("an outcome")
}

/// Converts the outcome of a call, whose action is the first argument.
#[must_use]
pub fn call(action: &str, value: Value) -> CallOutcome {
    outcome(with(value, json!({ "of": action })))
}

/// Returns an object with more properties.
#[must_use]
pub fn with(mut value: Value, more: Value) -> Value {
    if let (Some(properties), Value::Object(more)) = (value.as_object_mut(), more) {
        properties.extend(more);
    }
    value
}
