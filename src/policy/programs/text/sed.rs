//! Arguments of sed: its scripts, which run programs and write files, and the files that it edits.

use crate::policy::commands::{Field, Obstacle, OptionWord, StandardInput, is_any_text, valued_letter};
use crate::policy::programs::ReadsPath;
use crate::policy::read_only::{outside, unknown_option};

use super::sed_script::effects;

pub(super) fn obstacle(words: &[Field], _: &StandardInput) -> Option<Obstacle> {
    runs(words).then_some(Obstacle::UnknownCode("a script of sed"))
}

/// Returns the files that scripts of sed write, and those that it edits.
pub(super) fn written(words: &[Field]) -> Vec<Field> {
    let named = files_of_script(words).into_iter().map(|file| Field::of(&file));
    named.chain(edited_files(words)).collect()
}

/// Returns whether a script of sed may run a program.
fn runs(words: &[Field]) -> bool {
    let is_sandboxed =
        words.iter().take_while(|field| field.text != "--").any(|field| field.text == "--sandbox");
    !is_sandboxed && scripts(words).iter().any(may_run)
}

/// Returns whether this script of sed may run a program.
fn may_run(field: &Field) -> bool {
    // A word that may become several can hold any script. Text from outside may end a command and begin
    // another one.
    field.is_many || is_any_text(&field.text) || effects(&field.text).runs
}

/// Returns the files that `sed -i` edits, and the files to which it copies them first, as with
/// `-i'copies/*'`.
fn edited_files(words: &[Field]) -> Vec<Field> {
    let Some(suffix) = words[1..].iter().find_map(suffix_of_copies) else { return Vec::new() };
    let scripts: Vec<Field> = scripts(words);
    let is_script = |field: &&Field| scripts.iter().any(|script| script.text == field.text);
    let follows = words[1..].iter().any(|field| field.text.starts_with("--fo"));
    let operands = words[1..].iter().filter(|field| !field.text.starts_with('-') && !is_script(field));
    let mut files: Vec<Field> =
        operands.map(|field| if follows { field.clone() } else { single(field) }).collect();
    if suffix.contains('/') {
        let copy = |file: &Field| match suffix.split_once('*') {
            Some((directory, rest)) => format!("{directory}x{rest}"),
            None => format!("{}{suffix}", file.text),
        };
        let copies: Vec<Field> = files.iter().map(|file| file.with_text(&copy(file))).collect();
        files.extend(copies);
    }
    files
}

/// Returns the suffix of copies, after `-i` or `--in-place=`; `None` for another option.
fn suffix_of_copies(field: &Field) -> Option<&str> {
    match OptionWord::of(&field.text)? {
        OptionWord::Long(name, suffix) => {
            (!name.is_empty() && "in-place".starts_with(name)).then_some(suffix.unwrap_or_default())
        }
        OptionWord::Short(letters) => value_of(letters, 'i'),
    }
}

/// Returns one file for a glob in the last part of a path; returns any other word as it is.
///
/// One file is enough: all matching files are in the same directory, and sed replaces them without following
/// links.
fn single(field: &Field) -> Field {
    let is_mark = |char| matches!(char, '*' | '?' | '[');
    let (directory, name) = field.text.split_at(field.text.rfind('/').map_or(0, |slash| slash + 1));
    let is_plain = field.has_glob
        && !field.is_many
        && !directory.contains(is_mark)
        && name.starts_with(|char: char| char.is_ascii_alphanumeric() || char == '*')
        // The name of a matching file could be an option otherwise.
        && !field.text.starts_with(is_mark);
    if !is_plain {
        return field.clone();
    }
    Field { has_glob: false, ..field.with_text(&format!("{directory}{}", name.replace(is_mark, "x"))) }
}

/// Returns the files that a script of sed writes.
fn files_of_script(words: &[Field]) -> Vec<String> {
    scripts(words).into_iter().flat_map(|field| effects(&field.text).writes).collect()
}

/// Returns the scripts among the arguments of sed.
fn scripts(words: &[Field]) -> Vec<Field> {
    let mut scripts: Vec<Field> = Vec::new();
    let mut at = 1;
    let mut has_script = false;
    while let Some(field) = words.get(at) {
        let text = field.text.as_str();
        if let Some((script, is_next)) = expression(text) {
            at += usize::from(is_next);
            scripts.extend(if is_next { words.get(at).cloned() } else { Some(field.with_text(script)) });
            has_script = true;
        } else if names_file(text) {
            // The content of the file is unknown.
            let is_next = matches!(text, "--file") || !text.starts_with("--") && text.ends_with('f');
            if !is_next || words.get(at + 1).is_some() {
                scripts.push(Field::unknown());
            }
            has_script = true;
            at += usize::from(is_next);
        } else if !text.starts_with('-') && !has_script {
            scripts.push(field.clone());
            has_script = true;
        }
        at += 1;
    }
    scripts
}

/// Returns the script of `-escript` or `--expression=script`, and whether the next word is the script.
fn expression(option: &str) -> Option<(&str, bool)> {
    match OptionWord::of(option)? {
        OptionWord::Long(name, script) => {
            let is_named = !name.is_empty() && "expression".starts_with(name);
            is_named.then_some((script.unwrap_or_default(), script.is_none()))
        }
        OptionWord::Short(letters) => value_of(letters, 'e').map(|script| (script, script.is_empty())),
    }
}

/// Returns whether an option names a file with a script: `-f`, `-nf`, `-ffile`, `--file=file`.
fn names_file(option: &str) -> bool {
    match OptionWord::of(option) {
        Some(OptionWord::Long(name, _)) => name.len() > 1 && "file".starts_with(name),
        Some(OptionWord::Short(letters)) => value_of(letters, 'f').is_some(),
        None => false,
    }
}

/// Returns the value of the letter in a cluster of options, if it is the letter that takes a value.
fn value_of(letters: &str, wanted: char) -> Option<&str> {
    let (letter, value) = valued_letter(letters, |letter| matches!(letter, 'i' | 'e' | 'f' | 'l'))?;
    (letter == wanted).then_some(value)
}

/// Checks that `sed` prints lines by number, as in `sed -n '1,5p'`; no other script is known to read.
pub(super) fn check(arguments: &[&str], reads_path: ReadsPath) -> Option<String> {
    let [flag, script, files @ ..] = arguments else {
        return Some("only `sed -n` with lines to print is known to read".to_owned());
    };
    let is_print = matches!(*flag, "-n" | "-nE" | "-En" | "-nr")
        && script.split(';').all(|part| {
            let part = part.trim();
            part.strip_suffix('p').is_some_and(|lines| {
                lines.chars().all(|char| char.is_ascii_digit() || char == ',' || char == '$')
            })
        });
    if !is_print {
        return Some("only `sed -n` with lines to print is known to read".to_owned());
    }
    if let Some(option) = files.iter().find(|text| text.starts_with('-')) {
        return Some(unknown_option(option));
    }
    outside(files, reads_path)
}
