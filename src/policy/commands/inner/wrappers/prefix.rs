//! Wrappers with a command after their options, by the table.

use crate::policy::commands::analysis::Trust;
use crate::policy::commands::arguments::{OptionWord, skip_assignments, skip_options, skip_separator, word};
use crate::policy::commands::field::Field;
use crate::policy::commands::inner::model::Inner;

use super::table::{WRAPPERS, Wrapper};

pub(super) fn by_table(name: &str, words: &[Field]) -> Vec<Inner> {
    for wrapper in WRAPPERS.iter().filter(|wrapper| wrapper.name == name) {
        let mut at = 1;
        if !wrapper.subcommand.is_empty() {
            at = skip_options(words, at, wrapper.short, wrapper.long);
            if word(words, at) != Some(wrapper.subcommand) {
                continue;
            }
            at += 1;
        }
        return run_by(wrapper, words, at);
    }
    Vec::new()
}

fn run_by(wrapper: &Wrapper, words: &[Field], start: usize) -> Vec<Inner> {
    let mut at = skip_options(words, start, wrapper.short, wrapper.long);
    if matches!(wrapper.name, "chrt" | "ionice" | "taskset" | "prlimit") && has_short(words, start, at, 'p') {
        return Vec::new();
    }
    let mut trust = wrapper.trust;
    let mut options = words.iter().take(at).skip(1);
    if wrapper.name == "time" && options.any(|field| is_option(field, 'o', "output")) {
        trust = Trust::Separate;
    }
    at += wrapper.operands;
    // Without words after the operands, nothing known runs: `docker run image` runs the program of the image.
    at = skip_separator(words, at);
    let (at, assignments) = if matches!(wrapper.name, "sudo" | "doas" | "dotenv" | "cmake") {
        skip_assignments(words, at)
    } else {
        (at, Vec::new())
    };
    let mut found = Inner::words_behind(words, at, assignments, trust);
    found.extend(other_starts(words, start, at, trust));
    found
}

/// Returns where the command may begin if an option takes more or fewer values than the table says.
fn other_starts(words: &[Field], start: usize, at: usize, trust: Trust) -> Vec<Inner> {
    let at = at.min(words.len());
    let begin = start.min(at);
    let skipped = &words[begin..at];
    let mut found: Vec<Inner> =
        (begin..at).filter(|&index| !words[index].text.starts_with('-')).map(Inner::Start).collect();
    let ends_in_option = skipped
        .last()
        .is_some_and(|field| field.text.starts_with('-') && field.text != "--" && !field.text.contains('='));
    if ends_in_option && at + 1 < words.len() {
        found.push(Inner::Start(at + 1));
    }
    // A word that may become several can contain the command.
    if trust != Trust::Runner && skipped.iter().any(|field| field.is_many) {
        found.push(Inner::unknown_code("arguments that are not known"));
    }
    found
}

fn is_option(field: &Field, letter: char, name: &str) -> bool {
    OptionWord::of(&field.text).is_some_and(|option| option.is(letter, name))
}

fn has_short(words: &[Field], start: usize, end: usize, letter: char) -> bool {
    words[start..end.min(words.len())].iter().any(|field| is_option(field, letter, "pid"))
}

/// Returns the command of `command`; `command -v` only prints a path.
pub(super) fn command(words: &[Field]) -> Vec<Inner> {
    let at = skip_options(words, 1, "", &[]);
    let asks = words[1..at.min(words.len())].iter().any(|field| field.text.contains(['v', 'V']));
    if asks { Vec::new() } else { Inner::words_from(words, at, Trust::Transparent) }
}

#[cfg(test)]
mod tests {
    use super::{Field, WRAPPERS, by_table};

    #[test]
    fn an_option_at_the_end_needs_no_value() {
        for wrapper in WRAPPERS {
            let letters = wrapper.short.chars().map(|letter| format!("-{letter}"));
            let names = wrapper.long.iter().map(|name| format!("--{name}"));
            for option in letters.chain(names).chain(["--".to_owned()]) {
                let words = [wrapper.name, wrapper.subcommand, &option];
                let words: Vec<Field> =
                    words.into_iter().filter(|word| !word.is_empty()).map(Field::of).collect();
                assert!(by_table(wrapper.name, &words).len() < 3, "{} {option}", wrapper.name);
            }
        }
    }
}
