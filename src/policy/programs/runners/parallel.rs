//! GNU parallel: a template, with arguments from the command line and from the input.

use crate::policy::commands::{Field, Inner, StandardInput, Trust, quoted, skip_options};

const LONG: [&str; 11] = [
    "jobs", "joblog", "arg-file", "colsep", "delay", "timeout", "results", "tmpdir", "load", "sshlogin",
    "max-args",
];

pub(super) fn parallel(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    let at = skip_options(words, 1, "jaPSIinNLlCd", &LONG);
    let is_source = |field: &Field| field.text.starts_with(":::");
    let end = words.iter().position(is_source).unwrap_or(words.len());
    let arguments = || words.iter().skip(end).filter(|field| !is_source(field));
    if at >= end {
        // Each line of the input, and each argument, is a command.
        let given = arguments().map(|field| Inner::field(field, "parallel", Trust::Separate));
        return given.chain([Inner::unknown_code("the input of parallel")]).collect();
    }
    let template = &words[at..end];
    let mut found = Inner::joined(template, "parallel", Trust::Separate);
    let known: Option<Vec<&str>> = template.iter().map(Field::known).collect();
    if let Some(first) = known.map(|words| words.join(" ")) {
        let line = |argument: &str| {
            if first.contains("{}") {
                first.replace("{}", &quoted(argument))
            } else {
                format!("{first} {}", quoted(argument))
            }
        };
        found.extend(arguments().map(|field| {
            Inner::code(field.known().map(line), "parallel", Trust::Separate, field.is_downloaded)
        }));
    }
    // With `{.}`, `{1}` or another placeholder (`-I ,,`) in the name, the arguments decide which program
    // runs.
    let options = &words[1..at.min(words.len())];
    if options.iter().any(|field| field.text.starts_with("-I")) || template[0].text.contains('{') {
        found.push(Inner::unknown_code("arguments from the input"));
    }
    let values = (1..at).filter(|&index| !words[index].text.starts_with('-'));
    found.extend(values.chain([at + 1]).filter(|index| *index < end).map(Inner::Start));
    found
}
