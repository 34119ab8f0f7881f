//! Programs of awk, which run commands by `system`, a pipe, a loaded library or a function named by a value.

use crate::policy::commands::field::{Field, TAINTED, is_tainted};
use crate::policy::commands::found::Trust;
use crate::policy::commands::inner::model::Inner;

/// Returns whether a program may run commands. Strings and regular expressions are no code.
fn runs(program: &str) -> bool {
    let code = without_strings(program);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = code.as_bytes();
    let has_system = code.match_indices("system").any(|(index, word)| {
        let is_begin = index == 0 || !is_word(bytes[index - 1]);
        is_begin && bytes.get(index + word.len()).is_none_or(|byte| !is_word(*byte))
    });
    let has_pipe = bytes.iter().enumerate().any(|(index, byte)| {
        *byte == b'|' && bytes.get(index + 1) != Some(&b'|') && (index == 0 || bytes[index - 1] != b'|')
    });
    has_system || has_pipe || code.contains('@')
}

/// Returns the program without its strings, regular expressions and comments.
fn without_strings(program: &str) -> String {
    let mut code = String::new();
    let mut chars = program.chars().peekable();
    while let Some(char) = chars.next() {
        let is_value_before = ends_in_value(&code);
        match char {
            '#' => while chars.next_if(|char| *char != '\n').is_some() {},
            '"' => {
                skip_to(&mut chars, '"');
                code.push_str("\"\"");
            }
            // A slash behind a value divides.
            '/' if !is_value_before => {
                skip_to(&mut chars, '/');
                code.push(' ');
            }
            char => code.push(char),
        }
    }
    code
}

fn ends_in_value(code: &str) -> bool {
    code.trim_end()
        .ends_with(|last: char| last.is_alphanumeric() || matches!(last, '_' | ')' | ']' | '$' | '"'))
}

fn skip_to(chars: &mut impl Iterator<Item = char>, end: char) {
    while let Some(char) = chars.next() {
        if char == '\\' {
            chars.next();
        } else if char == end {
            return;
        }
    }
}

/// Returns the files behind `print … >`, unknown ones for those that are no plain string.
pub(super) fn printed_files(words: &[Field]) -> Vec<Field> {
    programs(words).iter().flat_map(|field| targets(&field.text)).collect()
}

fn targets(program: &str) -> Vec<Field> {
    let mut found = Vec::new();
    let (mut prints, mut depth, mut word, mut code) = (false, 0_usize, String::new(), String::new());
    let mut chars = program.chars().peekable();
    while let Some(char) = chars.next() {
        if char.is_alphanumeric() || char == '_' {
            word.push(char);
            code.push(char);
            continue;
        }
        prints |= matches!(word.as_str(), "print" | "printf");
        word.clear();
        match char {
            '#' => while chars.next_if(|char| *char != '\n').is_some() {},
            '"' => skip_to(&mut chars, '"'),
            '/' if !ends_in_value(&code) => skip_to(&mut chars, '/'),
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ';' | '\n' | '{' | '}' => (prints, depth) = (false, 0),
            '>' if prints && depth == 0 => {
                while chars.next_if(|char| matches!(char, '>' | ' ' | '\t')).is_some() {}
                found.push(target(&mut chars));
                prints = false;
            }
            _ => {}
        }
        code.push(char);
    }
    found
}

/// Reads the string behind `>`, if it is the whole target.
fn target(chars: &mut std::iter::Peekable<std::str::Chars>) -> Field {
    let unknown = || Field { text: TAINTED.to_owned(), ..Field::default() };
    if chars.next_if_eq(&'"').is_none() {
        return unknown();
    }
    let mut text = String::new();
    while let Some(char) = chars.next_if(|char| *char != '"') {
        text.push(char);
    }
    chars.next();
    while chars.next_if(|char| matches!(char, ' ' | '\t')).is_some() {}
    let ends = chars.peek().is_none_or(|char| matches!(char, ';' | '\n' | '}' | '#'));
    if ends && !text.contains('\\') { Field::of(&text) } else { unknown() }
}

/// Returns the commands that a program of awk runs, or writes to by a pipe.
pub(super) fn inner(words: &[Field]) -> Vec<Inner> {
    let runs =
        programs(words).iter().any(|field| is_tainted(&field.text) || field.has_glob || runs(&field.text))
            || words.iter().any(|field| matches!(field.text.as_str(), "-l" | "--load"));
    if !runs {
        return Vec::new();
    }
    // The first string behind `system` is often the command.
    let text = words[1..].iter().find_map(|field| {
        let (_, rest) = field.text.split_once("system")?;
        let (_, rest) = rest.split_once('"')?;
        rest.split_once('"').map(|(text, _)| text.to_owned())
    });
    let unknown = Inner::unknown_code("a command of awk");
    match text {
        Some(text) => vec![Inner::code(Some(text), "a command of awk", Trust::Separate, false), unknown],
        None => vec![unknown],
    }
}

/// Returns the programs among the arguments of awk: the first operand, or the value of `-e`.
fn programs(words: &[Field]) -> Vec<Field> {
    let mut at = 1;
    while let Some(field) = words.get(at) {
        match field.text.as_str() {
            "-F" | "-v" | "-i" | "--field-separator" | "--assign" | "--include" => at += 2,
            "-e" | "--source" => return words.get(at + 1).cloned().into_iter().collect(),
            "-f" | "--file" | "-E" | "--exec" => return Vec::new(),
            "--" => return words.get(at + 1).cloned().into_iter().collect(),
            text if text.starts_with('-') && text.len() > 1 => at += 1,
            _ => return vec![field.clone()],
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::runs;

    #[test]
    fn programs_that_print_run_nothing() {
        for program in [
            "{print $1}",
            "/foo|bar/ {print}",
            "$1 ~ /a|b/ || $2 > 3 {n++} END {print n/2, \"a | b\"}",
            "{ gsub(/system\\(x\\)|y/, \"\"); print }",
            "# a | b\n{print}",
            "{ print $3/$4 }",
            "BEGIN { FS=\"|\" } { print $2 }",
            "{ file_system = 1 }",
        ] {
            assert!(!runs(program), "{program}");
        }
    }

    #[test]
    fn programs_that_run_commands_are_seen() {
        for program in [
            "BEGIN{system(\"id\")}",
            "BEGIN { system  (\"id\") }",
            "{print | \"sh\"}",
            "{print \"\" | c}",
            "{\"id\" | getline}",
            "{c|getline x}",
            "{ print |& c }",
            "BEGIN{f=\"system\"; @f(\"id\")}",
            "@load \"x\"",
            "{ x = 4 / 2; print | \"a/b\" }",
        ] {
            assert!(runs(program), "{program}");
        }
    }
}
