//! Programs that take command lines, or run a command later, again or on another terminal.

use super::parallel::parallel;
use super::xargs;
use crate::policy::commands::{
    Field, Inner, Origin, StandardInput, Trust, after_dashes, after_option, after_separator, at_each_start,
    option_text, skip_options, texts_of, word,
};
use crate::policy::programs::program::runs;
use crate::policy::programs::{InnerCommands, Offer, Program};

pub(in crate::policy::programs) const PROGRAMS: &[Program] = &[
    Program {
        names: &["xargs"],
        runs: InnerCommands::By(xargs::xargs),
        obstacle: Some(xargs::obstacle),
        wraps_queries: true,
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    Program {
        names: &["parallel"],
        runs: InnerCommands::By(parallel),
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    Program { names: &["watch"], runs: InnerCommands::By(watch), offer: Offer::Nothing, ..Program::PLAIN },
    runs(&["gwatch"], watch),
    runs(&["flock"], flock),
    Program { names: &["at"], runs: InnerCommands::By(at), offer: Offer::Nothing, ..Program::PLAIN },
    runs(&["batch"], at),
    runs(&["crontab"], crontab),
    runs(
        &[
            "hyperfine", "concurrently", "nodemon", "watchexec", "cargo-watch", "chokidar", "onchange",
            "screen",
        ],
        texts_of,
    ),
    runs(&["tmux"], multiplexer),
    runs(&["script"], script),
    runs(&["nix-shell"], nix_shell),
    runs(&["nix"], nix),
    runs(&["guix"], after_dashes),
    runs(&["pee"], pee),
    runs(&["start-stop-daemon"], daemon),
    runs(
        &["zellij", "gnome-terminal", "konsole", "alacritty", "kitty", "bwrap", "perf", "ip", "cgroupexec"],
        at_each_start,
    ),
];

/// Subcommands of tmux that run nothing. Others take command lines, keys to type, or formats that may contain
/// a command.
const TMUX_QUERIES: [&str; 14] = [
    "ls", "list-sessions", "list-windows", "lsw", "list-panes", "lsp", "has-session", "has", "kill-session",
    "kill-window", "kill-pane", "kill-server", "capture-pane", "wait-for",
];

/// Returns what tmux runs: anything but a query may be a command line.
fn multiplexer(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    let at = skip_options(words, 1, "cfLST", &[]);
    let has_format =
        words.iter().any(|field| field.text.contains("#(") || field.text == ";" || field.known().is_none());
    match word(words, at) {
        Some(subcommand) if TMUX_QUERIES.contains(&subcommand) && !has_format => Vec::new(),
        _ => vec![Inner::unknown_code("a command of tmux")],
    }
}

/// Returns the command of `script -c 'command'`, and the words after the file, which other versions run.
fn script(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    let named = option_text(words, 'c', "command", "script");
    if !named.is_empty() {
        return named;
    }
    let at =
        skip_options(words, 1, "EIOBTmot", &["log-io", "log-in", "log-out", "log-timing", "output-limit"]);
    Inner::words_from(words, at + 1, Trust::Separate)
}

fn watch(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    let at = skip_options(words, 1, "nqs", &["interval", "equexit", "shotsdir"]);
    if at >= words.len() { Vec::new() } else { Inner::joined(&words[at..], "watch", Trust::Separate) }
}

fn flock(words: &[Field], _: &StandardInput) -> Vec<Inner> {
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

fn at(_: &[Field], input: &StandardInput) -> Vec<Inner> {
    Inner::stdin(input, "the input of at")
}

fn crontab(words: &[Field], input: &StandardInput) -> Vec<Inner> {
    if words.get(1).is_none_or(|field| field.text == "-") {
        return vec![Inner::code(None, "crontab", Trust::Separate, input.origin == Origin::Network)];
    }
    Vec::new()
}

fn nix_shell(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    let named = ["run", "command"].map(|option| option_text(words, '\0', option, "nix-shell"));
    named.into_iter().flatten().collect()
}

fn nix(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    after_option(words, &["-c", "--command"])
        .unwrap_or_else(|| after_separator(words, &["run", "shell", "develop"]))
}

fn pee(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    words[1..].iter().map(|field| Inner::field(field, "pee", Trust::Separate)).collect()
}

/// Returns the program of `start-stop-daemon --start --exec program -- arguments`.
fn daemon(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    let is_program = |field: &Field| matches!(field.text.as_str(), "-x" | "--exec" | "-a" | "--startas");
    match words.iter().position(is_program) {
        Some(at) => Inner::words_from(words, at + 1, Trust::Separate),
        None => Vec::new(),
    }
}
