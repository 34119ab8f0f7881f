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

/// Functions that write the file that is their first argument.
const WRITE: [&str; 9] = [
    "writeFile",
    "writeFileSync",
    "appendFileSync",
    "createWriteStream",
    "truncateSync",
    "file_put_contents",
    "File.write",
    "IO.write",
    "os.truncate",
];

/// Methods that write the file of the path before them.
const WRITE_METHODS: [&str; 2] = [".write_text(", ".write_bytes("];

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
    let texts = command.words.iter().skip(1).map(|field| field.text.as_str());
    texts.chain(input).find_map(|code| {
        let is_bomb = code.contains("fork")
            && (code.contains("while") || code.contains("for") || code.contains("loop"));
        if is_bomb {
            return Some(Danger::new(Effect::Shutdown, "start processes without end"));
        }
        if let Some(danger) = opens_for_writing(code, command, places) {
            return Some(danger);
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

/// Returns the harm of a file of the system that code writes: `open("/etc/passwd", "w")`, `open(F, ">/etc/passwd")`,
/// `writeFileSync("/etc/passwd", …)`, `Path("/etc/passwd").write_text(…)`.
fn opens_for_writing(code: &str, command: &Found, places: &Places) -> Option<Danger> {
    let named = WRITE.iter().flat_map(|function| code.split(function).skip(1)).filter_map(first_string);
    let methods = WRITE_METHODS.iter().filter_map(|method| last_string(code.split_once(method)?.0));
    let mut files: Vec<(String, bool)> = named.chain(methods).map(|file| (file.to_owned(), false)).collect();
    if code.contains("open") {
        let strings = strings(code);
        let redirected = |text: &String| {
            let file = text.strip_prefix("+<").or_else(|| text.strip_prefix('>'))?;
            Some((file.trim_start_matches('>').trim().to_owned(), text.starts_with(">>")))
        };
        files.extend(strings.iter().filter_map(redirected));
        files.extend(strings.windows(2).filter_map(|pair| match pair[0].as_str() {
            ">" | ">>" | "+<" => Some((pair[1].clone(), pair[0] == ">>")),
            _ => is_write_mode(&pair[1]).then(|| (pair[0].clone(), pair[1].starts_with('a'))),
        }));
    }
    let is_path = |file: &str| file.starts_with(['/', '~']);
    files
        .iter()
        .filter(|(file, _)| is_path(file))
        .find_map(|(file, is_append)| overwrite::writes(file, *is_append, command, places))
}

/// Returns whether a text is a mode in which a file is opened for writing: `w`, `ab`, `r+`.
fn is_write_mode(text: &str) -> bool {
    let is_mode = text.len() <= 3 && text.chars().all(|char| "rwaxbt+".contains(char));
    is_mode && text.starts_with(['r', 'w', 'a', 'x']) && text.contains(['w', 'a', 'x', '+'])
}

/// Returns the string at the beginning of the arguments of a call.
fn first_string(arguments: &str) -> Option<&str> {
    let arguments = arguments.trim_start_matches(['(', ' ']);
    let quote = arguments.chars().next().filter(|char| matches!(char, '"' | '\'' | '`'))?;
    arguments[1..].split(quote).next()
}

/// Returns the string in the call at the end of a text: that of `Path("x")`.
fn last_string(text: &str) -> Option<&str> {
    let text = text.strip_suffix(')')?;
    let quote = text.chars().last().filter(|char| matches!(char, '"' | '\''))?;
    text[..text.len() - 1].rsplit(quote).next()
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
