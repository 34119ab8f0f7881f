//! Programs that run their arguments, and where the arguments of those begin.

use super::table::{CONTAINER_LONG, WRAPPERS, Wrapper};
use super::{Inner, code, quoted, skip_options, word};
use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::commands::found::{Input, Trust, base_name};

/// What a command runs, by its name and arguments.
pub(in crate::policy::commands) fn inner(words: &[Field], input: &Input) -> Vec<Inner> {
    let Some(name) = words.first().and_then(Field::known).map(base_name) else { return Vec::new() };
    if let Some(found) = code::inner(name, words, input) {
        return found;
    }
    match name {
        "command" => command(words),
        "env" | "cross-env" => environment(words),
        "xargs" => xargs(words, input),
        "find" | "gfind" => find(words),
        "fd" | "fdfind" => fd(words),
        "mise" | "rtx" => after_separator(words, &["exec", "x"]),
        "dotenvx" => after_separator(words, &["run"]),
        "lerna" | "nx" | "gh" | "colima" | "lxc-attach" | "distrobox" | "npm" | "guix" | "coder"
        | "limactl"
            if words.iter().any(|field| field.text == "--") =>
        {
            let mut found = table(name, words);
            if found.is_empty() {
                found = after_separator(words, &["exec", "ssh", "enter", "shell", "-n", "--name", "explore"]);
            }
            found
        }
        "singularity" | "apptainer" | "toolbox" | "crictl" | "multipass" | "systemd-nspawn" => guessed(words),
        "start-stop-daemon" => daemon(words),
        "kubectl" | "oc" => after_separator(words, &["exec", "run", "debug"]),
        "nix" => nix(words),
        "bwrap" | "perf" | "gdb" | "lldb" | "ip" | "cgroupexec" | "flatpak" | "snap" => guessed(words),
        "docker" | "podman" | "nerdctl" => container(name, words),
        name => table(name, words),
    }
}

fn table(name: &str, words: &[Field]) -> Vec<Inner> {
    for wrapper in WRAPPERS.iter().filter(|wrapper| wrapper.name == name) {
        let mut at = 1;
        if !wrapper.subcommand.is_empty() {
            at = skip_options(words, at, wrapper.short, wrapper.long);
            if word(words, at) != Some(wrapper.subcommand) {
                continue;
            }
            at += 1;
        }
        return run_by(wrapper, words, at);
    }
    Vec::new()
}

fn run_by(wrapper: &Wrapper, words: &[Field], start: usize) -> Vec<Inner> {
    let mut at = skip_options(words, start, wrapper.short, wrapper.long);
    if matches!(wrapper.name, "chrt" | "ionice" | "taskset" | "prlimit") && has_short(words, start, at, 'p') {
        return Vec::new();
    }
    let mut trust = wrapper.trust;
    if wrapper.name == "time" && at > 1 && words[1..at].iter().any(|field| is_option(field, 'o', "output")) {
        trust = Trust::Separate;
    }
    at += wrapper.operands;
    // `docker run image` alone runs what the image says.
    at = skip_separator(words, at);
    let (at, assignments) = if matches!(wrapper.name, "sudo" | "doas" | "dotenv") {
        skip_assignments(words, at)
    } else {
        (at, Vec::new())
    };
    let mut found = words_from(words, at, assignments, trust);
    found.extend(guesses(words, start, at, trust));
    found
}

/// Commands that begin at another word if an option takes more or fewer values than the table says.
fn guesses(words: &[Field], start: usize, at: usize, trust: Trust) -> Vec<Inner> {
    let at = at.min(words.len());
    let begin = start.min(at);
    let skipped = &words[begin..at];
    let mut found: Vec<Inner> = (begin..at)
        .filter(|&place| !words[place].text.starts_with('-') && words[place].known().is_some())
        .map(|place| guess(words, place))
        .collect();
    let ends_in_option = skipped
        .last()
        .is_some_and(|field| field.text.starts_with('-') && field.text != "--" && !field.text.contains('='));
    if ends_in_option && at + 1 < words.len() {
        found.push(guess(words, at + 1));
    }
    // A word that may become several ones can hold the command.
    if trust != Trust::Runner && skipped.iter().any(|field| field.is_many) {
        found.push(Inner::Code {
            text: None,
            positional: None,
            what: "arguments that are not known",
            trust: Trust::Separate,
            is_downloaded: false,
        });
    }
    found
}

/// A command that may begin at a place. Rules are about the first words of a command: 64 are enough for them.
fn guess(words: &[Field], place: usize) -> Inner {
    Inner::Guess(words.iter().skip(place).take(64).cloned().collect())
}

fn words_from(
    words: &[Field],
    at: usize,
    assignments: Vec<(String, Option<String>)>,
    trust: Trust,
) -> Vec<Inner> {
    if at >= words.len() {
        return Vec::new();
    }
    vec![Inner::Words { range: at..words.len(), extra: Vec::new(), assignments, trust }]
}

fn skip_separator(words: &[Field], at: usize) -> usize {
    if word(words, at) == Some("--") { at + 1 } else { at }
}

fn skip_assignments(words: &[Field], start: usize) -> (usize, Vec<(String, Option<String>)>) {
    let mut at = start;
    let mut assignments = Vec::new();
    while let Some(field) = words.get(at) {
        let Some((name, value)) = field.text.split_once('=') else { break };
        if field.is_many || name.is_empty() || name.contains('/') {
            break;
        }
        let is_known = !value.contains(UNKNOWN);
        assignments.push((name.to_owned(), is_known.then(|| value.to_owned())));
        at += 1;
    }
    (at, assignments)
}

fn is_option(field: &Field, letter: char, name: &str) -> bool {
    match field.text.strip_prefix("--") {
        Some(long) => !long.is_empty() && name.starts_with(long.split('=').next().unwrap_or(long)),
        None => field.text.len() > 1 && field.text.starts_with('-') && field.text.contains(letter),
    }
}

fn has_short(words: &[Field], start: usize, end: usize, letter: char) -> bool {
    words[start..end.min(words.len())].iter().any(|field| is_option(field, letter, "pid"))
}

/// `command -v` asks only.
fn command(words: &[Field]) -> Vec<Inner> {
    let at = skip_options(words, 1, "", &[]);
    let asks = words[1..at.min(words.len())].iter().any(|field| field.text.contains(['v', 'V']));
    if asks { Vec::new() } else { words_from(words, at, Vec::new(), Trust::Transparent) }
}

fn environment(words: &[Field]) -> Vec<Inner> {
    let mut at = 1;
    while let Some(text) = word(words, at) {
        if let Some(value) = split_string(text, words, at) {
            let rest: Vec<String> = words.iter().skip(value.1).map(|field| quoted(&field.text)).collect();
            // Its escapes are not those of a shell: `\_` is a blank.
            let text = value.0.filter(|text| !text.contains('\\'));
            let text = text.map(|text| [vec![text], rest].concat().join(" "));
            // The text is split into words, and nothing in it is expanded but `${NAME}`.
            return vec![Inner::Code {
                text,
                positional: None,
                what: "env -S",
                trust: Trust::Separate,
                is_downloaded: false,
            }];
        }
        match text {
            "-" => at += 1,
            "--" => {
                at += 1;
                break;
            }
            text if text.starts_with('-') => {
                at = skip_options(
                    &words[..=at + usize::from(at + 1 < words.len())],
                    at,
                    "uCa",
                    &["unset", "chdir", "argv0"],
                )
                .max(at + 1);
            }
            _ => break,
        }
    }
    let (at, assignments) = skip_assignments(words, at);
    words_from(words, at, assignments, Trust::Transparent)
}

/// The text of `env -S`, if it is known, and the place behind it.
fn split_string(text: &str, words: &[Field], at: usize) -> Option<(Option<String>, usize)> {
    if let Some(name) = text.strip_prefix("--") {
        let (name, value) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
        if name.is_empty() || !"split-string".starts_with(name) {
            return None;
        }
        return Some(value.map_or_else(
            || (words.get(at + 1).and_then(Field::known).map(str::to_owned), at + 2),
            |value| (Some(value.to_owned()), at + 1),
        ));
    }
    let letters = text.strip_prefix('-')?;
    let place = letters.find('S')?;
    // The letters before it must take no value.
    if letters[..place].contains(['u', 'C', 'a']) {
        return None;
    }
    let value = &letters[place + 1..];
    Some(if value.is_empty() {
        (words.get(at + 1).and_then(Field::known).map(str::to_owned), at + 2)
    } else {
        (Some(value.to_owned()), at + 1)
    })
}

fn xargs(words: &[Field], input: &Input) -> Vec<Inner> {
    let long = ["arg-file", "delimiter", "max-args", "max-chars", "max-procs", "process-slot-var"];
    let mut at = 1;
    // `-i`, `-l` and `-e` take the rest of their word, and never the next one.
    while let Some(text) = word(words, at).filter(|text| text.len() > 1 && text.starts_with('-')) {
        let place = text.find(|letter| "adEILnPsJRSile".contains(letter)).unwrap_or(0);
        let is_attached = !text.starts_with("--") && text[place..].starts_with(['i', 'l', 'e']);
        let end = at + 2;
        at = if is_attached {
            at + 1
        } else {
            skip_options(&words[..end.min(words.len())], at, "adEILnPsJRS", &long)
        };
        if text == "--" {
            break;
        }
    }
    if at >= words.len() {
        // Without a command it runs `echo`.
        return Vec::new();
    }
    let replaced = words[1..at].iter().enumerate().find_map(|(place, field)| {
        let text = field.text.as_str();
        match text.strip_prefix("-I").or_else(|| text.strip_prefix("-J")) {
            Some("") => words.get(place + 2).map(|field| field.text.clone()),
            Some(value) => Some(value.to_owned()),
            None => ["--replace=", "--replace", "-i"].iter().find_map(|option| {
                let value = text.strip_prefix(option)?;
                Some(if value.is_empty() { "{}".to_owned() } else { value.to_owned() })
            }),
        }
    });
    let mut found = vec![Inner::Words {
        range: at..words.len(),
        extra: vec![Field::unknown()],
        assignments: Vec::new(),
        trust: Trust::Transparent,
    }];
    found.extend(replaced.and_then(|text| code_from_input(&words[at..], &text, input.is_downloaded)));
    found
}

/// What comes from the input or from names of files is code where a shell, or the name itself, takes it.
fn code_from_input(words: &[Field], placeholder: &str, is_downloaded: bool) -> Option<Inner> {
    let name = base_name(&words.first()?.text);
    let is_code = name.contains(placeholder)
        || (code::is_shell(name) || matches!(name, "eval" | "ssh" | "env" | "su"))
            && words.iter().any(|field| field.text.contains(placeholder) && field.text != placeholder)
        || code::is_shell(name)
            && words.windows(2).any(|pair| pair[0].text.ends_with('c') && pair[1].text == placeholder);
    is_code.then_some(Inner::Code {
        text: None,
        positional: None,
        what: "arguments from the input",
        trust: Trust::Separate,
        is_downloaded,
    })
}

fn find(words: &[Field]) -> Vec<Inner> {
    let mut found = Vec::new();
    let mut at = 1;
    while at < words.len() {
        let text = words[at].text.as_str();
        match text {
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let is_end = |field: &Field| field.text == ";" || field.text == "+";
                let end =
                    words[at + 1..].iter().position(is_end).map_or(words.len(), |length| at + 1 + length);
                if end > at + 1 {
                    found.extend(code_from_input(&words[at + 1..end], "{}", false));
                    found.push(Inner::Words {
                        range: at + 1..end,
                        extra: Vec::new(),
                        assignments: Vec::new(),
                        trust: Trust::Separate,
                    });
                }
                at = end;
            }
            "-delete" => found.push(Inner::Made(
                ["rm", "-f"].map(Field::of).into_iter().chain([Field::unknown()]).collect(),
            )),
            // A file may be called `-exec`.
            _ if words[at].has_glob && text.starts_with(['-', '*', '?', '[']) && at + 1 < words.len() => {
                found.push(guess(words, at + 1));
            }
            // Words of a value may be actions.
            _ if words[at].is_many && text.starts_with(UNKNOWN) && !words[at].has_glob => {
                found.push(super::code_of(None, "arguments of find", Trust::Separate, false));
            }
            _ => {}
        }
        at += 1;
    }
    found
}

fn fd(words: &[Field]) -> Vec<Inner> {
    let is_exec = |field: &Field| matches!(field.text.as_str(), "-x" | "--exec" | "-X" | "--exec-batch");
    match words.iter().position(is_exec) {
        Some(at) => words_from(words, at + 1, Vec::new(), Trust::Separate),
        None => Vec::new(),
    }
}

/// `mise exec node@20 -- node x`
fn after_separator(words: &[Field], subcommands: &[&str]) -> Vec<Inner> {
    if !words.iter().skip(1).any(|field| subcommands.contains(&field.text.as_str())) {
        return Vec::new();
    }
    match words.iter().position(|field| field.text == "--") {
        Some(at) => words_from(words, at + 1, Vec::new(), Trust::Runner),
        None => guessed(words),
    }
}

fn nix(words: &[Field]) -> Vec<Inner> {
    let is_command = |field: &Field| matches!(field.text.as_str(), "-c" | "--command");
    match words.iter().position(is_command) {
        Some(at) => words_from(words, at + 1, Vec::new(), Trust::Runner),
        None => after_separator(words, &["run", "shell", "develop"]),
    }
}

/// What a container runs: `docker --context a container exec c rm`.
fn container(name: &str, words: &[Field]) -> Vec<Inner> {
    let globals =
        ["config", "context", "host", "log-level", "tlscacert", "tlscert", "tlskey", "connection", "url"];
    let mut at = skip_options(words, 1, "cHl", &globals);
    match word(words, at) {
        Some("compose") => return compose(words),
        Some("container") => at += 1,
        _ => {}
    }
    let rest: Vec<Field> = words[..1].iter().chain(words.get(at..).unwrap_or_default()).cloned().collect();
    let moved = at - 1;
    let mut found = table(name, &rest);
    // `docker run --entrypoint rm image x`
    let entrypoint =
        rest.iter().enumerate().find_map(|(at, field)| match field.text.strip_prefix("--entrypoint") {
            Some("") => rest.get(at + 1).cloned(),
            Some(value) => value.strip_prefix('=').map(Field::of),
            None => None,
        });
    found.extend(entrypoint.map(|program| Inner::Made(vec![program])));
    for inner in &mut found {
        if let Inner::Words { range, .. } = inner {
            *range = range.start + moved..range.end + moved;
        }
    }
    found
}

/// The program of `start-stop-daemon --start --exec program -- arguments`.
fn daemon(words: &[Field]) -> Vec<Inner> {
    let is_program = |field: &Field| matches!(field.text.as_str(), "-x" | "--exec" | "-a" | "--startas");
    match words.iter().position(is_program) {
        Some(at) => words_from(words, at + 1, Vec::new(), Trust::Separate),
        None => Vec::new(),
    }
}

fn compose(words: &[Field]) -> Vec<Inner> {
    let Some(at) = words.iter().position(|field| matches!(field.text.as_str(), "exec" | "run")) else {
        return Vec::new();
    };
    let at = skip_options(words, at + 1, "euwvp", CONTAINER_LONG);
    words_from(words, at + 1, Vec::new(), Trust::Runner)
}

/// Where the options are too many to know, any word may begin a command.
fn guessed(words: &[Field]) -> Vec<Inner> {
    let starts = (2..words.len()).filter(|&at| !words[at].text.starts_with('-')).take(4);
    starts
        .map(|at| Inner::Words {
            range: at..words.len(),
            extra: Vec::new(),
            assignments: Vec::new(),
            trust: Trust::Runner,
        })
        .collect()
}
