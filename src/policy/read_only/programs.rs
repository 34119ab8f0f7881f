//! Checks the arguments of programs that only read.

use super::table::Operands::{Files, None as Nothing, OneFile, PatternAndFiles, Special, Text};
use super::table::{PROGRAMS, Program};
use crate::policy::commands::{FIND_FLAGS, OptionWord};

/// Tests of `find` that take a value.
const FIND_VALUES: &[&str] = &[
    "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-type",
    "-xtype", "-size", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-newer", "-anewer",
    "-cnewer", "-newermt", "-maxdepth", "-mindepth", "-user", "-group", "-uid", "-gid", "-perm", "-links",
    "-inum", "-lname", "-ilname", "-printf", "-regextype", "-samefile", "-fstype", "-used",
];

/// Returns whether a program has options that do more than read. The name of a file that matches a glob could
/// be such an option.
pub(super) fn has_harmful_options(name: &str) -> bool {
    matches!(
        name,
        "git"
            | "rg"
            | "sort"
            | "find"
            | "sed"
            | "date"
            | "tree"
            | "uniq"
            | "file"
            | "less"
            | "hostname"
            | "diff"
            | "grep"
    )
}

/// Returns whether a program only reads and runs nothing, with any arguments that a person would give.
pub(super) fn is_plain(name: &str) -> bool {
    !has_harmful_options(name)
        && PROGRAMS.iter().any(|program| program.name == name && program.operands != Special)
}

/// Returns why a program may do more than read. `words` begin with its name.
pub(super) fn refusal(name: &str, words: &[&str], reads_path: &dyn Fn(&str) -> bool) -> Option<String> {
    let Some(program) = PROGRAMS.iter().find(|program| program.name == name) else {
        return Some("it is no known query".to_owned());
    };
    let arguments = &words[1..];
    match name {
        "find" => return find(arguments, reads_path),
        "sed" => return sed(arguments, reads_path),
        "cd" => return cd(arguments, reads_path),
        "printf" => {
            return arguments
                .first()
                .is_some_and(|text| text.starts_with("-v"))
                .then(|| "it sets a variable".to_owned());
        }
        "test" | "[" => return test(arguments, reads_path),
        "date" => {
            let sets = arguments.iter().any(|text| {
                !text.starts_with(['+', '-']) && !matches!(previous(arguments, text), Some("-d" | "--date"))
            });
            if sets {
                return Some("it may set the clock".to_owned());
            }
        }
        "strings" if arguments.iter().any(|text| text.starts_with('@')) => {
            return Some("it reads options from a file".to_owned());
        }
        "jq" if arguments.iter().any(|text| loads_module(text)) => {
            return Some("it reads a module".to_owned());
        }
        "less" => return Some("it is a pager, which runs programs".to_owned()),
        "command" if !arguments.first().is_some_and(|text| matches!(*text, "-v" | "-V")) => {
            return Some("it runs its arguments".to_owned());
        }
        _ => {}
    }
    by_table(program, arguments, reads_path)
}

fn previous<'a>(arguments: &[&'a str], text: &str) -> Option<&'a str> {
    let index = arguments.iter().position(|argument| std::ptr::eq(*argument, text))?;
    index.checked_sub(1).map(|index| arguments[index])
}

/// Checks arguments by the table of programs.
fn by_table(program: &Program, arguments: &[&str], reads_path: &dyn Fn(&str) -> bool) -> Option<String> {
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
            let Some(further) = further_words(program, name, value.is_some()) else {
                return Some(unknown_option(text));
            };
            has_pattern |= name == "regexp";
            rest.by_ref().take(further).for_each(drop);
        } else {
            for (index, letter) in text.char_indices().skip(1) {
                if program.valued.contains(letter) {
                    let value = &text[index + letter.len_utf8()..];
                    let value = if value.is_empty() { rest.next().copied().unwrap_or("") } else { value };
                    has_pattern |= matches!(letter, 'e' | 'f') && program.operands == PatternAndFiles;
                    if names_file(program, letter) && !reads_path(value) {
                        return Some(format!("{value} is outside of the root"));
                    }
                    break;
                }
                if !program.short.contains(letter) {
                    return Some(unknown_option(text));
                }
            }
        }
    }
    let files: &[&str] = match program.operands {
        Text | Special => &[],
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

fn unknown_option(option: &str) -> String {
    format!("its option {option} is not known to read")
}

/// Returns the number of words that follow a long option; `None` for an option that is not known to read.
fn further_words(program: &Program, name: &str, has_value: bool) -> Option<usize> {
    let with_value = program.has_long(&format!("{name}="));
    let without = program.has_long(name);
    let is_known = with_value && has_value || without && !has_value || with_value && !without;
    if !is_known || matches!(name, "file" | "files-from" | "relative-to" | "relative-base") {
        return None;
    }
    // `jq --arg name value` takes two words.
    let is_pair = matches!((program.name, name), ("jq", "arg" | "argjson"));
    Some(usize::from(with_value && !has_value && !without) + usize::from(is_pair))
}

/// Returns whether the value of an option is a file that the program reads.
fn names_file(program: &Program, letter: char) -> bool {
    matches!((program.name, letter), ("grep" | "egrep" | "fgrep" | "rg", 'f') | ("file", 'm' | 'f'))
}

fn outside(files: &[&str], reads_path: &dyn Fn(&str) -> bool) -> Option<String> {
    files.iter().find(|path| !reads_path(path)).map(|path| format!("{path} is outside of the root"))
}

/// Returns whether a filter of jq reads another file, as `include "name" {search: "/"};` does, or describes
/// one.
fn loads_module(filter: &str) -> bool {
    let names_file = |rest: &str| {
        let mut rest = rest.trim_start();
        while let Some(comment) = rest.strip_prefix('#') {
            rest = comment.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
        }
        rest.starts_with('"')
    };
    filter.contains("modulemeta")
        || ["include", "import"].iter().any(|word| filter.split(word).skip(1).any(names_file))
}

/// Checks that `find` has no actions, and searches only below the root.
fn find(arguments: &[&str], reads_path: &dyn Fn(&str) -> bool) -> Option<String> {
    let mut rest = arguments.iter().peekable();
    while rest.peek().is_some_and(|text| matches!(**text, "-P" | "-H")) {
        rest.next();
    }
    while let Some(text) = rest.next_if(|text| !text.starts_with(['-', '(', '!'])) {
        if !reads_path(text) {
            return Some(format!("{text} is outside of the root"));
        }
    }
    while let Some(&text) = rest.next() {
        let takes_value = FIND_VALUES.contains(&text);
        let is_known = takes_value || FIND_FLAGS.contains(&text);
        if !is_known {
            return Some(format!("{text} is not known to read"));
        }
        if takes_value
            && let Some(value) = rest.next()
            && matches!(text, "-newer" | "-anewer" | "-cnewer" | "-samefile")
            && !reads_path(value)
        {
            return Some(format!("{value} is outside of the root"));
        }
    }
    None
}

/// Checks that `sed` prints lines by number, as in `sed -n '1,5p'`; no other script is known to read.
fn sed(arguments: &[&str], reads_path: &dyn Fn(&str) -> bool) -> Option<String> {
    let [flag, script, files @ ..] = arguments else {
        return Some("only `sed -n` with lines to print is known to read".to_owned());
    };
    let is_print = matches!(*flag, "-n" | "-nE" | "-En" | "-nr")
        && script.split(';').all(|part| {
            let part = part.trim();
            part.strip_suffix('p').is_some_and(|lines| {
                lines.chars().all(|char| char.is_ascii_digit() || char == ',' || char == '$')
            })
        });
    if !is_print {
        return Some("only `sed -n` with lines to print is known to read".to_owned());
    }
    if let Some(option) = files.iter().find(|text| text.starts_with('-')) {
        return Some(format!("its option {option} is not known to read"));
    }
    outside(files, reads_path)
}

fn cd(arguments: &[&str], reads_path: &dyn Fn(&str) -> bool) -> Option<String> {
    match arguments.iter().find(|text| !text.starts_with('-')) {
        Some(path) if arguments.len() == 1 && reads_path(path) => None,
        _ => Some("the directory is not known to be in the root".to_owned()),
    }
}

fn test(arguments: &[&str], reads_path: &dyn Fn(&str) -> bool) -> Option<String> {
    for pair in arguments.windows(2) {
        let is_file = matches!(
            pair[0],
            "-e" | "-f"
                | "-d"
                | "-r"
                | "-w"
                | "-x"
                | "-s"
                | "-L"
                | "-h"
                | "-b"
                | "-c"
                | "-p"
                | "-S"
                | "-g"
                | "-u"
                | "-k"
                | "-O"
                | "-G"
                | "-N"
                | "-a"
                | "-nt"
                | "-ot"
                | "-ef"
        );
        let is_comparison = matches!(pair[1], "-nt" | "-ot" | "-ef");
        if is_comparison && !reads_path(pair[0]) {
            return Some(format!("{} is outside of the root", pair[0]));
        }
        if is_file && !reads_path(pair[1]) {
            return Some(format!("{} is outside of the root", pair[1]));
        }
        if pair[0] == "-v" || pair[0] == "-R" {
            return Some("it evaluates a variable".to_owned());
        }
    }
    None
}
