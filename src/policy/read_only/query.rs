//! Decides whether a command is a known query: a program that only reads, with known arguments, in the root.

use std::borrow::Cow;

use super::arguments;
use super::hardening::harden_of;
use crate::policy::commands::{
    Analysis, ExpandedCommand, Field, OptionWord, PROCESS_FILE, Redirect, Trust, UNKNOWN, variants,
};
use crate::policy::paths::PathStyle;
use crate::policy::programs::Program;
use crate::policy::request::PolicyRequest;
use crate::syntax::tree::RedirectMode;

/// Returns whether a command is a known query with known arguments, in the root.
///
/// Redirections that write don't count: they are judged elsewhere.
pub(in crate::policy) fn is_query(
    command: &ExpandedCommand,
    found: &Analysis,
    request: &PolicyRequest,
) -> bool {
    refusal(command, found, request, true).is_none()
}

/// Returns whether a program only reads, with any option of the table.
pub(in crate::policy) fn is_query_program(name: &str) -> bool {
    arguments::is_plain(name)
}

/// Returns why a command may do more than read. With `may_write`, ignores redirections that write, which are
/// judged elsewhere.
pub(super) fn refusal(
    command: &ExpandedCommand,
    found: &Analysis,
    request: &PolicyRequest,
    may_write: bool,
) -> Option<String> {
    let splits_input = command.name() == Some("read");
    let is_harmless = |name: &String| is_harmless_variable(name) || splits_input && name == "IFS";
    if !command.assignments.iter().all(|(name, _)| is_harmless(name)) {
        return Some("it sets a variable".to_owned());
    }
    if !command.obstacles.is_empty() {
        return Some("it can run other programs".to_owned());
    }
    let writes =
        |mode| matches!(mode, RedirectMode::Write | RedirectMode::Append | RedirectMode::DuplicateOutput);
    let mut redirections =
        command.redirections.iter().filter(|redirect| !(may_write && writes(redirect.mode)));
    if let Some(redirect) = redirections.find(|redirect| !redirect_reads(redirect, command, request)) {
        return Some(format!("it writes, or reads outside of the root ({})", redirect.target.shown()));
    }
    if command.words.is_empty() {
        return if command.redirections.is_empty() {
            Some("it only sets variables".to_owned())
        } else {
            None
        };
    }
    let Some(name) = command.words[0].literal() else { return Some("its name is not known".to_owned()) };
    if name.contains('/') || command.style == PathStyle::Windows && name.contains(':') {
        return Some("it is named by a path".to_owned());
    }
    if command.is_function {
        return Some("it is a function".to_owned());
    }
    if name == "xargs" && reads_arguments(options_of(command, found)) {
        return Some("it reads its arguments from a file".to_owned());
    }
    if is_wrapper(name, command) {
        return (!has_inner(command, found)).then(|| "it is no known query".to_owned());
    }
    if command.trust.is_some() {
        return Some("it runs other commands".to_owned());
    }
    refusal_of_arguments(name, command, request)
}

/// Returns whether a command only runs another one, which is judged separately.
fn is_wrapper(name: &str, command: &ExpandedCommand) -> bool {
    command.trust == Some(Trust::Transparent)
        && Program::of(name).is_some_and(|program| program.wraps_queries)
}

/// Returns the words of a wrapper before the command that it runs.
fn options_of<'a>(command: &'a ExpandedCommand, found: &Analysis) -> &'a [Field] {
    let index = found.commands.iter().position(|other| std::ptr::eq(other, command));
    let starts = found.commands.iter().filter_map(|inner| inner.parent);
    let mut own = starts.filter(|(parent, _)| Some(*parent) == index).filter_map(|(_, start)| start);
    &command.words[..own.next().unwrap_or(command.words.len())]
}

/// Returns whether `xargs` reads arguments from a file, which the command may print: `xargs -a file echo`.
fn reads_arguments(words: &[Field]) -> bool {
    words.iter().skip(1).filter_map(|field| OptionWord::of(&field.text)).any(|option| match option {
        OptionWord::Long(name, _) => name.starts_with('a'),
        OptionWord::Short(letters) => letters.contains('a'),
    })
}

fn has_inner(command: &ExpandedCommand, found: &Analysis) -> bool {
    let index = found.commands.iter().position(|other| std::ptr::eq(other, command));
    found.commands.iter().any(|inner| inner.parent.is_some_and(|(parent, _)| Some(parent) == index))
}

/// Returns why the arguments of a command may make it do more than read, with any of their possible values,
/// as in a loop.
fn refusal_of_arguments(name: &str, command: &ExpandedCommand, request: &PolicyRequest) -> Option<String> {
    let is_one_of = |field: &Field| !field.is_many && field.values.is_complete && !is_known(field);
    let variants = variants(&command.words, is_one_of);
    // The inserted options depend on the words, so these must be known.
    if variants.is_empty() || harden_of(command).is_some() {
        return refusal_of_known(name, command, request);
    }
    variants
        .into_iter()
        .find_map(|words| refusal_of_known(name, &ExpandedCommand { words, ..command.clone() }, request))
}

fn refusal_of_known(name: &str, command: &ExpandedCommand, request: &PolicyRequest) -> Option<String> {
    let known = arguments::known_arguments(name);
    let relevant = 1..known.map_or(command.words.len(), |known| known + 1);
    if let Some(field) = command.words.get(relevant).into_iter().flatten().find(|field| !is_known(field)) {
        return Some(format!("an argument is not known before it runs ({})", field.shown()));
    }
    let reads_path = |path: &str| path_is_inside(path, &command.directories, request);
    let paths: Vec<Cow<str>> = command.words.iter().map(|field| argument(&field.text, command)).collect();
    let words: Vec<&str> = paths.iter().map(AsRef::as_ref).collect();
    if let Some(field) = command.words[1..]
        .iter()
        .find(|field| field.has_glob && glob_may_be_option(field) && arguments::has_harmful_options(name))
    {
        return Some(format!("a file's name could be taken for an option ({})", field.shown()));
    }
    if known.is_some()
        && let Some(field) =
            command.words[1..].iter().find(|field| field.has_glob && !reads_path(&field.text))
    {
        return Some(format!("{} is outside of the root", field.shown()));
    }
    arguments::refusal(name, &words, &reads_path).or_else(|| refusal_to_harden(command))
}

/// Returns an argument of a program: on Windows, a path with a drive or a backslash in its one form, by which
/// checks find paths that lead out of the root.
fn argument<'a>(text: &'a str, command: &ExpandedCommand) -> Cow<'a, str> {
    let is_native = text.contains('\\') || PathStyle::of(text) == PathStyle::Windows;
    if command.style == PathStyle::Windows && is_native && !text.starts_with('-') {
        return command.style.plain(text, command.likely_directory());
    }
    text.into()
}

/// Returns why a query can't get the options that keep it from running programs.
fn refusal_to_harden(command: &ExpandedCommand) -> Option<String> {
    let harden = harden_of(command)?;
    if command.directories.iter().any(Option::is_none) {
        return Some("its directory is not known".to_owned());
    }
    let has_place = harden(command, &[]).is_some();
    (!has_place)
        .then(|| "it stands in the command line in a way that leaves no place for its options".to_owned())
}

fn is_harmless_variable(name: &str) -> bool {
    matches!(
        name,
        "LC_ALL"
            | "LANG"
            | "LC_COLLATE"
            | "LC_CTYPE"
            | "TZ"
            | "NO_COLOR"
            | "FORCE_COLOR"
            | "COLUMNS"
            | "CLICOLOR"
    )
}

/// Returns whether a field is known. A glob counts as known, because its directory is known.
pub(super) fn is_known(field: &Field) -> bool {
    !field.is_many && !field.text.contains(UNKNOWN)
}

fn glob_may_be_option(field: &Field) -> bool {
    field.text.starts_with(['*', '?', '['])
}

fn redirect_reads(redirect: &Redirect, command: &ExpandedCommand, request: &PolicyRequest) -> bool {
    let target = redirect.target.text.as_str();
    match redirect.mode {
        RedirectMode::HereDocument | RedirectMode::HereString => true,
        RedirectMode::DuplicateOutput | RedirectMode::DuplicateInput => {
            target.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
        }
        RedirectMode::Read => {
            is_known(&redirect.target)
                && (target == "/dev/null" || path_is_inside(target, &command.directories, request))
        }
        RedirectMode::Write | RedirectMode::Append => {
            matches!(target, "/dev/null" | "/dev/stdout" | "/dev/stderr")
        }
        RedirectMode::ReadWrite => false,
    }
}

/// Returns whether a path lies in the root, by real path, from each of the directories.
///
/// For a glob, the directory before it decides, and `..` must not follow.
pub(super) fn path_is_inside(path: &str, directories: &[Option<String>], request: &PolicyRequest) -> bool {
    // The commands of `<(…)` are judged separately.
    if matches!(path, "/dev/null" | "/dev/stdin" | "-" | PROCESS_FILE) {
        return true;
    }
    directories.iter().all(|directory| {
        let path = request.path_of(path, directory.as_deref());
        let glob = path.find(['*', '?', '[']).unwrap_or(path.len());
        let (before, behind) = path.split_at(glob);
        let end = before.rfind('/').filter(|_| !behind.is_empty()).map_or(0, |slash| slash + 1);
        let before = if behind.is_empty() { before } else { &before[..end] };
        !behind.split('/').any(|part| part == "..") && request.is_inside_root(before, directory.as_deref())
    })
}
