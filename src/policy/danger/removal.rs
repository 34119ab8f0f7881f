//! The removal of protected paths, with everything below them.

use super::arguments::{has_option, operands, texts};
use super::copy::Copy;
use super::places::{Place, Places};
use crate::policy::commands::{ExpandedCommand, Field, git_subcommand, runs_program};
use crate::policy::decision::{Danger, Effect};
use crate::policy::globs::glob_matches;
use crate::policy::paths::resolve;

pub(super) fn find(name: &str, command: &ExpandedCommand, places: &Places) -> Option<Danger> {
    let words = &command.words;
    match name {
        "rm" | "grm" | "srm" | "rimraf" | "trash" | "trash-put" | "del-cli" => {
            let is_recursive = name == "rimraf"
                || name == "srm"
                || name.starts_with("trash")
                || has_option(words, 'r', "recursive")
                || has_option(words, 'R', "recursive")
                || has_option(words, '\0', "no-preserve-root");
            if let Some(place) = fed_by_find(command, places) {
                return Some(Danger::new(Effect::Removal, &format!("remove what is below {place}")));
            }
            // Without `-r`, a path is a file.
            if is_recursive {
                operands(words).find_map(|field| removes(field, command, places))
            } else {
                None
            }
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

fn removes(field: &Field, command: &ExpandedCommand, places: &Places) -> Option<Danger> {
    if let Some(place) = places.protected(field, command) {
        return Some(Danger::new(Effect::Removal, &format!("remove {place}")));
    }
    let danger = || Danger::new(Effect::Removal, &format!("remove {}", Place::Root));
    Places::may_be_root(field).then(|| Danger { is_possible: true, ..danger() })
}

/// Returns the protected path whose files `find` passes to a command through `xargs`: `find / | xargs rm`.
fn fed_by_find(command: &ExpandedCommand, places: &Places) -> Option<Place> {
    let commands = &places.found.commands;
    let (parent, _) = command.parent?;
    let runner =
        commands.get(parent).filter(|found| matches!(found.base_name(), Some("xargs" | "parallel")))?;
    let feeder = commands.get(runner.input.feeder?)?;
    matches!(feeder.base_name(), Some("find" | "gfind")).then(|| protected_start(feeder, places)).flatten()
}

/// Returns the harm of moving a protected path away.
fn by_move(command: &ExpandedCommand, places: &Places) -> Option<Danger> {
    let copy = Copy::of(&command.words)?;
    copy.sources.into_iter().find_map(|field| {
        // `mv ./*` into another directory moves the files, and loses none. The glob may be the value of a
        // loop's variable.
        let is_content = field
            .texts()
            .iter()
            .any(|text| text.contains('*') && !text.starts_with(['/', '~']) && !text.contains(".."));
        if is_content && copy.target != "/dev/null" { None } else { removes(field, command, places) }
    })
}

fn by_find(command: &ExpandedCommand, places: &Places) -> Option<Danger> {
    let texts = texts(&command.words);
    let removes_by_program = texts.iter().enumerate().any(|(index, text)| {
        runs_program(text) && texts[index + 1..].iter().take(4).any(|word| is_removal(word))
    });
    if !texts.contains(&"-delete") && !removes_by_program {
        return None;
    }
    let place = protected_start(command, places)?;
    Some(Danger::new(Effect::Removal, &format!("remove what is below {place}")))
}

/// Returns whether a word of the command that `find` runs is a program that removes the file, or a command
/// line with one.
fn is_removal(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    matches!(name, "rm" | "unlink" | "shred" | "srm" | "rmdir" | "truncate" | "mv")
        || word.contains("rm -")
        || word.contains("rm \"")
        || word.contains("shred ")
}

/// Returns the harm of `fd . path -x rm`. A pattern or another option leaves some files.
fn by_fd(command: &ExpandedCommand, places: &Places) -> Option<Danger> {
    let runs = |field: &Field| matches!(field.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
    let at = command.words.iter().position(runs)?;
    if !command.words[at + 1..].iter().take(4).any(|field| is_removal(&field.text)) {
        return None;
    }
    let (options, operands): (Vec<&Field>, Vec<&Field>) =
        command.words[1..at].iter().partition(|field| field.text.starts_with('-'));
    let here = Field::of(".");
    let (pattern, starts) = operands.split_first().map_or(("", &[][..]), |(first, rest)| (&first.text, rest));
    let is_flag = |field: &&Field| {
        matches!(field.text.as_str(), "-H" | "-I" | "-u" | "-a" | "--hidden" | "--no-ignore")
    };
    let has_test = !matches!(pattern, "" | "." | "^" | ".*" | "*") || !options.iter().all(is_flag);
    let starts = if starts.is_empty() { vec![&here] } else { starts.to_vec() };
    let place = protected_among(starts.into_iter(), has_test, command, places)?;
    Some(Danger::new(Effect::Removal, &format!("remove what is below {place}")))
}

/// Returns the protected path that `find` walks through, if its tests match enough of the files.
pub(super) fn protected_start(command: &ExpandedCommand, places: &Places) -> Option<Place> {
    let texts = texts(&command.words);
    let mut starts =
        command.words[1..].iter().take_while(|field| !field.text.starts_with(['-', '(', '!'])).peekable();
    let has_test = command.words.windows(2).any(|pair| leaves_files(&pair[0].text, &pair[1].text))
        || texts.iter().any(|text| matches!(*text, "-empty" | "-nouser" | "-nogroup" | "-executable"));
    let here = Field::of(".");
    let all: Vec<&Field> = if starts.peek().is_none() { vec![&here] } else { starts.collect() };
    protected_among(all.into_iter(), has_test, command, places)
}

/// Tests of `find` with a value.
const FIND_TESTS: [&str; 24] = [
    "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-mtime", "-mmin", "-atime",
    "-amin", "-ctime", "-cmin", "-newer", "-size", "-user", "-group", "-perm", "-lname", "-inum", "-links",
    "-samefile", "-newermt", "-xtype",
];

/// Returns whether a test of `find` leaves some files: `-name '*.o'`, and not `-name '*'`.
fn leaves_files(test: &str, value: &str) -> bool {
    FIND_TESTS.contains(&test)
        && !(matches!(test, "-name" | "-iname" | "-path" | "-ipath") && glob_matches(value, "\u{1}"))
}

/// Returns the first protected path among the starts of a search, if the tests match enough of the files.
fn protected_among<'a>(
    mut starts: impl Iterator<Item = &'a Field>,
    has_test: bool,
    command: &ExpandedCommand,
    places: &Places,
) -> Option<Place> {
    starts.find_map(|field| {
        let place = places.protected(field, command)?;
        // A test leaves some files. Below a directory that is no great harm, but in the whole file system it
        // is.
        let is_everywhere = place == Place::Root;
        (!has_test || is_everywhere).then_some(place)
    })
}

/// Returns the harm of `git clean` in a directory outside of the project.
fn by_git(command: &ExpandedCommand, places: &Places) -> Option<Danger> {
    let words = &command.words;
    let at = git_subcommand(words);
    let subcommand = words.get(at)?.text.as_str();
    if subcommand != "clean"
        || !has_option(&words[at..], 'f', "force")
        || has_option(&words[at..], 'n', "dry-run")
    {
        return None;
    }
    let mut directory = command.likely_directory().map(str::to_owned);
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
