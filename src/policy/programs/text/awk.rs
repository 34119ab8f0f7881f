//! Arguments of awk: its programs, which run commands by `system`, a pipe, a loaded library or a function
//! named by a value, and the options that name other files.

use crate::policy::commands::{
    Field, Obstacle, OptionWord, StandardInput, UNKNOWN, is_any_text, valued_letter,
};

use super::awk_program::effects;

/// Options with a value: their letter, their long name, and whether the value may stand in the next word.
const OPTIONS: [(char, &str, bool); 12] = [
    ('F', "field-separator", true),
    ('v', "assign", true),
    ('e', "source", true),
    ('f', "file", true),
    ('E', "exec", true),
    ('i', "include", true),
    ('l', "load", true),
    ('W', "W", true),
    ('d', "dump-variables", false),
    ('D', "debug", false),
    ('o', "pretty-print", false),
    ('p', "profile", false),
];

#[derive(Default)]
struct AwkArguments {
    /// The programs on the command line.
    programs: Vec<Field>,
    files: Vec<Field>,
    /// Files that options write.
    outputs: Vec<Field>,
    /// The files that the program reads, with assignments among them.
    operands: Vec<Field>,
    /// Whether the program edits the files that it reads, as with `-i inplace`.
    edits: bool,
    /// Whether an option loads a library, or reads commands of the debugger.
    loads: bool,
}

impl AwkArguments {
    fn of(words: &[Field]) -> Self {
        let mut arguments = Self::default();
        let mut at = 1;
        while let Some(field) = words.get(at).filter(|field| field.text.len() > 1) {
            at += 1;
            if field.text == "--" {
                break;
            }
            let Some((letter, value, takes_next)) = option(&field.text) else {
                if field.text.starts_with('-') {
                    continue;
                }
                at -= 1;
                break;
            };
            let own = value.map(|value| Field { text: value.to_owned(), ..field.clone() });
            let next = || words.get(at).filter(|_| takes_next).cloned();
            let is_next = own.is_none() && takes_next;
            arguments.take(letter, own.or_else(next));
            at += usize::from(is_next);
            if letter == 'E' {
                break;
            }
        }
        arguments.operands = words.get(at..).unwrap_or_default().to_vec();
        if arguments.programs.is_empty() && arguments.files.is_empty() && !arguments.operands.is_empty() {
            arguments.programs.push(arguments.operands.remove(0));
        }
        arguments
    }

    fn take(&mut self, letter: char, value: Option<Field>) {
        match letter {
            'e' => self.programs.extend(value),
            'i' if value.as_ref().is_some_and(|value| value.text.starts_with("inplace")) => self.edits = true,
            'f' | 'E' | 'i' => self.files.extend(value),
            'd' | 'o' | 'p' => self.outputs.extend(value),
            'l' | 'D' | 'W' => self.loads = true,
            _ => {}
        }
    }
}

/// Reads an option with a value: its letter, the value in the same word, and whether the next word may be the
/// value.
fn option(text: &str) -> Option<(char, Option<&str>, bool)> {
    match OptionWord::of(text)? {
        OptionWord::Long(name, value) => {
            let (letter, _, takes_next) = OPTIONS.iter().find(|(_, option, _)| option.starts_with(name))?;
            Some((*letter, value, *takes_next))
        }
        OptionWord::Short(letters) => {
            let row = |letter: char| OPTIONS.iter().find(|(other, ..)| *other == letter);
            let (letter, value) = valued_letter(letters, |letter| row(letter).is_some())?;
            let (.., takes_next) = row(letter)?;
            Some((letter, Some(value).filter(|value| !value.is_empty()), *takes_next))
        }
    }
}

/// Returns the files that awk writes: those of `print … >`, those of options, and those that it edits.
pub(super) fn written(words: &[Field]) -> Vec<Field> {
    let AwkArguments { programs, outputs, operands, edits, .. } = AwkArguments::of(words);
    let printed = programs.iter().flat_map(|field| effects(&field.text).files);
    let edited = operands.into_iter().filter(|field| edits && !field.text.contains('='));
    printed.chain(outputs).chain(edited).collect()
}

pub(super) fn obstacle(words: &[Field], _: &StandardInput) -> Option<Obstacle> {
    runs(words).then_some(Obstacle::UnknownCode("a program of awk"))
}

/// Returns whether a program of awk may run a command, or write to a command by a pipe.
fn runs(words: &[Field]) -> bool {
    let AwkArguments { programs, files, loads, .. } = AwkArguments::of(words);
    let is_unknown = |field: &Field| field.has_glob || field.is_many && field.text.starts_with(UNKNOWN);
    let may_run = |field: &Field| is_any_text(&field.text) || is_unknown(field) || effects(&field.text).runs;
    let is_unseen = |file: &Field| file.text == "-" || file.text.starts_with("/dev/");
    loads || programs.iter().any(may_run) || files.iter().any(is_unseen)
}

#[cfg(test)]
mod tests {
    use super::{AwkArguments, Field};

    fn read(text: &str) -> AwkArguments {
        AwkArguments::of(&text.split(' ').map(Field::of).collect::<Vec<_>>())
    }

    #[test]
    fn options_and_operands_are_told_apart() {
        for text in [
            "awk P f", "awk -- P f", "awk -F, -vx=1 P f", "awk -F , -v x=1 P f", "awk --field-sep , P f",
            "awk -e P f", "awk -be P f", "awk --source=P f", "awk -dx P f",
        ] {
            let arguments = read(text);
            let texts = |fields: &[Field]| fields.iter().map(|field| field.text.clone()).collect::<Vec<_>>();
            assert_eq!(
                (texts(&arguments.programs), texts(&arguments.operands)),
                (vec!["P".to_owned()], vec!["f".to_owned()]),
                "{text}"
            );
        }
        assert_eq!(read("awk -e P -e Q").programs.len(), 2);
    }

    #[test]
    fn options_name_other_files() {
        for text in ["awk -f p x", "awk -bfp x", "awk --file=p", "awk -E p x", "awk -i p x", "awk --exec p"] {
            assert_eq!(read(text).files, [Field::of("p")], "{text}");
        }
        assert_eq!(read("awk -op P").outputs, [Field::of("p")]);
        assert!(read("awk -lx P").loads && read("awk --load=x P").loads);
        assert!(read("awk -i inplace P f").edits && read("awk --include=inplace P f").edits);
    }
}
