//! `xargs`: a command for each line of the input.

use crate::policy::commands::{
    ANY_TEXT, Field, Inner, Obstacle, Origin, StandardInput, Trust, Values, code_from_input, skip_options,
    word,
};

pub(super) fn xargs(words: &[Field], input: &StandardInput) -> Vec<Inner> {
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

/// Returns the option that sets a variable.
pub(super) fn obstacle(words: &[Field], _: &StandardInput) -> Option<Obstacle> {
    let option = "--process-slot-var";
    let sets = |field: &Field| {
        let name = field.text.split('=').next().unwrap_or_default();
        name.len() > 2 && option.starts_with(name)
    };
    words.iter().skip(1).any(sets).then(|| Obstacle::Argument(option.to_owned()))
}
