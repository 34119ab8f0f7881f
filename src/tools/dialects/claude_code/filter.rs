//! The filter of `BashOutput`: a regular expression that is matched in linear time.

use regex_lite::Regex;

/// Checks the filter. Returns the reason for which it can't be used.
pub(super) fn check(pattern: &str) -> Result<(), String> {
    compile(pattern).map(|_| ())
}

/// Returns the lines that match; all lines for an invalid filter, which [`check`] refuses before.
pub(super) fn matching(text: &str, pattern: Option<&str>) -> String {
    let Some(Ok(regex)) = pattern.map(compile) else { return text.to_owned() };
    let lines: Vec<_> = text.lines().filter(|line| regex.is_match(line)).collect();
    lines.join("\n")
}

fn compile(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|error| {
        let has_look_around = ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|start| pattern.contains(start));
        let has_reference =
            pattern.as_bytes().windows(2).any(|pair| pair[0] == b'\\' && pair[1].is_ascii_digit());
        let hint = if has_look_around || has_reference {
            "; look-around and back-references are not supported"
        } else {
            ""
        };
        format!("Invalid filter '{pattern}': {error}{hint}")
    })
}

#[cfg(test)]
mod tests {
    use super::{check, matching};

    #[test]
    fn only_lines_that_match_are_left() {
        assert_eq!(matching("one\ntwo\nthree\n", Some("^t")), "two\nthree");
        assert_eq!(matching("one\n", None), "one\n");
    }

    #[test]
    fn what_is_not_supported_is_said() {
        assert!(check("(").is_err_and(|message| message.starts_with("Invalid filter '(': ")));
        let look_around = check("(?=a)").expect_err("unsupported");
        assert!(look_around.ends_with("look-around and back-references are not supported"), "{look_around}");
        assert_eq!(check("a|b"), Ok(()));
    }

    #[test]
    fn a_catastrophic_pattern_ends() {
        let text = "a".repeat(5_000) + "b";
        assert_eq!(matching(&text, Some("(a*)*c")), "");
    }
}
