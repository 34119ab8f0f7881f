//! Cuts text to a limit in characters, tokens or bytes; never inside a character.

/// The number of bytes that count as a token.
pub const BYTES_PER_TOKEN: usize = 4;

/// The beginning and the end of a longer text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut<'a> {
    /// The beginning.
    pub head: &'a str,
    /// The end.
    pub tail: &'a str,
}

/// Cuts a text to `head` and `tail` characters; `None` if it has no more than both.
#[must_use]
pub fn by_characters(text: &str, head: usize, tail: usize) -> Option<Cut<'_>> {
    // A text has no more characters than bytes.
    if text.len() <= head + tail || text.chars().nth(head + tail).is_none() {
        return None;
    }
    let end = text.char_indices().nth(head).map_or(text.len(), |(index, _)| index);
    let start = match tail {
        0 => text.len(),
        _ => text.char_indices().nth_back(tail - 1).map_or(0, |(index, _)| index),
    };
    Some(Cut { head: &text[..end], tail: &text[start..] })
}

/// Cuts a text to at most `head` bytes of its beginning and `tail` of its end; `None` if it has no more than
/// both.
#[must_use]
pub fn by_bytes(text: &str, head: usize, tail: usize) -> Option<Cut<'_>> {
    if text.len() <= head + tail {
        return None;
    }
    let mut end = head;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut start = text.len() - tail;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    Some(Cut { head: &text[..end], tail: &text[start..] })
}

/// Returns the number of tokens for a number of bytes, rounded up.
#[must_use]
pub const fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

/// Cuts the middle out of a text of more than `most` tokens, as codex does; `None` if it has no more.
#[must_use]
pub fn by_tokens(text: &str, most: usize) -> Option<String> {
    let budget = most.saturating_mul(BYTES_PER_TOKEN);
    let Cut { head, tail } = by_bytes(text, budget / 2, budget - budget / 2)?;
    let left_out = tokens(text.len() - head.len() - tail.len());
    Some(format!("{head}…{left_out} tokens truncated…{tail}"))
}

#[cfg(test)]
mod tests {
    use super::{Cut, by_bytes, by_characters, by_tokens};

    #[test]
    fn characters_count_and_not_bytes() {
        let text = "ä".repeat(10);
        assert_eq!(by_characters(&text, 5, 5), None);
        assert_eq!(by_characters(&text, 2, 1), Some(Cut { head: "ää", tail: "ä" }));
        assert_eq!(by_characters("abc", 2, 0), Some(Cut { head: "ab", tail: "" }));
    }

    #[test]
    fn a_cut_by_bytes_never_halves_a_character() {
        assert_eq!(by_bytes("aääb", 2, 2), Some(Cut { head: "a", tail: "b" }));
        assert_eq!(by_bytes("abcd", 2, 2), None);
    }

    #[test]
    fn tokens_are_four_bytes() {
        assert_eq!(by_tokens("12345678", 2), None);
        assert_eq!(by_tokens("1234567890123456", 2).as_deref(), Some("1234…2 tokens truncated…3456"));
        assert_eq!(by_tokens("12345", 0).as_deref(), Some("…2 tokens truncated…"));
    }
}
