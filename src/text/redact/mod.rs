//! Replaces secret values in text and in streams by marks. Pure.
//!
//! * [`forms`] lists the forms in which programs print a value: encoded, escaped, reversed.
//! * [`matcher`] finds many patterns in a text.
//! * [`shadow`] is a text without line breaks, indentation and escape sequences, in which wrapped and
//!   coloured values are whole.
//! * [`rules`] detects tokens and keys by their format; [`tokens`] is the built-in list.
//! * [`stream`] redacts a stream, however it is cut into chunks.

mod forms;
mod matcher;
mod rules;
mod shadow;
mod stream;
#[cfg(test)]
mod tests;
mod tokens;

use std::borrow::Cow;
use std::sync::Arc;

pub use forms::base64_of;
use matcher::{Matcher, Patterns};
use rules::Detectors;
pub use rules::{Rule, RuleError};
pub use stream::{MaskStyle, RedactedStream};

/// The shortest pattern that is also found across line breaks and escape sequences (bytes). A shorter one
/// would match words that merely end and begin neighbouring lines.
const MIN_WRAPPED: usize = 16;

/// Values and rules, compiled. Clones of its [`Arc`] are shared by the streams of all commands.
pub struct Redactor {
    /// The name of each value, and then of each rule.
    names: Vec<String>,
    /// The forms of the values.
    values: Matcher,
    /// The forms of at least [`MIN_WRAPPED`] bytes, without breaks.
    wrapped: Matcher,
    detectors: Detectors,
}

/// A stretch of a text that is replaced, and the index of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hit {
    start: usize,
    end: usize,
    name: u32,
}

impl Redactor {
    /// Compiles names with their values, and rules. With `has_tokens`, the built-in rules are added.
    ///
    /// # Errors
    ///
    /// The rule whose pattern can't be used.
    pub fn new(values: &[(String, String)], rules: &[Rule], has_tokens: bool) -> Result<Self, RuleError> {
        let mut names: Vec<String> = values.iter().map(|(name, _)| name.clone()).collect();
        let (mut whole, mut unbroken) = (Patterns::default(), Patterns::default());
        for (name, (_, value)) in (0..).zip(values) {
            for form in forms::forms_of(value) {
                let shadow = shadow::without_breaks(&form);
                if shadow.len() >= MIN_WRAPPED {
                    unbroken.add(&shadow, name);
                }
                whole.add(&form, name);
            }
        }
        let detectors = Detectors::new(rules, has_tokens, &mut names)?;
        Ok(Self { names, values: whole.matcher(), wrapped: unbroken.matcher(), detectors })
    }

    /// Returns a text in which each value is a mark.
    #[must_use]
    pub fn text<'a>(self: &Arc<Self>, text: &'a str) -> Cow<'a, str> {
        let mut stream = RedactedStream::new(Arc::clone(self), MaskStyle::Named);
        let mut redacted = Vec::with_capacity(text.len());
        stream.push(text.as_bytes(), &mut redacted);
        stream.finish(&mut redacted);
        if redacted == text.as_bytes() {
            return Cow::Borrowed(text);
        }
        Cow::Owned(String::from_utf8_lossy(&redacted).into_owned())
    }

    /// Returns whether a form of a value is in a text, in capitals or not, as in the name of a header, which
    /// has no capitals. Compares each form with each position: for short texts.
    #[must_use]
    pub fn is_in_any_case(&self, text: &str) -> bool {
        self.values.is_in_any_case(text.as_bytes())
    }

    /// Returns the name whose mark a text contains.
    #[must_use]
    pub fn mark_in(&self, text: &str) -> Option<&str> {
        self.names.iter().map(String::as_str).find(|name| text.contains(&mark_of(name)))
    }

    /// Returns the name of a value that its own mark or another one would show.
    #[must_use]
    pub fn shown_by_a_mark(&self) -> Option<&str> {
        let mut hits = Vec::new();
        for name in &self.names {
            self.values.scan(mark_of(name).as_bytes(), true, &mut hits);
            if let Some(hit) = hits.first() {
                return Some(self.name(hit.name));
            }
        }
        None
    }

    fn name(&self, index: u32) -> &str {
        self.names.get(index as usize).map_or("", String::as_str)
    }
}

/// Returns the text in place of a value.
fn mark_of(name: &str) -> String {
    format!("[redacted:{name}]")
}

impl std::fmt::Debug for Redactor {
    /// Shows no value.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Redactor").field("names", &self.names).finish_non_exhaustive()
    }
}

impl PartialEq for Redactor {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Redactor {}
