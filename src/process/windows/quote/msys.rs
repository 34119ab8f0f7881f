//! Command lines of programs that MSYS2 or Cygwin runs, such as the shell of Git for Windows.
//!
//! Their runtime takes the line of a parent that is no such program apart by rules of its own: `build_argv`
//! and `globify` in Cygwin's `dcrt0.cc`. Outside of quotes, `*`, `?`, `[`, `{`, `~` and `@file` are expanded,
//! and `'` is a quote. Between quotes, each `\\` is one `\`, unless the word begins with a path of a drive or
//! of a share.

use super::{LINE_MAX, QuoteError, quoted_program, short_enough};
use crate::process::windows::search::has_drive;

/// Returns the command line that starts a program of MSYS2 or Cygwin with these arguments.
///
/// # Errors
///
/// A NUL, a quote in the path of the program, or more than [`LINE_MAX`].
pub fn msys_line(program: &str, arguments: &[&str]) -> Result<String, QuoteError> {
    let mut line = quoted_program(program)?;
    for argument in arguments {
        if argument.contains('\0') {
            return Err(QuoteError::Nul((*argument).to_owned()));
        }
        line.push(' ');
        // An empty pair of quotes hides the path at the beginning of a word, which would keep each `\\`.
        if argument.starts_with('\\') || has_drive(argument) {
            line.push_str("''");
        }
        line.push('"');
        for character in argument.chars() {
            if matches!(character, '\\' | '"') {
                line.push('\\');
            }
            line.push(character);
        }
        line.push('"');
    }
    short_enough(line, LINE_MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{QuoteError, msys_line};

    /// Returns whether a word keeps its backslashes: it begins with a drive, or as a share does.
    fn is_dos_path(word: &str) -> bool {
        let mut characters = word.chars();
        match (characters.next(), characters.next(), characters.next()) {
            (Some(drive), Some(':'), _) if drive.is_ascii_alphabetic() => true,
            (Some('\\'), Some('\\'), Some(host)) if host.is_ascii_alphabetic() => word[3..].contains('\\'),
            _ => false,
        }
    }

    /// Returns the end of the quoted run at the beginning of `text`.
    fn quoted_length(text: &str) -> usize {
        let quote = text.chars().next().expect("a quote");
        let mut is_escaped = true; // the opening quote
        for (at, character) in text.char_indices() {
            if is_escaped {
                is_escaped = false;
            } else if character == '\\' && quote == '"' {
                is_escaped = true;
            } else if character == quote {
                return at + 1;
            }
        }
        panic!("no closing quote: {text}");
    }

    /// Reads a word as Cygwin does. Panics where it would look for files.
    fn value(word: &str) -> String {
        let is_quote = |character: char| matches!(character, '"' | '\'');
        let keeps = is_dos_path(word) || word.starts_with(is_quote) && is_dos_path(&word[1..]);
        let (mut value, mut rest) = (String::new(), word);
        while let Some(first) = rest.chars().next() {
            if !is_quote(first) {
                assert!(!"?*[(){}~@".contains(first), "would be expanded: {word}");
                value.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
            let length = quoted_length(rest);
            let mut inner = rest[1..length - 1].chars().peekable();
            while let Some(character) = inner.next() {
                let follows = inner.peek().is_some_and(|&next| next == first || next == '\\');
                let read = if character == '\\' && follows && !keeps { inner.next() } else { None };
                value.push(read.unwrap_or(character));
            }
            rest = &rest[length..];
        }
        value
    }

    /// Reads the arguments of a command line as Cygwin does.
    fn read_back(line: &str) -> Vec<String> {
        let mut rest = &line[quoted_length(line)..];
        let mut arguments = Vec::new();
        loop {
            rest = rest.trim_start_matches(|character: char| character.is_ascii_whitespace());
            if rest.is_empty() {
                return arguments;
            }
            let mut end = 0;
            while let Some(next) = rest[end..].chars().next().filter(|next| !next.is_ascii_whitespace()) {
                end += if matches!(next, '"' | '\'') { quoted_length(&rest[end..]) } else { next.len_utf8() };
            }
            arguments.push(value(&rest[..end]));
            rest = &rest[end..];
        }
    }

    #[test]
    fn every_backslash_is_doubled_and_every_argument_quoted() {
        assert_eq!(
            msys_line(r"C:\a b\bash.exe", &["-c", r#"printf "a\\b""#, "*"]).as_deref(),
            Ok(r#""C:\a b\bash.exe" "-c" "printf \"a\\\\b\"" "*""#)
        );
    }

    #[test]
    fn a_path_at_the_beginning_of_an_argument_is_hidden() {
        for argument in [r"C:\dir\", r#"C:\a "b""#, r"\\host\share\x", r"\dir\x", r"\ls \tmp"] {
            let line = msys_line("x", &[argument]).expect("a line");
            assert!(line.contains(r#" ''""#), "{line}");
            assert_eq!(read_back(&line), [argument]);
        }
    }

    #[test]
    fn a_nul_and_a_quote_in_the_program_are_errors() {
        assert_eq!(msys_line("x", &["a\0"]), Err(QuoteError::Nul("a\0".to_owned())));
        assert_eq!(msys_line("a\"b", &[]), Err(QuoteError::Program("a\"b".to_owned())));
    }

    proptest! {
        #[test]
        fn every_argument_is_read_back_as_it_was(
            arguments in proptest::collection::vec(r#"(C:)?[a \\"'\n\t*?\[{}~@é😀$`]{0,9}"#, 0..6)
        ) {
            let words: Vec<_> = arguments.iter().map(String::as_str).collect();
            let line = msys_line(r"C:\Program Files\x.exe", &words).expect("no NUL, and short");
            prop_assert_eq!(read_back(&line), arguments);
        }
    }
}
