//! Files that the command line writes or downloads, to recognize the commands behind it that run or read them.
//!
//! `printed` knows what commands print, and which files get it. `scripts` knows the texts of written files, for the shells that
//! run them later, and `settings` those in which other programs find commands. `descriptors` knows what the numbered descriptors
//! read and write, `pipes` visits the readers of pipes again.

pub(super) mod descriptors;
mod pipes;
mod printed;
mod scripts;
mod settings;

use crate::policy::commands::copy::Copy;
use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::commands::flow::{download_targets, fetches};
use crate::policy::commands::found::{Found, base_name};
use crate::policy::commands::inner::{is_shell, only_checks, sources};
use crate::policy::commands::scope::{Scope, resolve};
use crate::policy::syntax::tree::Mode;

use self::descriptors::number_of;
use super::walker::Walker;

/// The mark among the written files for one of which the path is not known.
const UNKNOWN_FILE: &str = "?";

/// The mark among the downloaded files for a connection that `exec 3<>/dev/tcp/…` keeps open.
const OPEN_CONNECTION: &str = "&";

/// The mark for a directory that is not known: relative paths of one command line belong to the same one.
const UNKNOWN_DIRECTORY: &str = "/?";

impl Walker {
    /// Returns whether a command runs a file that commands before it have written: the content of the file is not judged.
    pub(super) fn runs_written_file(&self, found: &Found) -> bool {
        if self.scope.written.is_empty() {
            return false;
        }
        let Some(name) = found.name() else { return false };
        if only_checks(base_name(name), &found.words) {
            return false;
        }
        if takes_no_code(base_name(name)) && self.interprets_written_file(found).is_some() {
            return true;
        }
        let operands = if is_shell(base_name(name)) || matches!(name, "source" | ".") {
            found.words[1..].iter().filter(|field| !field.text.starts_with(['-', '+'])).collect()
        } else if name.contains('/') {
            vec![&found.words[0]]
        } else {
            // The shell finds a program by its name in the directories of PATH.
            let has_path = self.scope.has_set("PATH");
            return self.scope.written.iter().any(|file| {
                file.strip_suffix(name).and_then(|directory| directory.strip_suffix('/')).is_some_and(
                    |directory| has_path || directory.ends_with("/bin") || directory.ends_with("/sbin"),
                )
            });
        };
        operands.into_iter().any(|field| {
            let path = resolve_in(self.scope.directory().as_deref(), &field.text);
            let is_written = |written: &String| {
                written == UNKNOWN_FILE || path.as_ref().is_none_or(|path| may_be(written, path))
            };
            self.scope.written.iter().any(is_written)
        })
    }

    /// Returns the script of an interpreter, or the rules of another program, if commands before have written them.
    pub(super) fn interprets_written_file(&self, found: &Found) -> Option<String> {
        if self.scope.written.is_empty() {
            return None;
        }
        let here = self.scope.directory();
        let mut scripts = scripts_of(found.base_name()?, &found.words).into_iter();
        let is_written = |script: &Field| {
            resolve_in(here.as_deref(), &script.text)
                .is_some_and(|path| self.scope.written.iter().any(|written| may_be(written, &path)))
        };
        scripts.find(is_written).map(|script| script.shown())
    }

    /// Notes the files that the command at `at` writes.
    pub(super) fn note_written(&mut self, at: usize) {
        let found = &self.findings.commands[at];
        let path = |file: &str| resolve_in(found.directory.as_deref(), file);
        let paths = written_files(found)
            .into_iter()
            .map(|file| path(&file).unwrap_or_else(|| UNKNOWN_FILE.to_owned()));
        for file in paths.collect::<Vec<_>>() {
            if !self.scope.written.contains(&file) {
                self.scope.spend(file.len() + self.scope.written.len());
                self.scope.written.push(file);
            }
        }
    }

    /// Returns whether a path is that of a file that was downloaded.
    pub(super) fn is_download(&self, field: &Field) -> bool {
        if let Some(input) = number_of(&field.text).and_then(|number| self.opened(number)) {
            return input.is_downloaded;
        }
        if self.scope.downloads.is_empty() {
            return false;
        }
        let path = key(self.scope.directory().as_deref(), &field.text);
        path.is_some_and(|path| self.scope.downloads.contains(&path))
    }

    /// Returns whether a connection to the network is open as a descriptor of the shell.
    pub(super) fn has_open_connection(&self) -> bool {
        self.scope.downloads.iter().any(|file| file == OPEN_CONNECTION)
    }

    /// Notes the files that the command at `at` downloads, or copies from a download.
    pub(super) fn note_downloads(&mut self, at: usize) {
        let found = &self.findings.commands[at];
        if found.base_name() == Some("exec") && fetches(found) {
            self.scope.downloads.push(OPEN_CONNECTION.to_owned());
        }
        for file in downloaded_files(found, &self.scope) {
            self.scope.downloads.extend(key(found.directory.as_deref(), &file));
        }
    }
}

/// Returns whether a written file, or one of those that a glob stands for, may be the one at `path`.
fn may_be(written: &str, path: &str) -> bool {
    let is_mark = |char| matches!(char, '*' | '?' | '[' | ']');
    match (written.find(is_mark), written.rfind(is_mark)) {
        (Some(first), Some(last)) if path != written => {
            path.starts_with(&written[..first]) && path.ends_with(&written[last + 1..])
        }
        _ => written == path,
    }
}

/// Returns whether a rule for any arguments of an interpreter covers no code among them, so that a file may not bring it either.
fn takes_no_code(name: &str) -> bool {
    matches!(name, "make" | "gmake" | "awk" | "gawk" | "mawk" | "nawk")
}

/// Returns whether a program runs the script that its first operand names.
fn reads_scripts(name: &str) -> bool {
    let bare = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    matches!(
        bare,
        "python"
            | "pypy"
            | "perl"
            | "ruby"
            | "node"
            | "nodejs"
            | "deno"
            | "bun"
            | "php"
            | "lua"
            | "tclsh"
            | "Rscript"
            | "tsx"
            | "ts-node"
    )
}

/// Returns the files that a program reads as code: the script of an interpreter, the rules of `make`, the scripts of npm.
fn scripts_of(name: &str, words: &[Field]) -> Vec<Field> {
    let operand = || words.iter().skip(1).find(|field| !field.text.starts_with('-') && field.text != "run");
    let all = |names: &[&str]| names.iter().map(|name| Field::of(name)).collect();
    match name {
        "npm" | "pnpm" | "yarn" => {
            let subcommand = words
                .iter()
                .skip(1)
                .find(|field| !field.text.starts_with('-'))
                .map_or("", |field| &field.text);
            let runs = matches!(subcommand, "test" | "t" | "tst" | "run" | "run-script" | "start" | "stop");
            if runs { all(&["package.json", ".npmrc"]) } else { Vec::new() }
        }
        name if reads_scripts(name) => operand().cloned().into_iter().collect(),
        name => sources(name, words).0,
    }
}

/// Returns the files that a command writes, as they are named in it.
fn written_files(found: &Found) -> Vec<String> {
    let operands = || found.words.iter().skip(1).filter(|field| !field.text.starts_with('-'));
    let mut files: Vec<&str> = found
        .redirections
        .iter()
        .chain(&found.outputs)
        .filter(|redirect| writes(redirect.mode) && redirect.target.known() != Some("/dev/null"))
        .map(|redirect| redirect.target.text.as_str())
        .collect();
    let mut inside = Vec::new();
    match found.base_name() {
        Some("tee" | "sponge") => files.extend(operands().map(|field| field.text.as_str())),
        Some("dd") => files.extend(operands().filter_map(|field| field.text.strip_prefix("of="))),
        Some("sed" | "gsed" | "perl" | "ruby") if found.words[1..].iter().any(edits_in_place) => {
            files.extend(operands().map(|field| field.text.as_str()));
        }
        Some("cp" | "mv" | "ln" | "install") => {
            inside.extend(Copy::of(&found.words).iter().flat_map(Copy::results));
        }
        Some("gunzip" | "bunzip2" | "unxz" | "unzstd") => {
            files.extend(operands().filter_map(|field| Some(field.text.rsplit_once('.')?.0)));
        }
        Some("rsync" | "scp") => {
            let texts: Vec<&str> = operands().map(|field| field.text.as_str()).collect();
            if let Some((target, sources)) = texts.split_last() {
                files.push(target);
                // The target may be a directory.
                inside.extend(sources.iter().map(|source| format!("{target}/{}", base_name(source))));
            }
        }
        _ => {}
    }
    files.into_iter().map(str::to_owned).chain(inside).collect()
}

/// Returns whether an option of `sed` or `perl` makes it write its files: `-i`, `-i.bak`, `-ni`, `--in-place`.
fn edits_in_place(field: &Field) -> bool {
    match field.text.strip_prefix("--") {
        Some(long) => {
            let name = long.split('=').next().unwrap_or(long);
            !name.is_empty() && "in-place".starts_with(name)
        }
        None => field.text.starts_with('-') && field.text.contains('i'),
    }
}

/// Returns the files with downloaded content that a command leaves, as they are named in it.
fn downloaded_files(found: &Found, scope: &Scope) -> Vec<String> {
    let mut files = Vec::new();
    let texts: Vec<&str> = found.words.iter().map(|field| field.text.as_str()).collect();
    let is_download = |text: &str| {
        let file = text.strip_prefix("if=").unwrap_or(text);
        let path = key(found.directory.as_deref(), file);
        path.is_some_and(|path| scope.downloads.contains(&path))
    };
    // A command that reads a download writes downloads too.
    if found.input.is_downloaded
        || !scope.downloads.is_empty() && texts.iter().skip(1).any(|text| is_download(text))
    {
        files.extend(written_files(found));
    }
    match found.base_name() {
        Some("curl" | "wget" | "aria2c" | "http" | "fetch" | "axel") => {
            files.extend(download_targets(&texts));
        }
        Some("scp" | "rsync" | "gsutil" | "rclone") if texts.iter().any(|text| text.contains(':')) => {
            files.extend(texts.last().map(|text| (*text).to_owned()));
            if let Some((target, sources)) = texts.split_last() {
                let sources = sources.iter().filter_map(|text| text.split_once(':'));
                files.extend(sources.map(|(_, path)| format!("{target}/{}", base_name(path))));
            }
        }
        _ => {}
    }
    files
}

/// Returns the path of a file. Nothing is known of the file in `echo x > "$file"; sh "$file"`, but that it is the same one. `None`
/// for a file that holds nothing.
#[inline(never)]
pub(super) fn key(directory: Option<&str>, path: &str) -> Option<String> {
    if path.contains(UNKNOWN) {
        Some(path.to_owned())
    } else {
        resolve_in(directory, path).filter(|path| path != "/dev/null")
    }
}

#[inline(never)]
pub(super) fn resolve_in(directory: Option<&str>, path: &str) -> Option<String> {
    resolve(directory.or(Some(UNKNOWN_DIRECTORY)), path)
}

fn writes(mode: Mode) -> bool {
    matches!(mode, Mode::Write | Mode::Append | Mode::ReadWrite | Mode::DuplicateOutput)
}
