//! The mode `ReadOnly`: allows a command line of which every simple command is a known query with known arguments.
//!
//! `programs` checks the arguments of a program by a `table`, `git` those of git. [`hardening`] keeps git's own settings
//! from running programs. Rules have no part in it.

mod git;
pub mod hardening;
mod programs;
mod table;

use super::commands::{Field, Findings, Found, PROCESS_FILE, Redirect, Trust, UNKNOWN, variants};
use super::danger;
use super::decision::{Code, DENIED, Decision, Judged, Verdict};
use super::judge::judged;
use super::lists::OnDanger;
use super::request::Request;
use crate::syntax::tree::Mode;

/// Decides on a command line that may only read.
pub(super) fn decide(found: &Findings, request: &Request) -> Decision {
    let commands: Vec<Judged> = found.commands.iter().map(|command| judge(command, found, request)).collect();
    let dangerous =
        if request.policy.dangerous == OnDanger::Ignore { None } else { danger::find(found, request) };
    let looks_outside = found
        .paths
        .iter()
        .find(|(field, directories)| !is_known(field) || !path_is_inside(&field.text, directories, request));
    let refused = commands.iter().find(|command| command.verdict != Verdict::Allow);
    let (verdict, code, reason) = match (&dangerous, refused) {
        (Some(danger), _) => (Verdict::Deny, Code::Dangerous, danger.reason()),
        (None, Some(command)) => {
            let name = command.name.as_deref().unwrap_or("a command");
            (Verdict::Deny, Code::Denied, format!("{DENIED}: `{name}` does more than read: {}", command.why))
        }
        (None, None) if looks_outside.is_some() => {
            let path = looks_outside.map_or_else(String::new, |(field, _)| field.shown());
            (Verdict::Deny, Code::Denied, format!("{path} is not known to be in the root"))
        }
        (None, None) if commands.is_empty() && found.paths.is_empty() => {
            (Verdict::Deny, Code::Denied, "There is no command".to_owned())
        }
        (None, None) => (Verdict::Allow, Code::Allowed, "Every command only reads".to_owned()),
    };
    Decision { verdict, code, reason, commands, dangerous, suggestions: Vec::new() }
}

fn judge(command: &Found, found: &Findings, request: &Request) -> Judged {
    match refusal(command, found, request, false) {
        None => judged(command, Verdict::Allow, None, "it only reads".to_owned()),
        Some(why) => judged(command, Verdict::Deny, None, why),
    }
}

/// Returns whether a command is a known query with known arguments, in the root.
///
/// A redirection that writes does not count: it is judged elsewhere.
pub(super) fn is_query(command: &Found, found: &Findings, request: &Request) -> bool {
    refusal(command, found, request, true).is_none()
}

/// Returns whether a program only reads, with all options that the table has.
pub(super) fn is_query_program(name: &str) -> bool {
    programs::is_plain(name)
}

/// Returns why a command may do more than read. `may_write` passes over redirections that write, which are judged elsewhere.
fn refusal(command: &Found, found: &Findings, request: &Request, may_write: bool) -> Option<String> {
    let splits_input = command.name() == Some("read");
    let is_harmless = |name: &String| is_harmless_variable(name) || splits_input && name == "IFS";
    if !command.assignments.iter().all(|(name, _)| is_harmless(name)) {
        return Some("it sets a variable".to_owned());
    }
    if !command.obstacles.is_empty() {
        return Some("it can run other programs".to_owned());
    }
    let writes = |mode| matches!(mode, Mode::Write | Mode::Append | Mode::DuplicateOutput);
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
    if name.contains('/') {
        return Some("it is named by a path".to_owned());
    }
    if command.is_function {
        return Some("it is a function".to_owned());
    }
    if name == "xargs" && reads_arguments(options_of(command, found)) {
        return Some("it reads its arguments from a file".to_owned());
    }
    if is_wrapper(name, command) {
        let is_harmless = name != "nohup" && has_inner(command, found);
        return (!is_harmless).then(|| "it is no known query".to_owned());
    }
    if command.trust.is_some() {
        return Some("it runs other commands".to_owned());
    }
    refusal_of_arguments(name, command, request)
}

/// Returns whether a command does nothing but run another one, which is judged on its own.
fn is_wrapper(name: &str, command: &Found) -> bool {
    command.trust == Some(Trust::Transparent)
        && matches!(name, "timeout" | "nice" | "nohup" | "time" | "xargs" | "command" | "builtin")
}

/// Returns the words of a wrapper before the command that it runs.
fn options_of<'a>(command: &'a Found, found: &Findings) -> &'a [Field] {
    let index = found.commands.iter().position(|other| std::ptr::eq(other, command));
    let starts = found.commands.iter().filter_map(|inner| inner.parent);
    let mut own = starts.filter(|(parent, _)| Some(*parent) == index).filter_map(|(_, start)| start);
    &command.words[..own.next().unwrap_or(command.words.len())]
}

/// Returns whether `xargs` reads arguments from a file, which the command may print: `xargs -a file echo`.
fn reads_arguments(words: &[Field]) -> bool {
    words.iter().skip(1).any(|field| match field.text.strip_prefix("--") {
        Some(long) => long.starts_with('a'),
        None => field.text.starts_with('-') && field.text.contains('a'),
    })
}

fn has_inner(command: &Found, found: &Findings) -> bool {
    let index = found.commands.iter().position(|other| std::ptr::eq(other, command));
    found.commands.iter().any(|inner| inner.parent.is_some_and(|(parent, _)| Some(parent) == index))
}

/// Returns why the arguments of a command may make it do more than read, with any of their possible values: those of a loop.
fn refusal_of_arguments(name: &str, command: &Found, request: &Request) -> Option<String> {
    let is_one_of = |field: &Field| !field.is_many && field.values.is_complete && !is_known(field);
    let variants = variants(&command.words, is_one_of);
    // The options of git depend on its subcommand, which has to be one.
    if variants.is_empty() || name == "git" {
        return refusal_of_known(name, command, request);
    }
    variants
        .into_iter()
        .find_map(|words| refusal_of_known(name, &Found { words, ..command.clone() }, request))
}

fn refusal_of_known(name: &str, command: &Found, request: &Request) -> Option<String> {
    let only_prints = prints_arguments(name);
    let relevant = if name == "printf" {
        1..2
    } else if only_prints {
        1..1
    } else {
        1..command.words.len()
    };
    if let Some(field) = command.words.get(relevant).into_iter().flatten().find(|field| !is_known(field)) {
        return Some(format!("an argument is not known before it runs ({})", field.shown()));
    }
    let reads_path = |path: &str| path_is_inside(path, &command.directories, request);
    let words: Vec<&str> = command.words.iter().map(|field| field.text.as_str()).collect();
    if let Some(field) = command.words[1..]
        .iter()
        .find(|field| field.has_glob && glob_may_be_option(field) && programs::has_harmful_options(name))
    {
        return Some(format!("a file's name could be taken for an option ({})", field.shown()));
    }
    if only_prints
        && let Some(field) =
            command.words[1..].iter().find(|field| field.has_glob && !reads_path(&field.text))
    {
        return Some(format!("{} is outside of the root", field.shown()));
    }
    if name == "git" {
        git::refusal(&words, &reads_path).or_else(|| hardening::refusal(command))
    } else {
        programs::refusal(name, &words, &reads_path)
    }
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

/// Returns whether a program prints its arguments and opens no files. The arguments need not be known then, but for the format of
/// `printf`.
fn prints_arguments(name: &str) -> bool {
    matches!(name, "echo" | "printf" | "true" | "false" | ":" | "basename" | "dirname")
}

/// Returns whether a field is known; a glob is, as its directory is known.
fn is_known(field: &Field) -> bool {
    !field.is_many && !field.text.contains(UNKNOWN)
}

fn glob_may_be_option(field: &Field) -> bool {
    field.text.starts_with(['*', '?', '['])
}

fn redirect_reads(redirect: &Redirect, command: &Found, request: &Request) -> bool {
    let target = redirect.target.text.as_str();
    match redirect.mode {
        Mode::HereDocument | Mode::HereString => true,
        Mode::DuplicateOutput | Mode::DuplicateInput => {
            target.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
        }
        Mode::Read => {
            is_known(&redirect.target)
                && (target == "/dev/null" || path_is_inside(target, &command.directories, request))
        }
        Mode::Write | Mode::Append => matches!(target, "/dev/null" | "/dev/stdout" | "/dev/stderr"),
        Mode::ReadWrite => false,
    }
}

/// Returns whether a path lies in the root, by real path, from each of the directories. For a glob, the directory before it decides,
/// and `..` must not follow.
fn path_is_inside(path: &str, directories: &[Option<String>], request: &Request) -> bool {
    // The commands of `<(…)` are judged themselves.
    if matches!(path, "/dev/null" | "/dev/stdin" | "-" | PROCESS_FILE) {
        return true;
    }
    let glob = path.find(['*', '?', '[']).unwrap_or(path.len());
    let (before, behind) = path.split_at(glob);
    if behind.split('/').any(|part| part == "..") {
        return false;
    }
    let before =
        if behind.is_empty() { before } else { &before[..before.rfind('/').map_or(0, |slash| slash + 1)] };
    directories.iter().all(|directory| request.is_inside_root(before, directory.as_deref()))
}
