//! Safe mode's allow list.

/// The programs that safe mode runs, with the words that must follow.
const ALLOWED: [&[&str]; 13] = [
    &["git"],
    &["grep"],
    &["rg"],
    &["find"],
    &["ls"],
    &["cat"],
    &["head"],
    &["tail"],
    &["wc"],
    &["swift", "test"],
    &["xcodebuild", "test"],
    &["npm", "test"],
    &["pytest"],
];

/// Returns whether the first words, joined by a space, are an allowed prefix.
///
/// The contract compares joined words: the single word `swift test` is allowed too, and fails because no
/// program has that name.
#[must_use]
pub fn is_allowed(words: &[String]) -> bool {
    ALLOWED.iter().any(|prefix| words[..words.len().min(prefix.len())].join(" ") == prefix.join(" "))
}

#[cfg(test)]
mod tests {
    use super::is_allowed;

    fn allowed(words: &[&str]) -> bool {
        is_allowed(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn any_git_command_is_allowed() {
        assert!(allowed(&["git", "push"]));
    }

    #[test]
    fn npm_is_allowed_with_test_only() {
        assert!(allowed(&["npm", "test", "--", "-x"]));
        assert!(!allowed(&["npm", "install"]));
        assert!(!allowed(&["npm"]));
    }

    #[test]
    fn one_word_with_a_space_equals_a_two_word_prefix() {
        assert!(allowed(&["swift test"]));
        assert!(!allowed(&["swift test", "x"]));
    }

    #[test]
    fn a_program_that_begins_like_an_allowed_one_is_not() {
        assert!(!allowed(&["gitk"]));
        assert!(!allowed(&["/usr/bin/git"]));
    }
}
