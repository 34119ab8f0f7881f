//! Whether the output of a program may hold text from outside, which arithmetic would evaluate as an expression.

use super::field::{Field, UNKNOWN, is_tainted};
use super::found::{Input, base_name};

/// Returns whether a program may print more than numbers and the harmless words of the command line.
pub(super) fn prints_text(words: &[Field], input: &Input) -> bool {
    let Some(name) = words.first().and_then(Field::known).map(base_name) else { return !words.is_empty() };
    let words = &words[1..];
    let are_harmless = || words.iter().all(is_harmless);
    let is_numeric = match name {
        ":" | "true" | "false" | "test" | "[" | "exit" | "return" | "sleep" | "shift" | "break"
        | "continue" | "read" | "unset" | "nproc" => true,
        "local" | "declare" | "typeset" | "readonly" | "export" => {
            words.first().is_some_and(|field| !field.text.starts_with('-') || field.text == "-i")
        }
        "cd" => words.first().is_some_and(|field| field.known().is_some_and(|text| !text.starts_with('-'))),
        "echo" | "printf" | "seq" | "id" | "getconf" | "tput" => are_harmless(),
        "wc" => are_harmless() && !words.iter().any(|field| field.text.starts_with("--")),
        "date" => is_date(words),
        "expr" => are_harmless() || is_calculation(words),
        "bc" => words.iter().all(is_option) && is_numeric(input),
        "grep" | "egrep" | "fgrep" => counts_one_file(words),
        "stat" => prints_numbers_of_files(words),
        "jq" => words.iter().find(|field| !is_option(field)).and_then(Field::known).is_some_and(is_length),
        "git" => {
            are_harmless()
                && words.iter().any(|field| field.text == "rev-list")
                && words.iter().any(|field| field.text == "--count")
        }
        "pgrep" => {
            are_harmless() && !words.iter().any(|field| is_option(field) && field.text.contains(['a', 'l']))
        }
        "cat" | "head" | "tail" | "sort" | "uniq" | "tac" | "xargs" => {
            let is_count = |field: &Field| field.text.bytes().all(|byte| byte.is_ascii_digit());
            words.iter().all(|field| is_option(field) || is_count(field)) && is_numeric(input)
        }
        "tr" => words.first().is_some_and(|field| field.known() == Some("-d")) && is_numeric(input),
        "cut" => words.iter().all(|field| is_harmless(field) && is_option(field)) && is_numeric(input),
        "awk" | "gawk" | "mawk" => {
            let is_column = |text: &str| {
                let column = text.trim().strip_prefix("{print $").and_then(|rest| rest.strip_suffix('}'));
                column
                    .is_some_and(|column| column == "NF" || column.bytes().all(|byte| byte.is_ascii_digit()))
            };
            matches!(words, [program] if program.known().is_some_and(is_column)) && is_numeric(input)
        }
        _ => false,
    };
    !is_numeric
}

/// Returns whether the input of a program is free of text from outside.
fn is_numeric(input: &Input) -> bool {
    input.is_numeric || input.text.as_deref().is_some_and(|text| !text.contains(['[', '$', '`', '\\']))
}

/// Returns whether a word can't become code: no name of a file, no part that comes from outside, no subscript.
fn is_harmless(field: &Field) -> bool {
    !field.has_glob && !is_tainted(&field.text) && !field.text.contains(['[', '$', '`', '\\'])
}

fn is_option(field: &Field) -> bool {
    field.text.starts_with('-') && !field.is_many
}

/// Returns whether the output of `date` depends on a format that is known. The date itself may come from anywhere.
fn is_date(words: &[Field]) -> bool {
    let takes_date = |text: &str| matches!(text, "-d" | "--date" | "-r" | "--reference");
    words.iter().enumerate().all(|(at, field)| {
        let is_value = at > 0 && takes_date(&words[at - 1].text) || field.text.starts_with("--date=");
        is_harmless(field) || is_value && !field.is_many && !field.has_glob
    })
}

/// Returns whether the words of `expr` are one arithmetic operator between two operands.
fn is_calculation(words: &[Field]) -> bool {
    let [_, operator, _] = words else { return false };
    words.iter().all(|field| !field.is_many && !field.has_glob)
        && matches!(operator.text.as_str(), "+" | "-" | "*" | "/" | "%")
}

/// Returns whether `grep` prints the number of lines of one file or of its input.
fn counts_one_file(words: &[Field]) -> bool {
    let letters = |field: &Field, letter: &[char]| {
        field.text.starts_with('-') && !field.text.starts_with("--") && field.text.contains(letter)
    };
    let counts = words.iter().any(|field| letters(field, &['c']) || field.text == "--count");
    let goes_deep =
        words.iter().any(|field| letters(field, &['r', 'R', 'H']) || field.text.starts_with("--r"));
    let operands = words.iter().filter(|field| !field.text.starts_with('-')).count();
    counts && !goes_deep && operands <= 2 && words.iter().all(|field| !field.is_many && !field.has_glob)
}

/// Returns whether `stat` prints sizes, times and numbers alone.
fn prints_numbers_of_files(words: &[Field]) -> bool {
    let is_format = |text: &str| {
        let mut parts = text.split('%');
        parts.next().is_some_and(|before| before.trim().is_empty())
            && parts.all(|part| {
                part.starts_with(|char| "sYXZWabhiugdozm".contains(char))
                    && part[1..].chars().all(|char| char == ' ')
            })
    };
    let value = words.iter().enumerate().find_map(|(at, field)| match field.text.strip_prefix("--format=") {
        Some(format) => Some(format.to_owned()),
        None if matches!(field.text.as_str(), "-c" | "-f" | "--format") => {
            words.get(at + 1).map(|field| field.text.clone())
        }
        None => None,
    });
    let are_single = words.iter().all(|field| !field.is_many || field.has_glob);
    are_single && value.is_some_and(|format| !format.contains(UNKNOWN) && is_format(&format))
}

/// Returns whether a program of `jq` ends with `length`, which is a number.
fn is_length(program: &str) -> bool {
    let last = program.rsplit('|').next().unwrap_or(program).trim();
    last == "length" && !program.contains(['"', '(', ',', ';', '?'])
}
