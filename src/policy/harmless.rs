//! Commands without an effect, which need no rule.

use super::commands::{ExpandedCommand, Field};
use super::request::PolicyRequest;
use crate::syntax::tree::RedirectMode;

/// Options of `set -o` that make a shell stricter, or show what it does.
const OPTIONS: [&str; 10] = [
    "pipefail", "errexit", "nounset", "xtrace", "verbose", "noclobber", "noglob", "errtrace", "functrace",
    "posix",
];

/// Returns whether a command affects only the shell that runs it.
pub(super) fn does_nothing(command: &ExpandedCommand, request: &PolicyRequest) -> bool {
    let Some(name) = command.words.first().and_then(Field::literal) else { return false };
    let arguments = &command.words[1..];
    match name {
        "true" | "false" | ":" | "test" | "[" | "exit" | "return" | "break" | "continue" | "shift"
        | "wait" => true,
        "set" => sets_plainly(arguments),
        "cd" => stays_inside(command, arguments, request),
        // The variables are judged like those before a command.
        "export" | "local" | "declare" | "typeset" | "readonly" | "unset" => {
            arguments.iter().all(|field| match field.text.strip_prefix('-') {
                Some(letters) => letters.chars().all(|letter| "xraAgiv".contains(letter)),
                None => !field.is_many || field.text.contains('='),
            })
        }
        // `cat <<EOF` prints the text. With a file as its input it would read one.
        "cat" => {
            let reads = |mode| {
                matches!(mode, RedirectMode::Read | RedirectMode::ReadWrite | RedirectMode::DuplicateInput)
            };
            arguments.is_empty() && !command.redirections.iter().any(|redirect| reads(redirect.mode))
        }
        _ => false,
    }
}

/// Returns whether all arguments of `set` are plain options: `-euo pipefail`.
fn sets_plainly(arguments: &[Field]) -> bool {
    let mut takes_name = false;
    !arguments.is_empty()
        && arguments.iter().all(|field| {
            let Some(text) = field.literal() else { return false };
            if std::mem::take(&mut takes_name) {
                return OPTIONS.contains(&text);
            }
            let Some(letters) = text.strip_prefix(['-', '+']).filter(|letters| !letters.is_empty()) else {
                return false;
            };
            takes_name = letters.ends_with('o');
            letters.trim_end_matches('o').chars().all(|letter| "euxvfCbhmET".contains(letter))
        })
        && !takes_name
}

/// Returns whether `cd` leads to a directory in the root, from each directory in which it may run.
fn stays_inside(command: &ExpandedCommand, arguments: &[Field], request: &PolicyRequest) -> bool {
    let mut operands = arguments.iter().filter(|field| !matches!(field.text.as_str(), "-P" | "-L" | "--"));
    match (operands.next().and_then(Field::known), operands.next()) {
        (Some(path), None) => {
            !path.starts_with('-')
                && command
                    .directories
                    .iter()
                    .all(|directory| request.is_inside_root(path, directory.as_deref()))
        }
        _ => false,
    }
}
