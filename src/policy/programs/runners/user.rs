//! Programs that run a command as another user, or with other variables.

use super::env;
use crate::policy::commands::{
    Field, Inner, StandardInput, Trust, option_text, posix_shell, skip_options, word, wrapped,
};
use crate::policy::programs::program::{runner, runs, separate, wraps};
use crate::policy::programs::{InnerCommands, Offer, Program, Wrapper};

const SUDO_LONG: &[&str] = &[
    "close-from", "chdir", "group", "host", "prompt", "chroot", "role", "command-timeout", "type",
    "other-user", "user",
];

const SUDO: &[Wrapper] = &[Wrapper { assigns: true, ..runner("CDghpRrTtUu", SUDO_LONG, 0) }];

const SUDO_RS: &[Wrapper] = &[separate("CDghpRrTtUu", SUDO_LONG, 0)];

const DOAS: &[Wrapper] = &[Wrapper { assigns: true, ..runner("uC", &[], 0) }];

pub(in crate::policy::programs) const PROGRAMS: &[Program] = &[
    Program {
        names: &["sudo"],
        runs: InnerCommands::By(|words, input| as_user(SUDO, words, input)),
        chdir: Some('D'),
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    runs(&["sudo-rs"], |words, input| as_user(SUDO_RS, words, input)),
    Program {
        names: &["doas"],
        runs: InnerCommands::By(|words, input| as_user(DOAS, words, input)),
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    Program {
        names: &["pkexec"],
        runs: InnerCommands::Wrapped(&[runner("", &["user"], 0)]),
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    wraps(&["run0"], &[runner("uDg", &["user", "group", "nice", "chdir", "setenv", "unit"], 0)]),
    wraps(&["gosu", "su-exec"], &[runner("", &[], 1)]),
    Program { names: &["su"], runs: InnerCommands::By(user_shell), offer: Offer::Nothing, ..Program::PLAIN },
    runs(&["runuser", "sg"], user_shell),
    Program {
        names: &["env"],
        runs: InnerCommands::By(env::runs),
        chdir: Some('C'),
        obstacle: Some(env::obstacle),
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    runs(&["cross-env"], env::runs),
    runs(&["capsh"], capsh),
    wraps(&["setuidgid", "envuidgid"], &[separate("", &[], 1)]),
];

/// Returns the command for another user; without one, the shell of that user reads the input.
fn as_user(wrappers: &[Wrapper], words: &[Field], input: &StandardInput) -> Vec<Inner> {
    let mut found = wrapped(wrappers, words);
    let is_command = |inner: &Inner| !matches!(inner, Inner::Start(_));
    let is_shell = |field: &Field| matches!(field.text.as_str(), "-i" | "-s" | "--login" | "--shell");
    if !found.iter().any(is_command) && words.iter().any(is_shell) {
        found.extend(Inner::stdin(input, "the input of a shell"));
    }
    found
}

/// Returns the command behind `--`, which a shell runs.
fn capsh(words: &[Field], input: &StandardInput) -> Vec<Inner> {
    match words.iter().position(|field| field.text == "--") {
        Some(at) => posix_shell(&words[at..], input),
        None => Vec::new(),
    }
}

fn user_shell(words: &[Field], input: &StandardInput) -> Vec<Inner> {
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
