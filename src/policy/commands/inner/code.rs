//! Programs that run text: shells, `eval`, `trap`, `ssh`, and the options of programs that take a command line.

use super::{Inner, code_of, field_code, options, quoted, skip_options, word};
use crate::policy::commands::field::{Field, PROCESS_FILE, UNKNOWN};
use crate::policy::commands::found::{Input, Trust};

/// Shells whose language is read.
const SHELLS: [&str; 12] =
    ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "rbash", "lksh", "ksh93", "yash", "posh"];
/// Shells with languages of their own.
const OTHER_SHELLS: [&str; 10] =
    ["fish", "csh", "tcsh", "nu", "pwsh", "powershell", "xonsh", "elvish", "ion", "rc"];

/// A reason against an allow rule: the shell reads a file first.
pub(in crate::policy::commands) fn obstacle(name: &str, words: &[Field]) -> Option<String> {
    if !is_shell(name) {
        return None;
    }
    let mut options = words.iter().skip(1).take_while(|field| field.text.starts_with(['-', '+']));
    let reads = |text: &str| {
        matches!(text, "--rcfile" | "--init-file" | "--interactive")
            || text.starts_with("--rcfile=")
            || text.starts_with("--init-file=")
            || !text.starts_with("--") && text.contains('i')
    };
    options.find(|field| reads(&field.text)).map(|field| field.text.clone())
}

/// Whether a program is a shell.
pub(crate) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name) || OTHER_SHELLS.contains(&name)
}

/// What a program runs that takes text as code; `None` for another one.
pub(in crate::policy::commands) fn inner(name: &str, words: &[Field], input: &Input) -> Option<Vec<Inner>> {
    let found = match name {
        name if SHELLS.contains(&name) => shell(words, input),
        name if OTHER_SHELLS.contains(&name) => other_shell(words, input),
        "eval" => vec![joined(&words[1..], "eval", Trust::Transparent)],
        "source" | "." => sourced(words, input),
        "trap" => trap(words),
        "alias" => aliases(words),
        "ssh" | "slogin" | "autossh" => remote(words, input),
        "watch" | "gwatch" => watch(words),
        "parallel" => parallel(words, input),
        "su" | "runuser" | "sg" => user_shell(words),
        "script" => option_text(words, 'c', "command", "script"),
        "nix-shell" => {
            let named = ["run", "command"].map(|option| option_text(words, '\0', option, "nix-shell"));
            named.into_iter().flatten().collect()
        }
        "gcloud" => option_text(words, '\0', "command", "gcloud"),
        "nc" | "ncat" | "netcat" => {
            let named = [option_text(words, 'e', "exec", "nc"), option_text(words, 'c', "sh-exec", "nc")];
            named.into_iter().flatten().collect()
        }
        "capsh" => match words.iter().position(|field| field.text == "--") {
            Some(at) => shell(&words[at..], input),
            None => Vec::new(),
        },
        "flock" => flock(words),
        "at" | "batch" | "crontab" => scheduled(name, words, input),
        "hyperfine" | "concurrently" | "tmux" | "screen" | "expect" | "osascript" | "wsl" | "adb"
        | "vagrant" => texts(words, name),
        "nodemon" | "watchexec" | "cargo-watch" | "chokidar" | "onchange" => texts(words, "nodemon"),
        "mapfile" | "readarray" | "complete" | "compgen" | "bind" | "fc" => builtin_code(name, words),
        _ => {
            let found = options::inner(name, words);
            return if found.is_empty() { None } else { Some(found) };
        }
    };
    Some(found)
}

/// Words that a program joins with blanks and reads as code.
fn joined(words: &[Field], what: &'static str, trust: Trust) -> Inner {
    let known: Option<Vec<&str>> = words.iter().map(field_text).collect();
    let is_downloaded = words.iter().any(|field| field.is_downloaded);
    code_of(known.map(|words| words.join(" ")), what, trust, is_downloaded)
}

/// The text of a field that is read as code: a glob in it is read again there.
fn field_text(field: &Field) -> Option<&str> {
    (!field.is_many && !field.text.contains(UNKNOWN)).then_some(field.text.as_str())
}

fn stdin(input: &Input, what: &'static str) -> Vec<Inner> {
    if !input.is_given {
        return Vec::new();
    }
    vec![code_of(input.text.as_deref().map(str::to_owned), what, Trust::Transparent, input.is_downloaded)]
}

fn shell(words: &[Field], input: &Input) -> Vec<Inner> {
    let mut at = 1;
    let mut reads_input = false;
    let mut has_code = false;
    while at < words.len() {
        let Some(text) = word(words, at) else { break };
        if text == "--" || text == "-" {
            at += 1;
            break;
        }
        if let Some(name) = text.strip_prefix("--") {
            at += if matches!(name, "rcfile" | "init-file") { 2 } else { 1 };
        } else if text.len() > 1 && text.starts_with(['-', '+']) {
            let letters = &text[1..];
            has_code |= text.starts_with('-') && letters.contains('c');
            reads_input |= letters.contains('s');
            // Each `o` and `O` takes a word of its own.
            at += 1 + letters.matches(['o', 'O']).count();
        } else {
            break;
        }
    }
    if has_code {
        let Some(field) = words.get(at) else { return Vec::new() };
        let positional = words.get(at + 1..).map(<[Field]>::to_vec).unwrap_or_default();
        let text = field_text(field).map(str::to_owned);
        return vec![Inner::Code {
            text,
            positional: Some(positional),
            what: "a shell's -c",
            trust: Trust::Transparent,
            is_downloaded: field.is_downloaded,
        }];
    }
    match words.get(at) {
        _ if words.iter().skip(1).any(|field| field.text == PROCESS_FILE) => {
            let is_downloaded = words.iter().any(|field| field.is_downloaded);
            vec![code_of(None, "a process substitution", Trust::Separate, is_downloaded)]
        }
        Some(field) if !reads_input && !is_input(&field.text) => script(field),
        _ => stdin(input, "the input of a shell"),
    }
}

/// A script is a file like any other program, unless it has just been downloaded or is not known.
fn script(field: &Field) -> Vec<Inner> {
    if field.is_downloaded || field.text.starts_with("/dev/") || field.text.starts_with("/proc/") {
        return vec![code_of(None, "a process substitution", Trust::Separate, field.is_downloaded)];
    }
    Vec::new()
}

fn is_input(path: &str) -> bool {
    matches!(path, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

fn other_shell(words: &[Field], input: &Input) -> Vec<Inner> {
    let is_code = |field: &Field| field.text.starts_with('-') && field.text.to_lowercase().contains('c');
    match words.iter().position(is_code) {
        Some(at) => {
            let is_downloaded = words.get(at + 1).is_some_and(|field| field.is_downloaded);
            // Most one-line commands mean the same there: they are read for deny rules, and never taken for all.
            let text = words.get(at + 1).and_then(Field::known).map(str::to_owned);
            vec![
                code_of(text, "another shell's -c", Trust::Separate, is_downloaded),
                code_of(None, "another shell's -c", Trust::Separate, is_downloaded),
            ]
        }
        None if words.len() == 1 => stdin(&Input { text: None, ..input.clone() }, "the input of a shell"),
        None => Vec::new(),
    }
}

fn sourced(words: &[Field], input: &Input) -> Vec<Inner> {
    match words.get(1) {
        Some(field) if is_input(&field.text) => {
            stdin(&Input { is_given: true, ..input.clone() }, "a sourced input")
        }
        Some(field) => script(field),
        None => Vec::new(),
    }
}

fn trap(words: &[Field]) -> Vec<Inner> {
    let at = skip_options(words, 1, "", &[]);
    let is_query =
        words[1..at.min(words.len())].iter().any(|field| matches!(field.text.as_str(), "-p" | "-l" | "-P"));
    match words.get(at) {
        // `trap EXIT` and `trap - EXIT` reset, `trap '' INT` ignores.
        Some(field)
            if !is_query && words.len() > at + 1 && field.text != "-" && field.known() != Some("") =>
        {
            vec![field_code(field, "trap", Trust::Transparent)]
        }
        _ => Vec::new(),
    }
}

fn aliases(words: &[Field]) -> Vec<Inner> {
    let values = words[1..].iter().filter_map(|field| {
        let (_, value) = field.text.split_once('=')?;
        let is_known = !field.is_many && !value.contains(UNKNOWN);
        Some(code_of(is_known.then(|| value.to_owned()), "alias", Trust::Separate, field.is_downloaded))
    });
    values.collect()
}

fn remote(words: &[Field], input: &Input) -> Vec<Inner> {
    let short = "BbcDEeFIiJLlmOopQRSWw";
    let at = skip_options(words, 1, short, &[]);
    let mut found: Vec<Inner> = words[1..at.min(words.len())]
        .iter()
        .filter_map(|field| {
            let option = field.text.trim_start_matches("-o");
            let (name, value) = option.split_once(['=', ' '])?;
            let runs = ["proxycommand", "localcommand", "knownhostscommand", "permitlocalcommand"];
            runs.contains(&name.to_lowercase().as_str())
                .then(|| code_of(Some(value.to_owned()), "an option of ssh", Trust::Separate, false))
        })
        .collect();
    // The host may stand before further options and `--`.
    let behind = at + 1;
    let behind = if behind < words.len() { skip_options(words, behind, short, &[]) } else { behind };
    if words.len() > behind {
        found.push(joined(&words[behind..], "ssh", Trust::Runner));
    } else if words.len() > at {
        found.extend(stdin(input, "the input of ssh"));
    }
    found
}

fn watch(words: &[Field]) -> Vec<Inner> {
    let at = skip_options(words, 1, "nqs", &["interval", "equexit", "shotsdir"]);
    if at >= words.len() { Vec::new() } else { vec![joined(&words[at..], "watch", Trust::Separate)] }
}

fn parallel(words: &[Field], input: &Input) -> Vec<Inner> {
    let long = [
        "jobs", "joblog", "arg-file", "colsep", "delay", "timeout", "results", "tmpdir", "load", "sshlogin",
        "max-args",
    ];
    let at = skip_options(words, 1, "jaPSIinNLlCd", &long);
    let is_source = |field: &Field| field.text.starts_with(":::");
    let end = words.iter().position(is_source).unwrap_or(words.len());
    if at >= end {
        // Each line of the input, and each argument, is a command.
        let mut found = stdin(&Input { is_given: true, ..input.clone() }, "the input of parallel");
        for field in words.iter().skip(end).filter(|field| !is_source(field)) {
            found.push(field_code(field, "parallel", Trust::Separate));
        }
        return found;
    }
    let template: Vec<Field> = words[at..end].to_vec();
    let mut found = vec![joined(&template, "parallel", Trust::Separate)];
    let known: Option<Vec<&str>> = template.iter().map(field_text).collect();
    if let Some(first) = known.map(|words| words.join(" ")) {
        for field in words.iter().skip(end).filter(|field| !is_source(field)) {
            let text = field.known().map(|argument| {
                if first.contains("{}") {
                    first.replace("{}", &quoted(argument))
                } else {
                    format!("{first} {}", quoted(argument))
                }
            });
            found.push(code_of(text, "parallel", Trust::Separate, false));
        }
    }
    // `{.}`, `{1}` and a place of one's own (`-I ,,`) in the name: which program runs depends on the arguments.
    let has_own_place = words[1..at.min(words.len())].iter().any(|field| field.text.starts_with("-I"));
    if has_own_place || template[0].text.contains('{') {
        found.push(code_of(None, "arguments from the input", Trust::Separate, input.is_downloaded));
    }
    let values = words[1..at.min(words.len())].iter().enumerate().skip(1);
    let begins = values.filter(|(_, field)| !field.text.starts_with('-')).map(|(place, _)| place + 1);
    let begins: Vec<usize> = begins.chain([at + 1]).filter(|place| *place < end).collect();
    found.extend(begins.into_iter().map(|place| Inner::Guess(words[place..end].to_vec())));
    found
}

fn user_shell(words: &[Field]) -> Vec<Inner> {
    let named = [option_text(words, 'c', "command", "su"), option_text(words, '\0', "session-command", "su")];
    let named: Vec<Inner> = named.into_iter().flatten().collect();
    if !named.is_empty() {
        let is_runner = |inner| match inner {
            Inner::Code { text, positional, what, is_downloaded, .. } => {
                Inner::Code { text, positional, what, trust: Trust::Runner, is_downloaded }
            }
            inner => inner,
        };
        return named.into_iter().map(is_runner).collect();
    }
    if word(words, 0).is_some_and(|name| name.ends_with("sg")) && words.len() > 2 {
        return vec![joined(&words[2..], "sg", Trust::Runner)];
    }
    let at = skip_options(words, 1, "gGsuw", &["group", "shell", "user"]);
    if at < words.len() && words.iter().any(|field| field.text == "-u") {
        return vec![Inner::Words {
            range: at..words.len(),
            extra: Vec::new(),
            assignments: Vec::new(),
            trust: Trust::Runner,
        }];
    }
    Vec::new()
}

/// The text behind an option, as `-c text`, `-ctext`, `--name text`, `--name=text`.
fn option_text(words: &[Field], letter: char, long: &str, what: &'static str) -> Vec<Inner> {
    for (at, field) in words.iter().enumerate().skip(1) {
        let text = field.text.as_str();
        if let Some(name) = text.strip_prefix("--") {
            let (name, value) =
                name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
            if name.len() > 1 && long.starts_with(name) {
                return match value {
                    Some(value) => vec![code_of(known(value), what, Trust::Separate, field.is_downloaded)],
                    None => words
                        .get(at + 1)
                        .map(|field| field_code(field, what, Trust::Separate))
                        .into_iter()
                        .collect(),
                };
            }
        } else if let Some(letters) = text.strip_prefix('-').filter(|_| letter != '\0')
            && let Some(place) = letters.find(letter)
        {
            let value = &letters[place + letter.len_utf8()..];
            return if value.is_empty() {
                words.get(at + 1).map(|field| field_code(field, what, Trust::Separate)).into_iter().collect()
            } else {
                vec![code_of(known(value), what, Trust::Separate, field.is_downloaded)]
            };
        }
    }
    Vec::new()
}

fn known(text: &str) -> Option<String> {
    (!text.contains(UNKNOWN)).then(|| text.to_owned())
}

fn flock(words: &[Field]) -> Vec<Inner> {
    let at = skip_options(words, 1, "wE", &["wait", "timeout", "conflict-exit-code"]) + 1;
    match word(words, at) {
        Some("-c" | "--command") => words
            .get(at + 1)
            .map(|field| field_code(field, "flock", Trust::Transparent))
            .into_iter()
            .collect(),
        _ if at < words.len() => {
            vec![Inner::Words {
                range: at..words.len(),
                extra: Vec::new(),
                assignments: Vec::new(),
                trust: Trust::Transparent,
            }]
        }
        _ => Vec::new(),
    }
}

fn scheduled(name: &str, words: &[Field], input: &Input) -> Vec<Inner> {
    match name {
        "crontab" if words.get(1).is_none_or(|field| field.text == "-") => {
            vec![code_of(None, "crontab", Trust::Separate, input.is_downloaded)]
        }
        "crontab" => Vec::new(),
        _ => stdin(input, "the input of at"),
    }
}

/// Every argument that is no option may be a command line.
fn texts(words: &[Field], name: &str) -> Vec<Inner> {
    let what = match name {
        "hyperfine" => "hyperfine",
        "tmux" => "tmux",
        "screen" => "screen",
        _ => "an argument that is a command line",
    };
    let mut found: Vec<Inner> = words[1..]
        .iter()
        .filter(|field| field.text.contains(char::is_whitespace) || field.known().is_none())
        .map(|field| field_code(field, what, Trust::Separate))
        .collect();
    // `tmux new-session rm x`: the words themselves.
    let first = if name == "wsl" { 1 } else { 2 };
    let starts = (first..words.len()).filter(|&at| !words[at].text.starts_with('-')).take(4);
    if matches!(name, "tmux" | "screen" | "wsl" | "adb" | "nodemon") {
        found.extend(starts.map(|at| Inner::Words {
            range: at..words.len(),
            extra: Vec::new(),
            assignments: Vec::new(),
            trust: Trust::Runner,
        }));
    }
    found
}

fn builtin_code(name: &str, words: &[Field]) -> Vec<Inner> {
    match name {
        "mapfile" | "readarray" => option_text(words, 'C', "-", "mapfile -C"),
        "complete" | "compgen" => {
            let mut found = option_text(words, 'C', "-", "complete -C");
            found.extend(option_text(words, 'F', "-", "complete -F"));
            if !option_text(words, 'W', "-", "compgen -W").is_empty() {
                found.push(code_of(None, "compgen -W", Trust::Separate, false));
            }
            found
        }
        "bind" => vec![code_of(None, "bind", Trust::Separate, false)],
        // It runs commands of the history, which nobody sees here.
        _ => vec![code_of(None, "fc", Trust::Separate, false)],
    }
}
