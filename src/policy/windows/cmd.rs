//! The language of `cmd.exe`, as text of a POSIX shell.

/// Commands behind whose name a switch may stand without a blank: `rd/s`.
const BEFORE_SWITCH: [&str; 8] = ["del", "erase", "rd", "rmdir", "copy", "move", "type", "format"];

/// Returns a command line of cmd as a POSIX shell would have to read it for the same words.
///
/// `%NAME%` stays: it is a path's variable wherever it may stand. Loops and conditions have no counterpart.
pub(in crate::policy) fn from_cmd(text: &str) -> String {
    let mut result = String::with_capacity(text.len() + 16);
    let mut is_quoted = false;
    let mut word = String::new();
    let mut chars = text.trim_start().trim_start_matches('@').chars();
    while let Some(char) = chars.next() {
        let before = std::mem::take(&mut word);
        match char {
            '"' => {
                is_quoted = !is_quoted;
                result.push('"');
            }
            '^' if !is_quoted => match chars.next() {
                Some('\n') => {}
                Some(escaped) => result.extend(['\\', escaped]),
                None => {}
            },
            '\\' => result.push_str("\\\\"),
            '$' | '`' => result.extend(['\\', char]),
            '\'' | '#' | '{' | '}' | '!' | '~' | '[' | ']' if !is_quoted => result.extend(['\\', char]),
            ';' | ',' if !is_quoted => result.push(' '),
            '/' if !is_quoted && is_before_switch(&before) => result.push_str(" /"),
            char => result.push(char),
        }
        if !(char.is_whitespace() || "&|()".contains(char)) {
            word = if char == '/' { String::new() } else { before };
            word.push(char.to_ascii_lowercase());
        }
    }
    if is_quoted {
        result.push('"');
    }
    result
}

/// Returns whether a word ends before a switch: that of a command, or another switch.
fn is_before_switch(word: &str) -> bool {
    BEFORE_SWITCH.contains(&word) || word.starts_with('/') && word.len() == 2
}

#[cfg(test)]
mod tests {
    use super::from_cmd;

    #[test]
    fn words_stay_the_same() {
        for (text, other) in [
            (r"type C:\Users\ann\.ssh\id", r"type C:\\Users\\ann\\.ssh\\id"),
            (r#"del "C:\a b\$x" & echo it's"#, r#"del "C:\\a b\\\$x" & echo it\'s"#),
            ("@echo a^&b", "echo a\\&b"),
            (r"rd/s/q C:\x", r"rd /s /q C:\\x"),
            ("type \"a", "type \"a\""),
            (r"del %TEMP%\*.*", r"del %TEMP%\\*.*"),
        ] {
            assert_eq!(from_cmd(text), other, "{text}");
        }
    }
}
