//! `find`: the programs that it runs, the files that it writes and removes.

use crate::policy::commands::{
    ExpandedCommand, Field, Inner, StandardInput, Trust, UNKNOWN, base_name, code_from_input, is_any_text,
};
use crate::policy::danger::{ProtectedPath, ProtectedPaths, opens_to_all, texts};
use crate::policy::decision::{Danger, Effect};
use crate::policy::globs::glob_matches;
use crate::policy::programs::program::query;
use crate::policy::programs::{InnerCommands, Offer, Operands, Program, Query, ReadsPath};

pub(in crate::policy::programs) const PROGRAMS: &[Program] = &[
    Program {
        names: &["find"],
        runs: InnerCommands::By(runs),
        writes: Some(written),
        query: Some(Query {
            has_harmful_options: true,
            check: Some(check),
            ..query("", "", "", Operands::Checked)
        }),
        harms: &[removes, changes_permissions],
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    Program {
        names: &["gfind"],
        runs: InnerCommands::By(runs),
        writes: Some(written),
        harms: &[removes, changes_permissions],
        ..Program::PLAIN
    },
];

/// Actions that run a program for each file.
const RUNS: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];

/// Actions that write a file, which the next word names.
const WRITES: [&str; 4] = ["-fprint", "-fprint0", "-fprintf", "-fls"];

/// The words that take no value and neither write nor run anything: options, tests, operators and printing.
const FIND_FLAGS: &[&str] = &[
    "-print", "-print0", "-ls", "-prune", "-quit", "-empty", "-o", "-or", "-a", "-and", "-not", "!", "(",
    ")", "-true", "-false", "-depth", "-d", "-xdev", "-mount", "-readable", "-writable", "-executable",
    "-nouser", "-nogroup", "-noleaf", "-daystart", "-warn", "-nowarn", ",", "-help", "--help", "-version",
    "--version",
];

/// Returns whether an action runs the words after it.
pub(crate) fn runs_program(action: &str) -> bool {
    RUNS.contains(&action)
}

/// Returns whether an action writes the file that the next word names.
fn writes_file(action: &str) -> bool {
    WRITES.contains(&action)
}

/// Returns the actions that run a program, write a file or remove one.
fn actions() -> impl Iterator<Item = &'static str> {
    RUNS.into_iter().chain(WRITES).chain(["-delete"])
}

/// Tests that take a value.
const FIND_VALUES: &[&str] = &[
    "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-type",
    "-xtype", "-size", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-newer", "-anewer",
    "-cnewer", "-newermt", "-maxdepth", "-mindepth", "-user", "-group", "-uid", "-gid", "-perm", "-links",
    "-inum", "-lname", "-ilname", "-printf", "-regextype", "-samefile", "-fstype", "-used",
];

/// Tests with a value that leave some files.
const FIND_TESTS: [&str; 24] = [
    "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-mtime", "-mmin", "-atime",
    "-amin", "-ctime", "-cmin", "-newer", "-size", "-user", "-group", "-perm", "-lname", "-inum", "-links",
    "-samefile", "-newermt", "-xtype",
];

fn written(words: &[Field]) -> Vec<Field> {
    words.windows(2).filter(|pair| writes_file(&pair[0].text)).map(|pair| pair[1].clone()).collect()
}

fn runs(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    let mut found = Vec::new();
    let mut at = 1;
    while at < words.len() {
        match words[at].text.as_str() {
            action if runs_program(action) => {
                let is_end = |field: &Field| field.text == ";" || field.text == "+";
                let length = words[at + 1..].iter().position(is_end);
                let end = length.map_or(words.len(), |length| at + 1 + length);
                if end > at + 1 {
                    found.extend(code_from_input(&words[at + 1..end], "{}", false));
                    found.extend(Inner::words_from(&words[..end], at + 1, Trust::Separate));
                }
                at = end;
            }
            "-delete" => found.push(Inner::Made(vec![Field::of("rm"), Field::of("-f"), Field::unknown()])),
            _ if may_be_action(words, at) => found.push(Inner::unknown_code("arguments of find")),
            _ => {}
        }
        at += 1;
    }
    found
}

/// Returns whether an unknown word, or the name of a file that a glob matches, may be an action.
fn may_be_action(words: &[Field], at: usize) -> bool {
    let field = &words[at];
    if field.has_glob {
        return actions().any(|action| glob_matches(&field.text, action));
    }
    let before = words[at - 1].text.as_str();
    let takes_value =
        before.starts_with('-') && !FIND_FLAGS.contains(&before) && !matches!(before, "-H" | "-L" | "-P");
    // The first starting point may be any path.
    field.is_many && field.text.starts_with(UNKNOWN)
        || at > 1 && !takes_value && is_any_text(&field.text) && field.text.starts_with(UNKNOWN)
}

/// Checks that `find` has no actions, and searches only below the root.
fn check(arguments: &[&str], reads_path: ReadsPath) -> Option<String> {
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

fn removes(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let texts = texts(&command.words);
    let removes_by_program = texts.iter().enumerate().any(|(index, text)| {
        runs_program(text) && texts[index + 1..].iter().take(4).any(|word| is_removal(word))
    });
    if !texts.contains(&"-delete") && !removes_by_program {
        return None;
    }
    let place = protected_start(command, paths)?;
    Some(Danger::new(Effect::Removal, &format!("remove what is below {place}")))
}

/// Returns whether a word of the command that `find` runs is a program that removes the file, or a command
/// line with one.
pub(crate) fn is_removal(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    matches!(name, "rm" | "unlink" | "shred" | "srm" | "rmdir" | "truncate" | "mv")
        || word.contains("rm -")
        || word.contains("rm \"")
        || word.contains("shred ")
}

/// Returns the protected path that `find` walks through, if its tests match enough of the files.
pub(crate) fn protected_start(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<ProtectedPath> {
    let texts = texts(&command.words);
    let mut starts =
        command.words[1..].iter().take_while(|field| !field.text.starts_with(['-', '(', '!'])).peekable();
    let has_test = command.words.windows(2).any(|pair| leaves_files(&pair[0].text, &pair[1].text))
        || texts.iter().any(|text| matches!(*text, "-empty" | "-nouser" | "-nogroup" | "-executable"));
    let here = Field::of(".");
    let all: Vec<&Field> = if starts.peek().is_none() { vec![&here] } else { starts.collect() };
    protected_among(all.into_iter(), has_test, command, paths)
}

/// Returns whether a test of `find` leaves some files: `-name '*.o'`, and not `-name '*'`.
fn leaves_files(test: &str, value: &str) -> bool {
    FIND_TESTS.contains(&test)
        && !(matches!(test, "-name" | "-iname" | "-path" | "-ipath") && glob_matches(value, "\u{1}"))
}

/// Returns the first protected path among the starts of a search, if the tests match enough of the files.
pub(crate) fn protected_among<'a>(
    mut starts: impl Iterator<Item = &'a Field>,
    has_test: bool,
    command: &ExpandedCommand,
    paths: &ProtectedPaths,
) -> Option<ProtectedPath> {
    starts.find_map(|field| {
        let place = paths.protected(field, command)?;
        // A test leaves some files. Below a directory that is no great harm, but in the whole file system it
        // is.
        let is_everywhere = place == ProtectedPath::Root;
        (!has_test || is_everywhere).then_some(place)
    })
}

/// Returns the harm of `find / -exec chmod 777 {} +`, which equals that of `chmod -R`.
fn changes_permissions(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let changes = command.words.windows(3).any(|triple| {
        runs_program(&triple[0].text)
            && match base_name(&triple[1].text) {
                "chmod" => opens_to_all(&triple[2].text),
                "chown" | "chgrp" => true,
                _ => false,
            }
    });
    if !changes {
        return None;
    }
    let place = protected_start(command, paths)?;
    let is_project = matches!(place, ProtectedPath::Project(_));
    (!is_project).then(|| Danger::new(Effect::Permissions, &format!("change the permissions of {place}")))
}
