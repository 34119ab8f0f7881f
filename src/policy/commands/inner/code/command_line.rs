//! Programs that take a command line as an option or as an argument.

use crate::policy::commands::analysis::{Input, Origin, Trust};
use crate::policy::commands::arguments::{OptionWord, skip_options, word};
use crate::policy::commands::field::Field;
use crate::policy::commands::inner::model::Inner;

/// Returns the value of an option as code: `-c text`, `-ctext`, `--name text`, `--name=text`. `letter` is NUL
/// for an option without a short form.
pub(super) fn option_text(words: &[Field], letter: char, long: &str, what: &'static str) -> Vec<Inner> {
    for (at, field) in words.iter().enumerate().skip(1) {
        let value = match OptionWord::of(&field.text) {
            Some(OptionWord::Long(name, value)) if name.len() > 1 && long.starts_with(name) => value,
            Some(OptionWord::Short(letters)) if letter != '\0' => match letters.split_once(letter) {
                Some((_, value)) => Some(value).filter(|value| !value.is_empty()),
                None => continue,
            },
            _ => continue,
        };
        return match value {
            Some(value) => vec![Inner::part(field, value, what, Trust::Separate)],
            None => {
                let next = words.get(at + 1);
                next.map(|field| Inner::field(field, what, Trust::Separate)).into_iter().collect()
            }
        };
    }
    Vec::new()
}

/// Returns every argument that may be a command line, and the words at which a command may begin.
pub(super) fn texts(words: &[Field]) -> Vec<Inner> {
    let is_text = |field: &&Field| field.text.contains(char::is_whitespace) || field.known().is_none();
    let texts = words[1..].iter().filter(is_text);
    let mut found: Vec<Inner> = texts
        .map(|field| Inner::field(field, "an argument that is a command line", Trust::Separate))
        .collect();
    let starts = (1..words.len()).filter(|&at| !words[at].text.starts_with('-')).take(4);
    found.extend(starts.flat_map(|at| Inner::words_from(words, at, Trust::Runner)));
    found
}

/// Subcommands of tmux that run nothing. Others take command lines, keys to type, or formats that may contain
/// a command.
const TMUX_QUERIES: [&str; 14] = [
    "ls", "list-sessions", "list-windows", "lsw", "list-panes", "lsp", "has-session", "has", "kill-session",
    "kill-window", "kill-pane", "kill-server", "capture-pane", "wait-for",
];

/// Returns what tmux runs: anything but a query may be a command line.
pub(super) fn multiplexer(words: &[Field]) -> Vec<Inner> {
    let at = skip_options(words, 1, "cfLST", &[]);
    let has_format =
        words.iter().any(|field| field.text.contains("#(") || field.text == ";" || field.known().is_none());
    match word(words, at) {
        Some(subcommand) if TMUX_QUERIES.contains(&subcommand) && !has_format => Vec::new(),
        _ => vec![Inner::unknown_code("a command of tmux")],
    }
}

/// Returns the command of `script -c 'command'`, and the words after the file, which other versions run.
pub(super) fn script(words: &[Field]) -> Vec<Inner> {
    let named = option_text(words, 'c', "command", "script");
    if !named.is_empty() {
        return named;
    }
    let at =
        skip_options(words, 1, "EIOBTmot", &["log-io", "log-in", "log-out", "log-timing", "output-limit"]);
    Inner::words_from(words, at + 1, Trust::Separate)
}

pub(super) fn watch(words: &[Field]) -> Vec<Inner> {
    let at = skip_options(words, 1, "nqs", &["interval", "equexit", "shotsdir"]);
    if at >= words.len() { Vec::new() } else { Inner::joined(&words[at..], "watch", Trust::Separate) }
}

pub(super) fn flock(words: &[Field]) -> Vec<Inner> {
    let at = skip_options(words, 1, "wE", &["wait", "timeout", "conflict-exit-code"]) + 1;
    match word(words, at) {
        Some("-c" | "--command") => words
            .get(at + 1)
            .map(|field| Inner::field(field, "flock", Trust::Transparent))
            .into_iter()
            .collect(),
        _ if at < words.len() => Inner::words_from(words, at, Trust::Transparent),
        _ => Vec::new(),
    }
}

pub(super) fn scheduled(name: &str, words: &[Field], input: &Input) -> Vec<Inner> {
    match name {
        "crontab" if words.get(1).is_none_or(|field| field.text == "-") => {
            vec![Inner::code(None, "crontab", Trust::Separate, input.origin == Origin::Network)]
        }
        "crontab" => Vec::new(),
        _ => Inner::stdin(input, "the input of at"),
    }
}

pub(super) fn user_shell(words: &[Field], input: &Input) -> Vec<Inner> {
    let named = [option_text(words, 'c', "command", "su"), option_text(words, '\0', "session-command", "su")];
    let named: Vec<Inner> = named.into_iter().flatten().collect();
    if !named.is_empty() {
        let is_runner = |inner| match inner {
            Inner::Code { text, is_own_shell, what, is_downloaded, .. } => {
                Inner::Code { text, is_own_shell, what, trust: Trust::Runner, is_downloaded }
            }
            inner => inner,
        };
        return named.into_iter().map(is_runner).collect();
    }
    if word(words, 0).is_some_and(|name| name.ends_with("sg")) && words.len() > 2 {
        return Inner::joined(&words[2..], "sg", Trust::Runner);
    }
    let at = skip_options(words, 1, "gGsuw", &["group", "shell", "user"]);
    if at < words.len() && words.iter().any(|field| field.text == "-u") {
        return Inner::words_from(words, at, Trust::Runner);
    }
    Inner::stdin(input, "the input of a shell")
}
