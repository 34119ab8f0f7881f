//! GNU parallel: a template, with arguments from the command line and from the input.

use crate::policy::commands::arguments::{quoted, skip_options};
use crate::policy::commands::field::Field;
use crate::policy::commands::found::{Input, Trust};
use crate::policy::commands::inner::model::Inner;

/// The most lines of the input that become arguments.
const MAX_LINES: usize = 3;

pub(super) fn parallel(words: &[Field], input: &Input) -> Vec<Inner> {
    let long = [
        "jobs", "joblog", "arg-file", "colsep", "delay", "timeout", "results", "tmpdir", "load", "sshlogin",
        "max-args",
    ];
    let at = skip_options(words, 1, "jaPSIinNLlCd", &long);
    let is_source = |field: &Field| field.text.starts_with(":::");
    let end = words.iter().position(is_source).unwrap_or(words.len());
    if at >= end {
        // Each line of the input, and each argument, is a command.
        let mut found = Inner::stdin(&Input { is_given: true, ..input.clone() }, "the input of parallel");
        for field in words.iter().skip(end).filter(|field| !is_source(field)) {
            found.push(Inner::field(field, "parallel", Trust::Separate));
        }
        return found;
    }
    let template: Vec<Field> = words[at..end].to_vec();
    let mut found = Inner::joined(&template, "parallel", Trust::Separate);
    let known: Option<Vec<&str>> = template.iter().map(Field::known).collect();
    if let Some(first) = known.map(|words| words.join(" ")) {
        let line = |argument: &str| {
            if first.contains("{}") {
                first.replace("{}", &quoted(argument))
            } else {
                format!("{first} {}", quoted(argument))
            }
        };
        for field in words.iter().skip(end).filter(|field| !is_source(field)) {
            found.push(Inner::code(field.known().map(line), "parallel", Trust::Separate, false));
        }
        for text in input.texts() {
            for argument in text.lines().take(MAX_LINES) {
                found.push(Inner::script(&line(argument)));
            }
        }
        for path in input.paths.iter().take(MAX_LINES) {
            found.push(Inner::script(&line(path)));
        }
    }
    // With `{.}`, `{1}` or another placeholder (`-I ,,`) in the name, the arguments decide which program runs.
    let has_own_place = words[1..at.min(words.len())].iter().any(|field| field.text.starts_with("-I"));
    if has_own_place || template[0].text.contains('{') {
        found.push(Inner::code(None, "arguments from the input", Trust::Separate, input.is_downloaded));
    }
    let values = words[1..at.min(words.len())].iter().enumerate().skip(1);
    let begins = values.filter(|(_, field)| !field.text.starts_with('-')).map(|(index, _)| index + 1);
    let begins: Vec<usize> = begins.chain([at + 1]).filter(|index| *index < end).collect();
    found.extend(begins.into_iter().map(|index| Inner::Guess(words[index..end].to_vec())));
    found
}
