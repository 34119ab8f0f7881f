//! The arguments of `fd`: where it searches, and what it runs for each file.

use crate::policy::commands::Field;

/// The letters of options with a value.
const WITH_VALUE: &str = "dtecojESC";

/// Long options with a value that leave some files out.
const TESTS: [&str; 7] =
    ["extension", "exclude", "size", "changed-within", "changed-before", "owner", "max-results"];

/// Other long options with a value.
const OTHERS: [&str; 9] = [
    "max-depth",
    "min-depth",
    "exact-depth",
    "type",
    "color",
    "threads",
    "ignore-file",
    "format",
    "batch-size",
];

/// The arguments of `fd`.
#[derive(Debug)]
pub(super) struct Search<'a> {
    /// The directories in which it searches.
    pub(super) starts: Vec<Field>,
    /// Whether a pattern or an option leaves some files out.
    pub(super) has_test: bool,
    /// The words of the command for each file.
    pub(super) program: Vec<&'a str>,
}

impl<'a> Search<'a> {
    pub(super) fn of(words: &'a [Field]) -> Self {
        let (mut operands, mut has_test, mut program) = (Vec::new(), false, Vec::new());
        let mut at = 1;
        while let Some(field) = words.get(at) {
            at += 1;
            let text = field.text.as_str();
            if let Some(first) = program_of(text) {
                let rest = words[at..].iter().map(|field| field.text.as_str());
                program = [first].into_iter().filter(|first| !first.is_empty()).chain(rest).collect();
                break;
            }
            has_test |= is_test(text);
            if takes_next(text) {
                at += 1;
            } else if !text.starts_with('-') {
                operands.push(field);
            }
        }
        let pattern = operands.first().map_or("", |field| field.text.as_str());
        has_test |= !matches!(pattern, "" | "." | "^" | ".*" | "*");
        let mut starts: Vec<Field> = operands.into_iter().skip(1).cloned().collect();
        if starts.is_empty() {
            starts.push(Field::of("."));
        }
        Self { starts, has_test, program }
    }
}

/// Returns the program in the word of `-x`, `-X`, `--exec` or `--exec-batch`, an empty one if it is the next word; `None` for
/// another option.
fn program_of(text: &str) -> Option<&str> {
    let own = if let Some(long) = text.strip_prefix("--") {
        let (name, value) = long.split_once('=').unwrap_or((long, ""));
        matches!(name, "exec" | "exec-batch").then_some(value)
    } else {
        let letters = text.strip_prefix('-')?;
        let first = letters.find(|letter| letter == 'x' || letter == 'X' || WITH_VALUE.contains(letter))?;
        letters[first..].strip_prefix(['x', 'X'])
    };
    own.map(|value| value.trim_start_matches('='))
}

/// Returns whether an option leaves some files out.
fn is_test(text: &str) -> bool {
    match text.strip_prefix("--") {
        Some(long) => TESTS.contains(&long.split('=').next().unwrap_or(long)),
        None => text.strip_prefix('-').is_some_and(|letters| letters.starts_with(['e', 'E', 'S', 'o'])),
    }
}

/// Returns whether the value of an option is the next word.
fn takes_next(text: &str) -> bool {
    match text.strip_prefix("--") {
        Some(long) => TESTS.contains(&long) || OTHERS.contains(&long),
        None => {
            let letters = text.strip_prefix('-').unwrap_or_default();
            letters.find(|letter| WITH_VALUE.contains(letter)).is_some_and(|index| index + 1 == letters.len())
        }
    }
}
