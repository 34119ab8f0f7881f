//! Chooses the command among the arguments.

/// Returns the first candidate that is a string and not blank, untrimmed.
#[must_use]
pub fn choose_command(candidates: [Option<String>; 2]) -> Option<String> {
    candidates.into_iter().flatten().find(|candidate| !trim(candidate).is_empty())
}

/// Trims as JavaScript's `String.prototype.trim` does, which differs from Rust's `trim` for U+FEFF and
/// U+0085.
#[must_use]
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_javascript_white_space)
}

fn is_javascript_white_space(character: char) -> bool {
    character == '\u{feff}' || (character.is_whitespace() && character != '\u{85}')
}

#[cfg(test)]
mod tests {
    use super::{choose_command, trim};

    fn choose(command: Option<&str>, cmd: Option<&str>) -> Option<String> {
        choose_command([command.map(str::to_owned), cmd.map(str::to_owned)])
    }

    #[test]
    fn command_comes_before_cmd() {
        assert_eq!(choose(Some("a"), Some("b")).as_deref(), Some("a"));
    }

    #[test]
    fn a_blank_command_falls_through_to_cmd() {
        assert_eq!(choose(Some(" \u{feff}\n"), Some(" b ")).as_deref(), Some(" b "));
    }

    #[test]
    fn no_usable_command_is_none() {
        assert_eq!(choose(None, Some("\u{2028}")), None);
    }

    #[test]
    fn next_line_is_not_white_space_in_javascript() {
        assert_eq!(trim("\u{85}a\u{a0}"), "\u{85}a");
    }
}
