//! Quotes words for a shell, and splits quoted words: the only rules of quoting.

use std::borrow::Cow;

/// Quotes words into a line that a shell splits into the same words, also a shell that expands braces. Words
/// that no shell changes stay as they are.
#[must_use]
pub fn join(words: &[String]) -> String {
    let quoted = words.iter().map(|word| match shell_words::quote(word) {
        Cow::Borrowed(bare) if bare.contains(['{', '}', '^', '%', '=']) => Cow::Owned(quoted(bare)),
        quoted => quoted,
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Quotes a word in any case, so that it is no reserved word either.
#[must_use]
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Splits a line into words as a POSIX shell does, without expanding anything; `None` if a quote is not
/// closed.
#[must_use]
pub fn split(line: &str) -> Option<Vec<String>> {
    shell_words::split(line).ok()
}

#[cfg(test)]
mod tests {
    use super::{join, quoted, split};

    #[test]
    fn quoted_words_can_be_split_again_and_no_shell_expands_them() {
        let words =
            ["echo", "a b", "it's", "", "$x", "\n", "{a,b}", "=ls", "a=b", "~", "-n"].map(str::to_owned);
        let line = join(&words);
        assert_eq!(split(&line).expect("words"), words);
        assert_eq!(split("a 'b"), None);
        assert_eq!(join(&["{a,b}".to_owned()]), "'{a,b}'");
    }

    #[test]
    fn a_quoted_word_is_never_a_reserved_one() {
        assert_eq!(quoted("if"), "'if'");
        assert_eq!(split(&quoted("it's")).expect("a word"), ["it's"]);
    }
}
