//! Templates of headers: a text in which `{}` stands for a secret.

use crate::text::redact::base64_of;

/// The place of the secret.
const PLACE: &str = "{}";

/// The scheme whose rest is encoded.
const BASIC: &str = "Basic ";

/// A template with one place for a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    before: String,
    after: String,
    /// Whether the text after `Basic ` is encoded by base64.
    is_basic: bool,
}

impl Template {
    /// Parses a template such as `Bearer {}` or `Basic user:{}`.
    ///
    /// # Errors
    ///
    /// The template, and what was expected in its place.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected = |what| Err(format!("'{text}': expected {what}"));
        let (rest, is_basic) = text.strip_prefix(BASIC).map_or((text, false), |rest| (rest, true));
        let Some((before, after)) = rest.split_once(PLACE) else { return expected("one {}") };
        if after.contains(PLACE) {
            return expected("one {}");
        }
        if is_basic && !before.contains(':') && !after.contains(':') {
            return expected("a name and a password with a colon between them");
        }
        if text.bytes().any(|byte| byte.is_ascii_control()) {
            return expected("no control characters");
        }
        Ok(Self { before: before.to_owned(), after: after.to_owned(), is_basic })
    }

    /// Returns the text with a secret in its place.
    #[must_use]
    pub fn fill(&self, secret: &str) -> String {
        let text = format!("{}{secret}{}", self.before, self.after);
        if self.is_basic { format!("{BASIC}{}", base64_of(text.as_bytes())) } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::Template;

    #[test]
    fn a_secret_is_put_into_its_place() {
        let filled = |text: &str| Template::parse(text).expect("a template").fill("s3cr3t");
        assert_eq!(filled("Bearer {}"), "Bearer s3cr3t");
        assert_eq!(filled("{}"), "s3cr3t");
        assert_eq!(filled("token=\"{}\";"), "token=\"s3cr3t\";");
        assert_eq!(filled("Basic user:{}"), "Basic dXNlcjpzM2NyM3Q=");
        assert_eq!(filled("Basic {}:x"), "Basic czNjcjN0Ong=");
    }

    #[test]
    fn a_template_has_one_place() {
        for text in ["", "Bearer", "{} {}", "Basic {}", "Bearer {}\n", "{ }"] {
            assert!(Template::parse(text).is_err(), "{text:?}");
        }
    }
}
