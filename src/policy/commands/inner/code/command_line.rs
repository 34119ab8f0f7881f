//! Programs that take a command line as an option or as an argument.

use crate::policy::commands::arguments::{known, skip_options, word};
use crate::policy::commands::field::Field;
use crate::policy::commands::found::{Input, Trust};
use crate::policy::commands::inner::model::Inner;

/// Returns the value of an option as code: `-c text`, `-ctext`, `--name text`, `--name=text`. `letter` is NUL for an option
/// without a short form.
pub(super) fn option_text(words: &[Field], letter: char, long: &str, what: &'static str) -> Vec<Inner> {
    for (at, field) in words.iter().enumerate().skip(1) {
        let text = field.text.as_str();
        if let Some(name) = text.strip_prefix("--") {
            let (name, value) =
                name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
            if name.len() > 1 && long.starts_with(name) {
                return match value {
                    Some(value) => {
                        vec![Inner::code(known(value), what, Trust::Separate, field.is_downloaded)]
                    }
                    None => words
                        .get(at + 1)
                        .map(|field| Inner::field(field, what, Trust::Separate))
                        .into_iter()
                        .collect(),
                };
            }
        } else if let Some(letters) = text.strip_prefix('-').filter(|_| letter != '\0')
            && let Some(index) = letters.find(letter)
        {
            let value = &letters[index + letter.len_utf8()..];
            return if value.is_empty() {
                words
                    .get(at + 1)
                    .map(|field| Inner::field(field, what, Trust::Separate))
                    .into_iter()
                    .collect()
            } else {
                vec![Inner::code(known(value), what, Trust::Separate, field.is_downloaded)]
            };
        }
    }
    Vec::new()
}

/// Returns every argument that is no option, as it may be a command line.
pub(super) fn texts(words: &[Field], name: &str) -> Vec<Inner> {
    let what = match name {
        "hyperfine" => "hyperfine",
        "tmux" => "tmux",
        "screen" => "screen",
        _ => "an argument that is a command line",
    };
    let mut found: Vec<Inner> = words[1..]
        .iter()
        .filter(|field| field.text.contains(char::is_whitespace) || field.known().is_none())
        .map(|field| Inner::field(field, what, Trust::Separate))
        .collect();
    // The command may stand as words too: `tmux new-session rm x`.
    let first = if matches!(name, "wsl" | "nodemon") { 1 } else { 2 };
    let starts = (first..words.len()).filter(|&at| !words[at].text.starts_with('-')).take(4);
    if matches!(name, "tmux" | "screen" | "wsl" | "adb" | "nodemon") {
        found.extend(starts.map(|at| Inner::words(at..words.len(), Trust::Runner)));
    }
    found
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
        _ if at < words.len() => {
            vec![Inner::words(at..words.len(), Trust::Transparent)]
        }
        _ => Vec::new(),
    }
}

pub(super) fn scheduled(name: &str, words: &[Field], input: &Input) -> Vec<Inner> {
    match name {
        "crontab" if words.get(1).is_none_or(|field| field.text == "-") => {
            vec![Inner::code(None, "crontab", Trust::Separate, input.is_downloaded)]
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
            Inner::Code { text, positional, what, is_downloaded, .. } => {
                Inner::Code { text, positional, what, trust: Trust::Runner, is_downloaded }
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
        return vec![Inner::words(at..words.len(), Trust::Runner)];
    }
    Inner::stdin(input, "the input of a shell")
}
