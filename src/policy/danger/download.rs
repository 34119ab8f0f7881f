//! Code that nobody has read before it runs: downloads, and encoded text.

use super::protected::ProtectedPaths;
use crate::policy::commands::{
    ExpandedCommand, Field, Origin, base_name, download_targets, is_network, is_shell, only_checks,
};
use crate::policy::decision::{Danger, Effect};
use crate::policy::paths::PathStyle;
use crate::policy::programs::{Language, Program, is_interpreter};
use crate::policy::windows::program_name;

/// Options of interpreters that code follows.
const CODE_OPTIONS: [&str; 7] = ["-c", "-e", "--eval", "-r", "-p", "-E", "--print"];

/// The base of relative paths in an unknown directory: all commands of one command line share it.
const UNKNOWN_DIRECTORY: &str = "/?";

/// The files that the commands so far have downloaded.
#[derive(Debug, Default)]
pub(super) struct Downloads {
    /// The files, each with the base of a relative path.
    files: Vec<(String, Option<String>)>,
}

impl Downloads {
    pub(super) fn add(&mut self, command: &ExpandedCommand) {
        let targets = download_targets(command).into_iter();
        self.files.extend(targets.map(|file| (file, command.likely_directory().map(str::to_owned))));
    }

    /// Returns whether the script that a command runs, given by its path, was downloaded.
    fn has(&self, script: &str, command: &ExpandedCommand) -> bool {
        // The name of a program has no ending on Windows.
        let bare = |path: &str| match command.style {
            PathStyle::Unix => path.to_owned(),
            PathStyle::Windows => program_name(path),
        };
        let path_of = |file: &str, directory: Option<&str>| {
            command.style.resolve(directory.or(Some(UNKNOWN_DIRECTORY)), file).map(|path| bare(&path))
        };
        let Some(path) = path_of(script, command.likely_directory()) else { return false };
        self.files.iter().any(|(file, directory)| match file.strip_prefix("*/") {
            Some(name) => base_name(&path) == bare(name),
            None => path_of(file, directory.as_deref()).as_ref() == Some(&path),
        })
    }
}

/// Returns the harm of a command after others that have downloaded files.
pub(super) fn find(
    command: &ExpandedCommand,
    downloads: &Downloads,
    paths: &ProtectedPaths,
) -> Option<Danger> {
    let unseen = || Some(Danger::new(Effect::Download, "run a download that nobody has seen"));
    let name = command.base_name().unwrap_or_default();
    if download_targets(command).iter().any(|file| paths.is_start_file(file, command)) {
        return Some(Danger::new(
            Effect::Download,
            "make each new shell run a download that nobody has seen",
        ));
    }
    if only_checks(name, &command.words) {
        return None;
    }
    let runs_input = command.words.is_empty() && command.runs_unknown_code() || reads_code(name, command);
    match command.input.origin {
        Origin::Network if runs_input => return unseen(),
        Origin::Decoder if runs_input => {
            return Some(Danger::new(Effect::Download, "run text that was made unreadable"));
        }
        _ => {}
    }
    // The output of a download is the name of the command, as in `$(curl …)`.
    if command.words.first().is_some_and(|field| field.is_downloaded)
        || has_downloaded_code(name, &command.words)
    {
        return unseen();
    }
    let is_remote =
        is_shell(name) && command.redirections.iter().any(|redirect| is_network(&redirect.target.text));
    if is_remote {
        return Some(Danger::new(Effect::Download, "let another machine control a shell"));
    }
    let runs_file = script_of(command, name).is_some_and(|script| downloads.has(script, command));
    if runs_file { unseen() } else { None }
}

/// Returns whether a program runs its standard input as code.
pub(super) fn reads_code(name: &str, command: &ExpandedCommand) -> bool {
    let arguments = || command.words.iter().skip(1).map(|field| field.text.as_str());
    let operand = arguments().find(|text| !text.starts_with('-') || *text == "-");
    let is_input = operand.is_none_or(|path| matches!(path, "-" | "/dev/stdin" | "/dev/fd/0"));
    let has_letter = |letters: &[char]| {
        arguments().any(|text| text.starts_with('-') && !text.starts_with("--") && text.contains(letters))
    };
    let only_tells = arguments().any(|text| matches!(text, "--version" | "--help" | "-V"));
    if is_shell(name) {
        let checks = matches!(name, "fish" | "csh" | "tcsh") && has_letter(&['n']);
        return (is_input || has_letter(&['s'])) && !has_letter(&['c']) && !only_tells && !checks;
    }
    let language = command.program().and_then(|program| program.language);
    if language == Some(Language::Rules) {
        let names_input =
            |text: &str| text.ends_with("/dev/stdin") || text == "-" || text.ends_with("=-") || text == "-f-";
        return command.runs_unknown_code() && arguments().any(names_input);
    }
    if language == Some(Language::Interactive) {
        return operand.is_none() && !only_tells && !has_letter(&['e']);
    }
    // Options with code, and options that pass the input through: `perl -ne`.
    let has_code = arguments().any(|text| {
        CODE_OPTIONS.contains(&text)
            || text == "-m"
            || ["-n", "-p", "-l", "-a"].iter().any(|option| text.starts_with(option))
    });
    let is_script =
        Program::of_any_version(name).and_then(|program| program.language) == Some(Language::Script);
    is_script && is_input && !has_code && !only_tells
}

/// Returns the script that a command runs: that of a shell or an interpreter, or a program named by a path.
fn script_of<'a>(command: &'a ExpandedCommand, name: &str) -> Option<&'a str> {
    let is_runner = is_shell(name) || is_interpreter(name) || matches!(name, "source" | ".");
    let first = command.words.first()?;
    let script = if is_runner && !has_code_option(&command.words) {
        command.words.iter().skip(1).find(|field| !field.text.starts_with('-'))?
    } else if !is_runner && first.text.contains('/') {
        first
    } else {
        return None;
    };
    Some(&script.text)
}

fn has_code_option(words: &[Field]) -> bool {
    words.iter().skip(1).any(|field| CODE_OPTIONS.contains(&field.text.as_str()))
}

/// Returns whether code on the command line of an interpreter, or its script, comes from a download.
fn has_downloaded_code(name: &str, words: &[Field]) -> bool {
    let is_code = |pair: &[Field]| CODE_OPTIONS.contains(&pair[0].text.as_str()) && pair[1].is_downloaded;
    let is_script = |field: &Field| field.is_downloaded && field.text.starts_with("/dev/fd/");
    is_interpreter(name) && (words.windows(2).any(is_code) || words.iter().any(is_script))
}
