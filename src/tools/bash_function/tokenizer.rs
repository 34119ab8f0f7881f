//! Splits a command into words for safe mode, by rules of its own that differ from a shell's.

use super::arguments::trim;

/// Splits a command into words, or `None` when a quote is left open or there is no word.
///
/// Only space and tab separate. Single and double quotes group; a backslash takes the next character as it
/// is, except inside single quotes. A backslash at the very end and empty words are dropped. Nothing is
/// expanded, and a line break is an ordinary character.
#[must_use]
pub fn split(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut characters = trim(command).chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (None, '\'' | '"') => quote = Some(character),
            (None | Some('"'), '\\') => word.extend(characters.next()),
            (None, ' ' | '\t') => finish(&mut word, &mut words),
            _ => word.push(character),
        }
    }
    finish(&mut word, &mut words);
    (quote.is_none() && !words.is_empty()).then_some(words)
}

fn finish(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::split;

    fn words(command: &str) -> Vec<String> {
        split(command).expect("a valid command")
    }

    #[test]
    fn spaces_and_tabs_separate() {
        assert_eq!(words("git \t status"), ["git", "status"]);
    }

    #[test]
    fn a_line_break_stays_inside_a_word() {
        assert_eq!(words("ls\n-la"), ["ls\n-la"]);
    }

    #[test]
    fn quotes_group_and_join() {
        assert_eq!(words(r#"a'b c'"d e"f"#), ["ab cd ef"]);
    }

    #[test]
    fn a_backslash_escapes_outside_and_inside_double_quotes() {
        assert_eq!(words(r#"a\ b "c\"d\e""#), ["a b", "c\"de"]);
    }

    #[test]
    fn a_backslash_is_literal_inside_single_quotes() {
        assert_eq!(words(r"'a\'"), [r"a\"]);
    }

    #[test]
    fn a_trailing_backslash_is_dropped() {
        assert_eq!(words(r"ls \"), ["ls"]);
    }

    #[test]
    fn empty_words_are_dropped() {
        assert_eq!(words(r#"ls "" ''"#), ["ls"]);
    }

    #[test]
    fn no_word_at_all_is_an_error() {
        assert_eq!(split(r#"  "" "#), None);
    }

    #[test]
    fn an_open_quote_is_an_error() {
        assert_eq!(split("ls 'a"), None);
        assert_eq!(split("ls \"a\\\""), None);
    }

    proptest! {
        /// Splitting is the inverse of quoting, for any words.
        #[test]
        fn what_is_quoted_comes_back(
            wanted in prop::collection::vec("[^\u{0}]{1,8}", 1..6),
            single in any::<bool>(),
        ) {
            let quoted: Vec<String> = wanted
                .iter()
                .map(|word| if single && !word.contains('\'') {
                    format!("'{word}'")
                } else {
                    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
                })
                .collect();
            prop_assert_eq!(words(&quoted.join(" ")), wanted);
        }

        #[test]
        fn words_are_never_empty_and_nothing_panics(command in "[ \t\n'\"\\\\a-cé]{0,40}") {
            if let Some(words) = split(&command) {
                prop_assert!(!words.is_empty());
                prop_assert!(words.iter().all(|word| !word.is_empty()));
            }
        }
    }
}
