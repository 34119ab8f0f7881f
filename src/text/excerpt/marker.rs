//! The markers for the bytes that an excerpt leaves out: the default one, and the caller's own.

use std::fmt;

/// The size of the part that an excerpt leaves out.
///
/// The `Display` form is the default marker without line breaks: `[... 12345 bytes (678 lines) omitted ...]`,
/// or `[... 12345 bytes of a line omitted ...]` without a line break among the omitted bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Omitted {
    /// The number of bytes of the stream that are not in the text; at least 1.
    pub bytes: u64,
    /// The number of line breaks (`\n`) among the omitted bytes.
    pub lines: u64,
    /// Whether the text before the marker ends inside a line, so that a marker on its own line needs a line
    /// break first.
    pub in_line: bool,
}

impl fmt::Display for Omitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if self.bytes == 1 { "byte" } else { "bytes" };
        let place = match self.lines {
            0 => " of a line".to_owned(),
            1 => " (1 line)".to_owned(),
            lines => format!(" ({lines} lines)"),
        };
        write!(f, "[... {} {unit}{place} omitted ...]", self.bytes)
    }
}

/// A template for the text that replaces the omitted bytes in an excerpt.
///
/// | in the template | in the text |
/// |---|---|
/// | `{bytes}` | the number of omitted bytes |
/// | `{lines}` | the number of line breaks (`\n`) among them |
/// | `{total}` | the number of bytes of the whole stream |
///
/// Everything else is copied unchanged, including other braces. No line break is added, and a brace can't be
/// escaped.
///
/// ```
/// use agent_bash::text::{Excerpt, Keep, Marker, Shape};
///
/// let marker = Marker::new("<{bytes} of {total} bytes>");
/// let shape = Shape { marker: Some(marker), ..Shape::new(4, Keep::Both) };
/// let mut excerpt = Excerpt::shaped(&shape);
/// excerpt.push(b"abcdefgh");
/// assert_eq!(excerpt.finish().text, "ab<4 of 8 bytes>gh");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Marker {
    template: String,
}

impl Marker {
    /// Creates a marker from a template. Any text is valid, including the empty text.
    #[must_use]
    pub fn new(template: impl Into<String>) -> Self {
        Self { template: template.into() }
    }

    /// Returns the marker's text for the bytes omitted from a stream of `total` bytes.
    #[must_use]
    pub fn text(&self, omitted: &Omitted, total: u64) -> String {
        let fields = [("{bytes}", omitted.bytes), ("{lines}", omitted.lines), ("{total}", total)];
        let mut text = String::with_capacity(self.template.len());
        let mut rest = self.template.as_str();
        while let Some(brace) = rest.find('{') {
            text.push_str(&rest[..brace]);
            rest = &rest[brace..];
            let field = fields.iter().find_map(|(name, number)| Some((rest.strip_prefix(name)?, number)));
            if let Some((after, number)) = field {
                text.push_str(&number.to_string());
                rest = after;
            } else {
                text.push('{');
                rest = &rest[1..];
            }
        }
        text.push_str(rest);
        text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Marker, Omitted};

    const OMITTED: Omitted = Omitted { bytes: 12, lines: 3, in_line: true };

    fn text(template: &str) -> String {
        Marker::new(template).text(&OMITTED, 45)
    }

    #[test]
    fn each_field_is_its_number() {
        assert_eq!(text("{bytes} {lines} {total}"), "12 3 45");
    }

    #[test]
    fn a_field_may_be_repeated() {
        assert_eq!(text("{lines}{lines}{bytes}{lines}"), "33123");
    }

    #[test]
    fn other_braces_stay_as_they_are() {
        for template in ["{", "}", "{}", "{byte}", "{Bytes}", "{ bytes }", "{bytes", "${x}", "é{€}🦀"] {
            assert_eq!(text(template), template);
        }
    }

    #[test]
    fn a_field_in_more_braces_is_still_a_field() {
        assert_eq!(text("{{bytes}}"), "{12}");
        assert_eq!(text("{bytes{lines}"), "{bytes3");
    }

    #[test]
    fn no_line_break_is_added() {
        assert_eq!(text(""), "");
        assert_eq!(text("cut"), "cut");
    }

    proptest! {
        #[test]
                fn the_text_equals_replacing_field_by_field(
            pieces in prop::collection::vec(
                prop::sample::select(vec!["{", "}", "bytes", "{bytes}", "{lines}", "{total}", "é", "\n"]),
                0..20,
            ),
        ) {
            // The numbers have no braces, so the order of the replacements does not matter.
            let template = pieces.concat();
            let replaced = template.replace("{bytes}", "12").replace("{lines}", "3").replace("{total}", "45");
            prop_assert_eq!(text(&template), replaced);
        }
    }
}
