//! Wrappers: programs with a command behind their options.

use crate::policy::commands::analysis::Trust;
use crate::policy::commands::arguments::{OptionWord, skip_assignments, skip_options, skip_separator, word};
use crate::policy::commands::field::Field;
use crate::policy::commands::inner::model::Inner;

use crate::policy::programs::{Program, Wrapper};

/// Returns the command that follows the options of a wrapper: of the first one whose subcommand comes first.
pub(crate) fn wrapped(wrappers: &[Wrapper], words: &[Field]) -> Vec<Inner> {
    for wrapper in wrappers {
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
    if wrapper.has_pid && has_short(words, start, at, 'p') {
        return Vec::new();
    }
    let mut trust = wrapper.trust;
    let mut options = words.iter().take(at).skip(1);
    if wrapper.has_output && options.any(|field| is_option(field, 'o', "output")) {
        trust = Trust::Separate;
    }
    at += wrapper.operands;
    // Without words after the operands, nothing known runs: `docker run image` runs the program of the image.
    at = skip_separator(words, at);
    let (at, assignments) = if wrapper.assigns { skip_assignments(words, at) } else { (at, Vec::new()) };
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

/// Returns the directory to which an option of a program before `end` changes, if there is such an option.
/// The field is unknown if the directory is.
pub(crate) fn changed_directory(name: &str, words: &[Field], end: usize) -> Option<Field> {
    let letter = Program::of(name)?.chdir?;
    let mut options = words.iter().enumerate().take(end).skip(1);
    options.find_map(|(at, field)| {
        let next = || words.get(at + 1).cloned().unwrap_or_else(Field::unknown);
        match OptionWord::of(&field.text)? {
            OptionWord::Long(name, value) => {
                let is_named = name.len() > 1 && "chdir".starts_with(name);
                is_named.then(|| value.map_or_else(next, |value| field.with_text(value)))
            }
            OptionWord::Short(letters) => {
                let (_, value) = letters.split_once(letter)?;
                Some(if value.is_empty() { next() } else { field.with_text(value) })
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{Field, wrapped};
    use crate::policy::programs::{InnerCommands, Program};

    #[test]
    fn an_option_at_the_end_needs_no_value() {
        for program in Program::all() {
            let InnerCommands::Wrapped(wrappers) = program.runs else { continue };
            for wrapper in wrappers {
                let letters = wrapper.short.chars().map(|letter| format!("-{letter}"));
                let names = wrapper.long.iter().map(|name| format!("--{name}"));
                for option in letters.chain(names).chain(["--".to_owned()]) {
                    let words = [program.names[0], wrapper.subcommand, &option];
                    let words: Vec<Field> =
                        words.into_iter().filter(|word| !word.is_empty()).map(Field::of).collect();
                    assert!(wrapped(wrappers, &words).len() < 3, "{} {option}", program.names[0]);
                }
            }
        }
    }
}
