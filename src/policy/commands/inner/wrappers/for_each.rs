//! Programs that run a command for each file or line: `xargs` and `find`.

use crate::policy::commands::analysis::{Input, Origin, Trust, base_name};
use crate::policy::commands::arguments::{skip_options, word};
use crate::policy::commands::field::{ANY_TEXT, Field, UNKNOWN, Values, is_any_text};
use crate::policy::commands::inner::model::Inner;
use crate::policy::commands::programs::find::{FIND_FLAGS, actions, runs_program};
use crate::policy::commands::programs::shell::is_shell;
use crate::policy::globs::glob_matches;

pub(super) fn xargs(words: &[Field], input: &Input) -> Vec<Inner> {
    let at = behind_options(words);
    if at >= words.len() {
        // Without a command, `xargs` runs `echo`.
        return Vec::new();
    }
    let placeholder = placeholder_of(&words[1..at], words);
    // The words of a known text are likely arguments.
    let text = input.text.as_deref().unwrap_or_default();
    let all = text.split_whitespace().map(str::to_owned).collect();
    let is_downloaded = input.origin == Origin::Network;
    let argument = Field { values: Values { all, is_complete: false }, is_downloaded, ..Field::unknown() };
    let fill = |field: &Field, placeholder: &str| {
        let values = argument.values.all.iter().map(|value| field.text.replace(placeholder, value)).collect();
        let values = Values { all: values, is_complete: false };
        Field { values, is_literal: false, ..field.with_text(&field.text.replace(placeholder, ANY_TEXT)) }
    };
    let mut inner: Vec<Field> = words[at..].to_vec();
    let mut found = Vec::new();
    match placeholder.as_deref().filter(|placeholder| !placeholder.is_empty()) {
        Some(placeholder) => {
            found.extend(code_from_input(&inner, placeholder, is_downloaded));
            for field in inner.iter_mut().filter(|field| field.text.contains(placeholder)) {
                *field = fill(field, placeholder);
            }
        }
        None => inner.push(argument),
    }
    found.push(Inner::Words { at, words: inner, assignments: Vec::new(), trust: Trust::Transparent });
    found
}

/// Returns the index after the options of `xargs`.
fn behind_options(words: &[Field]) -> usize {
    let long = ["arg-file", "delimiter", "max-args", "max-chars", "max-procs", "process-slot-var"];
    let mut at = 1;
    // `-i`, `-l` and `-e` take the rest of their word, and never the next one.
    while let Some(text) = word(words, at).filter(|text| text.len() > 1 && text.starts_with('-')) {
        let index = text.find(|letter| "adEILnPsJRSile".contains(letter)).unwrap_or(0);
        let is_attached = !text.starts_with("--") && text[index..].starts_with(['i', 'l', 'e']);
        let end = (at + 2).min(words.len());
        at = if is_attached { at + 1 } else { skip_options(&words[..end], at, "adEILnPsJRS", &long) };
        if text == "--" {
            break;
        }
    }
    at
}

/// Returns the text that `xargs` replaces with a line: `{}` in `-I {}`.
fn placeholder_of(options: &[Field], words: &[Field]) -> Option<String> {
    options.iter().enumerate().find_map(|(index, field)| {
        let text = field.text.as_str();
        match text.strip_prefix("-I").or_else(|| text.strip_prefix("-J")) {
            Some("") => words.get(index + 2).map(|field| field.text.clone()),
            Some(value) => Some(value.to_owned()),
            None => ["--replace=", "--replace", "-i"].iter().find_map(|option| {
                let value = text.strip_prefix(option)?;
                Some(if value.is_empty() { "{}".to_owned() } else { value.to_owned() })
            }),
        }
    })
}

pub(super) fn find(words: &[Field]) -> Vec<Inner> {
    let mut found = Vec::new();
    let mut at = 1;
    while at < words.len() {
        match words[at].text.as_str() {
            action if runs_program(action) => {
                let is_end = |field: &Field| field.text == ";" || field.text == "+";
                let length = words[at + 1..].iter().position(is_end);
                let end = length.map_or(words.len(), |length| at + 1 + length);
                if end > at + 1 {
                    found.extend(code_from_input(&words[at + 1..end], "{}", false));
                    found.extend(Inner::words_from(&words[..end], at + 1, Trust::Separate));
                }
                at = end;
            }
            "-delete" => found.push(Inner::Made(vec![Field::of("rm"), Field::of("-f"), Field::unknown()])),
            _ if may_be_action(words, at) => found.push(Inner::unknown_code("arguments of find")),
            _ => {}
        }
        at += 1;
    }
    found
}

/// Returns whether an unknown word, or the name of a file that a glob matches, may be an action.
fn may_be_action(words: &[Field], at: usize) -> bool {
    let field = &words[at];
    if field.has_glob {
        return actions().any(|action| glob_matches(&field.text, action));
    }
    let before = words[at - 1].text.as_str();
    let takes_value =
        before.starts_with('-') && !FIND_FLAGS.contains(&before) && !matches!(before, "-H" | "-L" | "-P");
    // The first starting point may be any path.
    field.is_many && field.text.starts_with(UNKNOWN)
        || at > 1 && !takes_value && is_any_text(&field.text) && field.text.starts_with(UNKNOWN)
}

/// Returns unknown code if the words of the input, or the names of files, may be code.
///
/// They are code if a shell reads them, or if they are the name of the program.
fn code_from_input(words: &[Field], placeholder: &str, is_downloaded: bool) -> Option<Inner> {
    let name = base_name(&words.first()?.text);
    let is_code = name.contains(placeholder)
        || (is_shell(name) || matches!(name, "eval" | "ssh" | "env" | "su"))
            && words.iter().any(|field| field.text.contains(placeholder) && field.text != placeholder)
        || is_shell(name)
            && words.windows(2).any(|pair| pair[0].text.ends_with('c') && pair[1].text == placeholder);
    is_code.then_some(Inner::code(None, "arguments from the input", Trust::Separate, is_downloaded))
}
