//! Checks the arguments of programs that only read.

use crate::policy::commands::OptionWord;
use crate::policy::programs::Operands::{Checked, Files, Nothing, OneFile, PatternAndFiles, Text};
use crate::policy::programs::{Program, Query, ReadsPath};

/// Returns whether a program has options that do more than read. The name of a file that matches a glob could
/// be such an option.
pub(super) fn has_harmful_options(name: &str) -> bool {
    query_of(name).is_some_and(|query| query.has_harmful_options)
}

/// Returns whether a program only reads and runs nothing, with any arguments that a person would give.
pub(super) fn is_plain(name: &str) -> bool {
    query_of(name).is_some_and(|query| !query.has_harmful_options && query.operands != Checked)
}

/// Returns how many arguments of a program that prints its arguments must be known; `None` for any other
/// program.
pub(super) fn known_arguments(name: &str) -> Option<usize> {
    query_of(name)?.must_know
}

fn query_of(name: &str) -> Option<&'static Query> {
    Program::of(name)?.query.as_ref()
}

/// Returns why a program may do more than read. `words` begin with its name.
pub(super) fn refusal(name: &str, words: &[&str], reads_path: ReadsPath) -> Option<String> {
    let Some(query) = query_of(name) else { return Some("it is no known query".to_owned()) };
    let arguments = &words[1..];
    let refused = query.check.and_then(|check| check(arguments, reads_path));
    if query.operands == Checked {
        refused
    } else {
        refused.or_else(|| by_options(query, arguments, reads_path))
    }
}

fn by_options(query: &Query, arguments: &[&str], reads_path: ReadsPath) -> Option<String> {
    let mut operands = Vec::new();
    let mut has_pattern = false;
    let mut only_operands = false;
    let mut rest = arguments.iter();
    while let Some(&text) = rest.next() {
        if only_operands || text == "-" || !text.starts_with('-') {
            operands.push(text);
        } else if text == "--" {
            only_operands = true;
        } else if let Some(OptionWord::Long(name, value)) = OptionWord::of(text) {
            let Some(further) = further_words(query, name, value.is_some()) else {
                return Some(unknown_option(text));
            };
            has_pattern |= name == "regexp";
            rest.by_ref().take(further).for_each(drop);
        } else {
            for (index, letter) in text.char_indices().skip(1) {
                if query.valued.contains(letter) {
                    let value = &text[index + letter.len_utf8()..];
                    let value = if value.is_empty() { rest.next().copied().unwrap_or("") } else { value };
                    has_pattern |= matches!(letter, 'e' | 'f') && query.operands == PatternAndFiles;
                    if query.files.contains(letter) && !reads_path(value) {
                        return Some(format!("{value} is outside of the root"));
                    }
                    break;
                }
                if !query.short.contains(letter) {
                    return Some(unknown_option(text));
                }
            }
        }
    }
    let files: &[&str] = match query.operands {
        Text | Checked => &[],
        Nothing if !operands.is_empty() => return Some("it takes no arguments when it reads".to_owned()),
        Nothing => &[],
        OneFile if operands.len() > 1 => return Some("its second file is written".to_owned()),
        Files | OneFile => &operands,
        PatternAndFiles
            if has_pattern || arguments.contains(&"--files") || arguments.contains(&"--type-list") =>
        {
            &operands
        }
        PatternAndFiles => operands.get(1..).unwrap_or_default(),
    };
    outside(files, reads_path)
}

/// Returns why an option may do more than read.
pub(crate) fn unknown_option(option: &str) -> String {
    format!("its option {option} is not known to read")
}

/// Returns the number of words that follow a long option; `None` for an option that is not known to read.
fn further_words(query: &Query, name: &str, has_value: bool) -> Option<usize> {
    let has_long = |name: &str| query.long.split_ascii_whitespace().any(|long| long == name);
    let with_value = has_long(&format!("{name}="));
    let without = has_long(name);
    let is_known = with_value && has_value || without && !has_value || with_value && !without;
    if !is_known || matches!(name, "file" | "files-from" | "relative-to" | "relative-base") {
        return None;
    }
    let is_pair = query.pairs.contains(&name);
    Some(usize::from(with_value && !has_value && !without) + usize::from(is_pair))
}

/// Returns why these files can't be read.
pub(crate) fn outside(files: &[&str], reads_path: ReadsPath) -> Option<String> {
    files.iter().find(|path| !reads_path(path)).map(|path| format!("{path} is outside of the root"))
}
