//! Calls in other languages that remove a directory or run a command line, with a plain string as the
//! argument.

use super::download;
use super::protected::ProtectedPaths;
use crate::policy::commands::{ExpandedCommand, Field};
use crate::policy::decision::{Danger, Effect};
use crate::policy::paths::PathStyle;
use crate::policy::programs::is_interpreter;
use crate::policy::windows::program_name;

/// Functions that remove a directory with all its content.
const REMOVAL_FUNCTIONS: [&str; 8] =
    ["rmtree", "rmSync", "rmdirSync", "removeSync", "rm_rf", "rm_r", "remove_tree", "remove_entry"];

/// Functions that run a command line.
const RUN_FUNCTIONS: [&str; 8] =
    ["os.system", "system", "os.popen", "execSync", "exec", "spawnSync", "qx", "passthru"];

/// Loops that start processes without end.
const FORK_BOMBS: [&str; 5] =
    ["fork while 1", "fork while fork", "while True: os.fork()", "while 1: os.fork()", "while(1){fork"];

/// Finds the effect of a command on its own.
type Effects = fn(&ExpandedCommand, &ProtectedPaths) -> Option<Danger>;

/// Returns the harm of the code that an interpreter runs. `effects` judges the commands in the code.
pub(super) fn find(
    name: &str,
    command: &ExpandedCommand,
    paths: &ProtectedPaths,
    effects: Effects,
) -> Option<Danger> {
    if !is_interpreter(name) {
        return None;
    }
    // A here-document may be code, as the value of `-c` is.
    let input = command.input.text.as_deref().filter(|_| download::reads_code(name, command));
    let texts = command.words.iter().skip(1).map(|field| field.text.as_str());
    texts.chain(input).find_map(|code| of_code(code, command, paths, effects))
}

fn of_code(
    code: &str,
    command: &ExpandedCommand,
    paths: &ProtectedPaths,
    effects: Effects,
) -> Option<Danger> {
    let plain = code.split_whitespace().collect::<Vec<_>>().join(" ");
    if FORK_BOMBS.iter().any(|bomb| plain.contains(bomb)) {
        return Some(Danger::new(Effect::Shutdown, "start processes without end"));
    }
    let removed =
        REMOVAL_FUNCTIONS.iter().flat_map(|function| arguments_of(code, function)).find_map(|path| {
            let is_native = command.style == PathStyle::Windows && PathStyle::of(path) == command.style;
            let is_absolute = path.starts_with(['/', '~']) || is_native;
            let place =
                if is_absolute { paths.protected_path(path, command.likely_directory()) } else { None };
            place.map(|place| Danger::new(Effect::Removal, &format!("remove {place}")))
        });
    removed.or_else(|| {
        let lines =
            RUN_FUNCTIONS.iter().flat_map(|function| arguments_of(code, function)).chain(in_backticks(code));
        lines
            .flat_map(|line| line.split([';', '&', '|', '\n']))
            .find_map(|line| of_line(line, command, paths, effects))
    })
}

/// Returns the strings that are the first arguments of calls of a function: `name("text"`, `name 'text'`.
fn arguments_of<'a>(code: &'a str, function: &'a str) -> impl Iterator<Item = &'a str> {
    code.match_indices(function).filter_map(move |(at, _)| {
        let is_whole = !code[..at].ends_with(|char: char| char.is_alphanumeric() || char == '_');
        let rest = code[at + function.len()..].trim_start_matches([' ', '(']);
        let quote = rest.chars().next().filter(|char| is_whole && matches!(char, '"' | '\'' | '`'))?;
        rest[1..].split(quote).next()
    })
}

/// Returns the command lines in backticks, which perl, ruby and php run.
fn in_backticks(code: &str) -> impl Iterator<Item = &str> {
    code.split('`').skip(1).step_by(2)
}

/// Returns the harm of a string of plain words that runs as a command line.
fn of_line(
    line: &str,
    command: &ExpandedCommand,
    paths: &ProtectedPaths,
    effects: Effects,
) -> Option<Danger> {
    let words = line.split_whitespace().skip_while(|word| *word == "sudo");
    let mut words: Vec<Field> = words.map(|word| Field::of(word.trim_matches(['"', '\'']))).collect();
    if command.style == PathStyle::Windows
        && let Some(first) = words.first_mut()
    {
        first.text = program_name(&first.text);
    }
    let found = ExpandedCommand {
        words,
        directories: command.directories.clone(),
        style: command.style,
        ..ExpandedCommand::default()
    };
    let is_plain = found.base_name().is_some_and(|name| !is_interpreter(name));
    if is_plain { effects(&found, paths) } else { None }
}
