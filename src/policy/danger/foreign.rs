//! Code in other languages on the command line: calls that remove files or run a command line, with plain strings as arguments.

use super::places::Places;
use super::{disk, download, machine, overwrite, permissions, removal};
use crate::policy::commands::{Field, Found, is_interpreter, is_shell};
use crate::policy::decision::{Danger, Effect};

/// Functions that remove a directory with all that is in it.
const REMOVE: [&str; 11] = [
    "promises.rm(",
    "removeSync",
    "rmtree",
    "rmSync",
    "rmdirSync",
    "fs.rm(",
    "rm_rf",
    "rm_r(",
    "remove_tree",
    "remove_entry",
    "File::Path",
];
/// The most strings of a program at which a command line may begin.
const MAX_STARTS: usize = 8;

/// Functions that run a command line.
const RUN: [&str; 14] = [
    "system",
    "popen",
    "exec",
    "spawn",
    "subprocess",
    "check_output",
    "check_call",
    "`",
    "qx",
    "shell_exec",
    "passthru",
    "Popen",
    "os.",
    "call(",
];

pub(super) fn find(name: &str, command: &Found, places: &Places) -> Option<Danger> {
    if !is_interpreter(name) {
        return None;
    }
    // A here-document may be code like the value of `-c`.
    let input = command.input.text.as_deref().filter(|_| download::reads_code(name, command));
    let arguments = || command.words.iter().skip(1);
    let texts = arguments().map(|field| field.text.as_str());
    let files = arguments().filter_map(|field| field.content.as_deref());
    texts.chain(input).chain(files).find_map(|code| {
        let is_bomb = code.contains("fork")
            && (code.contains("while") || code.contains("for") || code.contains("loop"));
        if is_bomb {
            return Some(Danger::new(Effect::Shutdown, "start processes without end"));
        }
        let opens_disk = |rest: &str| {
            let call = rest.split([')', ';']).next().unwrap_or(rest);
            call.find("/dev/").is_some_and(|at| disk::is_disk(&call[at..]))
                && [">", "\"w", "'w"].iter().any(|mode| call.contains(mode))
        };
        if code.split("open").skip(1).any(opens_disk) {
            return Some(Danger::new(Effect::Overwrite, "overwrite a disk"));
        }
        let removes = REMOVE.iter().any(|function| code.contains(function));
        let runs = RUN.iter().any(|function| code.contains(function));
        if !removes && !runs {
            return None;
        }
        strings(code)
            .into_iter()
            .find_map(|text| {
                if removes
                    && text.starts_with(['/', '~'])
                    && let Some(place) = places.protected_path(&text, command.directory.as_deref())
                {
                    return Some(Danger::new(Effect::Removal, &format!("remove {place}")));
                }
                if runs { of_command_line(&text, command, places) } else { None }
            })
            .or_else(|| {
                // The words may be strings of their own, behind others: `spawn("rm", ["-rf", "/"])`.
                let strings = strings(code);
                let starts = 0..strings.len().min(MAX_STARTS);
                let mut lines = starts.filter(|_| runs).map(|at| strings[at..].join(" "));
                lines.find_map(|line| of_command_line(&line, command, places))
            })
    })
}

/// Returns the harm of a string that is run as a command line.
fn of_command_line(text: &str, command: &Found, places: &Places) -> Option<Danger> {
    let mut stages = text.split('|').filter_map(|stage| stage.split_whitespace().next());
    if stages.any(|name| matches!(name, "curl" | "wget")) && stages.any(is_shell) {
        return Some(Danger::new(Effect::Download, "run a download that nobody has seen"));
    }
    text.split([';', '|', '&', '\n']).find_map(|part| {
        let mut words: Vec<Field> =
            part.split_whitespace().map(|word| Field::of(word.trim_matches(['"', '\'']))).collect();
        if words.first().is_some_and(|field| field.text == "sudo") {
            words.remove(0);
        }
        let name = words.first()?.text.rsplit('/').next()?.to_owned();
        let found = Found { words, directory: command.directory.clone(), ..Found::default() };
        removal::find(&name, &found, places)
            .or_else(|| overwrite::find(&name, &found, places))
            .or_else(|| disk::find(&name, &found))
            .or_else(|| machine::find(&name, &found))
            .or_else(|| permissions::find(&name, &found, places))
    })
}

/// Returns the strings of a program: each text between two quotes of the same kind.
fn strings(code: &str) -> Vec<String> {
    let mut strings = Vec::new();
    for quote in ['"', '\'', '`'] {
        strings.extend(code.split(quote).skip(1).step_by(2).map(str::to_owned));
    }
    if let Some(rest) = code.split("qx").nth(1) {
        strings.push(rest.trim_matches(|char: char| !char.is_alphanumeric() && char != '/').to_owned());
    }
    strings
}
