//! The commands that a command runs besides itself: words among its arguments, text that a shell reads, or
//! words that it makes.
//!
//! [`model`] is the result. The records of [`programs`](crate::policy::programs) tell how a program runs
//! others: as a [`wrapper`], at a [`position`] among the arguments, by a [`command_line`], or by options that
//! only show that something runs ([`hidden`]). [`shell`] knows what shells run.

mod command_line;
mod hidden;
mod model;
mod position;
mod shell;
mod wrapper;

use super::analysis::{Obstacle, StandardInput, base_name};
use super::field::{Field, variants};
use crate::policy::paths::PathStyle;
use crate::policy::programs::{InnerCommands, Program};

pub(crate) use command_line::{code_from_input, option_text, texts_of};
pub(crate) use hidden::hidden_obstacle;
pub(crate) use model::Inner;
pub(crate) use position::{after_dashes, after_option, after_separator, at_each_start};
pub(crate) use shell::{only_checks, posix_shell, sourced};
pub(crate) use wrapper::{changed_directory, wrapped};

/// Returns the commands that a command runs, by its name and arguments.
pub(super) fn inner(words: &[Field], input: &StandardInput, style: PathStyle) -> Vec<Inner> {
    let Some(name) = words.first().and_then(Field::known).map(base_name) else { return Vec::new() };
    match Program::on(style, name).map(|program| program.runs) {
        Some(InnerCommands::Nothing) => Vec::new(),
        Some(InnerCommands::Wrapped(wrappers)) => wrapped(wrappers, words),
        Some(InnerCommands::By(runs)) => runs(words, input),
        None => shell::inner(name, words, input),
    }
}

/// Returns the obstacles that the arguments of a command, with each of their possible values, are to allow
/// rules.
pub(super) fn obstacles(
    name: &str,
    words: &[Field],
    input: &StandardInput,
    style: PathStyle,
) -> Vec<Obstacle> {
    let Some(program) = Program::on(style, name) else {
        return shell::obstacle(name, words).map(Obstacle::Argument).into_iter().collect();
    };
    let of_words = |words: &[Field]| {
        let found = program.obstacle.and_then(|obstacle| obstacle(words, input));
        found.or_else(|| hidden_obstacle(&program.hidden, words))
    };
    let found = of_words(words);
    found.or_else(|| variants(words, |_| true).iter().find_map(|words| of_words(words))).into_iter().collect()
}

/// Returns the files that a command writes, by the name and the arguments of a program that usually prints.
pub(crate) fn written_files(name: &str, words: &[Field]) -> Vec<Field> {
    let writes = Program::of(name).and_then(|program| program.writes);
    writes.map_or_else(Vec::new, |writes| writes(words))
}

#[cfg(test)]
mod tests {
    use super::{Field, written_files};

    fn files(text: &str) -> Vec<String> {
        let words: Vec<Field> = text.split(' ').map(Field::of).collect();
        written_files(&words[0].text, &words).into_iter().map(|field| field.text).collect()
    }

    #[test]
    fn options_name_the_file() {
        for text in [
            "sort -o x f",
            "sort f -uox",
            "sort --output=x f",
            "sort --out x",
            "shuf -e a -o x",
            "git log -p --output=x",
            "git -C d diff --output x",
            "git archive -ox HEAD",
            "git format-patch --output-dir x",
            "tree -ax -o x",
            "less -Ox f",
            "uniq -c f x",
            "uniq -f 2 f x",
            "find . -name a -fprintf x %f",
            "sed -n wx f",
        ] {
            assert_eq!(files(text), ["x"], "{text}");
        }
    }

    #[test]
    fn other_options_name_none() {
        for text in [
            "sort -k1,1o f",
            "sort -t o f",
            "git log --oneline f",
            "git commit -o x",
            "git diff --output-indicator-new=x",
            "uniq -c f",
            "uniq f -",
            "find . -printf x",
            "less -po f",
            "sed s/a/b/ f",
            "awk {print$1>2}",
        ] {
            let expected: Vec<String> =
                if text.starts_with("awk") { vec!["\0\0".to_owned()] } else { Vec::new() };
            assert_eq!(files(text), expected, "{text}");
        }
    }
}
