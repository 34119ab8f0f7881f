//! Wrappers with a command after `--` or after an option, and wrappers with too many options to know.

use crate::policy::commands::analysis::Trust;
use crate::policy::commands::field::Field;
use crate::policy::commands::inner::model::Inner;

/// Returns the command after `--`, as in `mise exec node@20 -- node x`.
pub(super) fn after_separator(words: &[Field], subcommands: &[&str]) -> Vec<Inner> {
    if !words.iter().skip(1).any(|field| subcommands.contains(&field.text.as_str())) {
        return Vec::new();
    }
    match words.iter().position(|field| field.text == "--") {
        Some(at) => Inner::words_from(words, at + 1, Trust::Runner),
        None => at_each_start(words),
    }
}

/// Returns a command for each of the first words: too many options exist to know where the command begins.
pub(super) fn at_each_start(words: &[Field]) -> Vec<Inner> {
    let starts = (2..words.len()).filter(|&at| !words[at].text.starts_with('-')).take(4);
    starts.flat_map(|at| Inner::words_from(words, at, Trust::Runner)).collect()
}

pub(super) fn nix(words: &[Field]) -> Vec<Inner> {
    behind(words, &["-c", "--command"])
        .unwrap_or_else(|| after_separator(words, &["run", "shell", "develop"]))
}

/// Returns the command after one of the options; `None` without any of them.
pub(super) fn behind(words: &[Field], options: &[&str]) -> Option<Vec<Inner>> {
    let at = words.iter().position(|field| options.contains(&field.text.as_str()))?;
    Some(Inner::words_from(words, at + 1, Trust::Runner))
}

/// Returns the program of `start-stop-daemon --start --exec program -- arguments`.
pub(super) fn daemon(words: &[Field]) -> Vec<Inner> {
    let is_program = |field: &Field| matches!(field.text.as_str(), "-x" | "--exec" | "-a" | "--startas");
    match words.iter().position(is_program) {
        Some(at) => Inner::words_from(words, at + 1, Trust::Separate),
        None => Vec::new(),
    }
}

pub(super) fn fd(words: &[Field]) -> Vec<Inner> {
    for (at, field) in words.iter().enumerate().skip(1) {
        let text = field.text.as_str();
        let value = ["--exec-batch", "--exec"].iter().find_map(|option| text.strip_prefix(option));
        let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
        // The letters before `x` take no value: `-Hx`.
        let exec = letters.find(|letter| "xXEtedSocj".contains(letter)).map(|place| &letters[place..]);
        match value.or_else(|| exec?.strip_prefix(['x', 'X'])) {
            Some("") => return Inner::words_from(words, at + 1, Trust::Separate),
            Some(program) => {
                let program = field.with_text(program.trim_start_matches('='));
                let words = [program].into_iter().chain(words[at + 1..].iter().cloned());
                return vec![Inner::Made(words.collect())];
            }
            None => {}
        }
    }
    Vec::new()
}
