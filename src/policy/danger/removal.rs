//! The removal of protected paths, with all that is below them.

use super::arguments::{has_option, operands, texts};
use super::places::Places;
use super::search::Search;
use crate::policy::commands::scope::resolve;
use crate::policy::commands::{Copy, Field, Found, git_subcommand, is_test_of_find};
use crate::policy::decision::{Danger, Effect};

pub(super) fn find(name: &str, command: &Found, places: &Places) -> Option<Danger> {
    let words = &command.words;
    match name {
        "rm" | "grm" | "srm" | "rimraf" | "trash" | "trash-put" | "del-cli" => {
            let is_recursive = name == "rimraf"
                || name == "srm"
                || name.starts_with("trash")
                || has_option(words, 'r', "recursive")
                || has_option(words, 'R', "recursive")
                || has_option(words, '\0', "no-preserve-root");
            // The files of `find | xargs rm` are those below the starting points of `find`, as are those that `read` takes.
            let is_below = |field: &Field| !field.is_literal && field.text.ends_with("/**");
            let is_from_find = words.iter().any(is_below)
                || command.wrappers.last().is_some_and(|wrapper| wrapper == "xargs" || wrapper == "parallel")
                    && command.words.iter().any(|field| !field.is_literal);
            if !is_recursive && !is_from_find {
                return None;
            }
            // Without `-r`, a glob takes the files of a directory, and nothing below it.
            let mut operands =
                operands(words).filter(|field| is_recursive || !field.has_glob || is_below(field));
            operands.find_map(|field| removes(field, command, places))
        }
        "find" | "gfind" => by_find(command, places),
        "userdel" | "deluser" => {
            let removes =
                has_option(words, 'r', "remove-home") || has_option(words, '\0', "remove-all-files");
            let is_root = operands(words).any(|field| field.text == "root");
            (removes && is_root).then(|| Danger::new(Effect::Removal, "remove the home of root"))
        }
        "fd" | "fdfind" => by_fd(command, places),
        "rsync" => {
            let deletes = words.iter().any(|field| field.text.starts_with("--del"));
            let target = operands(words).last()?;
            if deletes { removes(target, command, places) } else { None }
        }
        "mv" | "gmv" => by_move(command, places),
        "zip" if has_option(words, 'm', "move") => {
            operands(words).skip(1).find_map(|field| removes(field, command, places))
        }
        "tar" | "gtar" | "bsdtar" if words.iter().any(|field| field.text == "--remove-files") => {
            operands(words).find_map(|field| removes(field, command, places))
        }
        "git" => by_git(command, places),
        "shred" | "wipe" | "srm.py" => {
            let is_recursive = has_option(words, 'r', "recursive");
            operands(words).filter(|_| is_recursive).find_map(|field| removes(field, command, places))
        }
        _ => None,
    }
}

fn removes(field: &Field, command: &Found, places: &Places) -> Option<Danger> {
    let place = places.protected(field, command).or_else(|| places.holder(field, command))?;
    Some(Danger::new(Effect::Removal, &format!("remove {place}")))
}

/// Returns the harm of moving something protected away.
fn by_move(command: &Found, places: &Places) -> Option<Danger> {
    let copy = Copy::of(&command.words)?;
    copy.sources.into_iter().find_map(|field| {
        // `mv ./*` into another directory moves the files, and loses none. The glob may be the value of a loop's variable.
        let is_content =
            field.text.contains('*') && !field.text.starts_with(['/', '~']) && !field.text.contains("..");
        if is_content && copy.target != "/dev/null" { None } else { removes(field, command, places) }
    })
}

fn by_find(command: &Found, places: &Places) -> Option<Danger> {
    let texts = texts(&command.words);
    let runs = |text: &&str| matches!(*text, "-exec" | "-execdir" | "-ok" | "-okdir");
    let removes_by_program = texts
        .iter()
        .enumerate()
        .any(|(index, text)| runs(text) && texts[index + 1..].iter().take(4).any(|word| is_removal(word)));
    if !texts.contains(&"-delete") && !removes_by_program {
        return None;
    }
    let place = protected_start(command, places)?;
    Some(Danger::new(Effect::Removal, &format!("remove what is below {place}")))
}

/// Returns whether a word of the command for each file is a program that removes it, or a command line with one.
fn is_removal(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    matches!(name, "rm" | "unlink" | "shred" | "srm" | "rmdir" | "truncate" | "mv")
        || word.contains("rm -")
        || word.contains("rm \"")
        || word.contains("shred ")
}

/// Returns the harm of `fd pattern path -x rm`.
fn by_fd(command: &Found, places: &Places) -> Option<Danger> {
    let Search { starts, has_test, program } = Search::of(&command.words);
    if !program.iter().take(4).any(|word| is_removal(word)) {
        return None;
    }
    let place = protected_among(starts.iter(), has_test, command, places)?;
    Some(Danger::new(Effect::Removal, &format!("remove what is below {place}")))
}

/// Returns what `find` goes through that is protected, if its tests leave enough of it.
pub(super) fn protected_start(command: &Found, places: &Places) -> Option<String> {
    let texts = texts(&command.words);
    let mut starts =
        command.words[1..].iter().take_while(|field| !field.text.starts_with(['-', '(', '!'])).peekable();
    let has_test = texts.iter().any(|text| is_test_of_find(text));
    let here = Field::of(".");
    let all: Vec<&Field> = if starts.peek().is_none() { vec![&here] } else { starts.collect() };
    protected_among(all.into_iter(), has_test, command, places)
}

/// Returns the protected one among the starts of a search, if its tests leave enough of it.
fn protected_among<'a>(
    mut starts: impl Iterator<Item = &'a Field>,
    has_test: bool,
    command: &Found,
    places: &Places,
) -> Option<String> {
    starts.find_map(|field| {
        let place = places.protected(field, command)?;
        // A test leaves some files: that is no great harm below a directory, but is in the whole file system.
        let is_everywhere = place.starts_with("the root of the file system");
        (!has_test || is_everywhere).then_some(place)
    })
}

/// Returns the harm of `git clean` in a directory outside of the project.
fn by_git(command: &Found, places: &Places) -> Option<Danger> {
    let words = &command.words;
    let at = git_subcommand(words);
    let subcommand = words.get(at)?.text.as_str();
    if subcommand != "clean"
        || !has_option(&words[at..], 'f', "force")
        || has_option(&words[at..], 'n', "dry-run")
    {
        return None;
    }
    let mut directory = command.directory.clone();
    for (index, field) in words[..at].iter().enumerate() {
        let value = match field.text.as_str() {
            "-C" | "--work-tree" => words.get(index + 1).map(|field| field.text.as_str()),
            text => text.strip_prefix("--work-tree="),
        };
        if let Some(value) = value {
            directory = resolve(directory.as_deref(), value);
        }
    }
    let directory = directory?;
    if places.is_inside_root(&directory) {
        return None;
    }
    Some(Danger::new(Effect::Removal, &format!("remove files in {directory}, outside of the project")))
}
