//! Makes a text visible for a person who decides by it.
//!
//! A terminal obeys control characters, and shows nothing or something else for others: a reading direction
//! that turns around, characters of no width, blanks that a shell takes for letters. In place of each of
//! these stands its escape sequence (`\u{202e}`), so that what a person reads is what runs.

use std::borrow::Cow;

/// Returns a text on one line: each hidden character, tab and line break as its escape sequence.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// Returns a text with each hidden character as its escape sequence. Tabs and line breaks stay.
#[must_use]
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |character| !matches!(character, '\t' | '\n') && is_hidden(character))
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    // Nearly all texts are plain.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) || !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_escaped(character) {
            visible.extend(character.escape_default());
        } else {
            visible.push(character);
        }
    }
    Cow::Owned(visible)
}

/// Returns whether a person can't see a character, or takes it for a blank.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || (character != ' ' && character.is_whitespace())
        || HIDDEN.iter().any(|&(first, last)| (first..=last).contains(&character))
}

/// Characters without a shape of their own, as ranges: the default ignorable ones of Unicode, the controls of
/// the reading direction, annotations, and letters and symbols that are blank.
const HIDDEN: [(char, char); 18] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::{visible, visible_lines};

    #[test]
    fn what_can_not_be_seen_is_escaped() {
        for (text, expected) in [
            ("a\u{1b}[2Kb", "a\\u{1b}[2Kb"),
            ("a\rb\u{8}\u{7f}", "a\\rb\\u{8}\\u{7f}"),
            ("\u{9b}2K", "\\u{9b}2K"),
            ("\u{202e}fdp.x\u{2066}", "\\u{202e}fdp.x\\u{2066}"),
            ("r\u{200b}m\u{feff}\u{ad}", "r\\u{200b}m\\u{feff}\\u{ad}"),
            ("rm\u{a0}x\u{3000}y\u{2028}z\u{3164}", "rm\\u{a0}x\\u{3000}y\\u{2028}z\\u{3164}"),
            ("\u{e0061}", "\\u{e0061}"),
        ] {
            assert_eq!(visible(text), expected);
            assert_eq!(visible_lines(text), expected);
            assert_eq!(visible(expected), expected, "idempotent");
        }
        assert_eq!(visible("a\n\tb"), "a\\n\\tb");
        assert_eq!(visible_lines("a\n\tb\0"), "a\n\tb\\u{0}");
    }

    #[test]
    fn letters_of_all_languages_stay() {
        let text = "echo 'naïve \\u 日本語 שלום مرحبا हिन्दी 👍 é'";
        assert!(matches!(visible(text), Cow::Borrowed(same) if same == text));
        assert!(matches!(visible_lines("a\n\tb"), Cow::Borrowed(_)));
    }
}
