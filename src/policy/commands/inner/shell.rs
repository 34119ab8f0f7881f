//! Shells: `-c`, scripts and the standard input.

use crate::policy::commands::analysis::{StandardInput, Trust, base_name};
use crate::policy::commands::arguments::word;
use crate::policy::commands::field::{Field, PROCESS_FILE, UNKNOWN};
use crate::policy::commands::shells::{is_other_shell, is_posix_shell, is_shell};

use super::model::Inner;

/// Returns what a shell runs; nothing for another program.
pub(super) fn inner(name: &str, words: &[Field], input: &StandardInput) -> Vec<Inner> {
    if is_posix_shell(name) {
        return posix_shell(words, input);
    }
    if is_other_shell(name) { other_shell(words, input) } else { Vec::new() }
}

/// Returns the option by which a shell first reads a file of settings.
pub(super) fn obstacle(name: &str, words: &[Field]) -> Option<String> {
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

/// The options of a shell.
struct Options {
    /// The index after the options.
    end: usize,
    /// Whether `-s` makes the shell read its input.
    reads_input: bool,
    /// Whether `-c` makes the first word after the options code.
    has_code: bool,
}

impl Options {
    fn of(words: &[Field]) -> Self {
        let mut options = Self { end: 1, reads_input: false, has_code: false };
        while let Some(text) = word(words, options.end) {
            if text == "--" || text == "-" {
                options.end += 1;
                break;
            }
            if let Some(name) = text.strip_prefix("--") {
                options.end += if matches!(name, "rcfile" | "init-file") { 2 } else { 1 };
            } else if text.len() > 1 && text.starts_with(['-', '+']) {
                let letters = &text[1..];
                options.has_code |= text.starts_with('-') && letters.contains('c');
                options.reads_input |= letters.contains('s');
                // Each `o` and `O` takes one more word.
                options.end += 1 + letters.matches(['o', 'O']).count();
            } else {
                break;
            }
        }
        options
    }
}

pub(crate) fn posix_shell(words: &[Field], input: &StandardInput) -> Vec<Inner> {
    // `bash -$x code` and `bash $options code` may run the text after the unknown option.
    let mut options =
        words.iter().skip(1).take_while(|field| field.text.starts_with(['-', '+', UNKNOWN])).enumerate();
    let hides_code = options.any(|(at, field)| {
        field.text.contains(UNKNOWN) && (field.text.starts_with('-') || field.is_many && at + 2 < words.len())
    });
    let unknown = hides_code.then(|| Inner::unknown_code("an option of a shell"));
    code_of(words, input).into_iter().chain(unknown).collect()
}

/// Returns the code that a shell runs, if unknown words are no options.
fn code_of(words: &[Field], input: &StandardInput) -> Vec<Inner> {
    let Options { end: at, reads_input, has_code } = Options::of(words);
    if has_code {
        let Some(field) = words.get(at) else { return Vec::new() };
        return vec![Inner::field(field, "a shell's -c", Trust::Transparent)];
    }
    if words.first().and_then(Field::known).is_some_and(|name| only_checks(base_name(name), words)) {
        return Vec::new();
    }
    match words.get(at) {
        _ if words.iter().skip(1).any(|field| field.text == PROCESS_FILE) => {
            let is_downloaded = words.iter().any(|field| field.is_downloaded);
            vec![Inner::code(None, "a process substitution", Trust::Separate, is_downloaded)]
        }
        Some(field) if !reads_input && !is_input(&field.text) => script(field),
        _ => Inner::stdin(input, "the input of a shell"),
    }
}

/// Returns whether a shell only checks the syntax of its input.
pub(crate) fn only_checks(name: &str, words: &[Field]) -> bool {
    let mut options = words.iter().skip(1).take_while(|field| {
        field.text.len() > 1
            && field.text.starts_with(['-', '+'])
            && !matches!(field.text.as_str(), "--" | "-")
    });
    let mut checks = false;
    let runs = options.any(|field| {
        let letters = field.text.trim_start_matches('-');
        let is_long = field.text.starts_with("--");
        checks |= !is_long && field.text.starts_with('-') && letters.contains('n');
        // An interactive shell runs its input in spite of `-n`.
        is_long
            || field.known().is_none()
            || field.text.starts_with('+')
            || letters.contains(['i', 'c', 'o', 'O'])
    });
    is_posix_shell(name) && checks && !runs
}

/// Returns nothing for a script, which is a file like any other program, unless it was just downloaded or is
/// unknown.
fn script(field: &Field) -> Vec<Inner> {
    if field.is_downloaded || field.text.starts_with("/dev/") || field.text.starts_with("/proc/") {
        return vec![Inner::code(None, "a script that is not a file", Trust::Separate, field.is_downloaded)];
    }
    Vec::new()
}

fn is_input(path: &str) -> bool {
    matches!(path, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

fn other_shell(words: &[Field], input: &StandardInput) -> Vec<Inner> {
    let is_code = |field: &Field| field.text.starts_with('-') && field.text.to_lowercase().contains('c');
    match words.iter().position(is_code) {
        Some(at) => {
            let is_downloaded = words.get(at + 1).is_some_and(|field| field.is_downloaded);
            // Most one-line commands mean the same in these shells, so deny rules apply to them. The unknown
            // code beside them keeps allow rules from covering them.
            let text = words.get(at + 1).and_then(Field::known).map(str::to_owned);
            vec![
                Inner::code(text, "another shell's -c", Trust::Separate, is_downloaded),
                Inner::code(None, "another shell's -c", Trust::Separate, is_downloaded),
            ]
        }
        None if words.len() == 1 => {
            Inner::stdin(&StandardInput { text: None, ..input.clone() }, "the input of a shell")
        }
        None => Vec::new(),
    }
}

/// Returns the text of `source`, if it is the standard input or a download.
pub(crate) fn sourced(words: &[Field], input: &StandardInput) -> Vec<Inner> {
    let start = 1 + usize::from(words.get(1).is_some_and(|field| field.text == "--"));
    let found = match words.get(start) {
        Some(field) if is_input(&field.text) => {
            Inner::stdin(&StandardInput { is_given: true, ..input.clone() }, "a sourced input")
        }
        Some(field) => script(field),
        None => Vec::new(),
    };
    found.into_iter().map(Inner::in_this_shell).collect()
}
