//! The names of variables.

/// Returns whether a shell accepts a name for a variable: `^[A-Za-z_][A-Za-z0-9_]*$`.
#[must_use]
pub fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|char: char| char.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn a_name_has_letters_digits_and_underscores_and_begins_with_no_digit() {
        for name in ["", "1A", "A-B", "A B", "Ä", "A;B"] {
            assert!(!is_name(name), "{name}");
        }
        assert!(is_name("_a1"));
    }
}
