//! The texts of files that the command line writes, for the shells that run them later.

use crate::policy::commands::copy::Copy;
use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::commands::found::{Found, base_name};
use crate::policy::commands::inner::{Inner, is_shell, script_of};
use crate::policy::commands::substitution::printed_text;
use crate::policy::syntax::tree::Mode;

use super::descriptors::number_of;
use super::resolve_in;
use crate::policy::commands::walk::walker::Walker;

impl Walker {
    /// Notes the texts of the files that the command at `at` writes, where it prints a text that is known or copies one.
    pub(in crate::policy::commands::walk) fn note_contents(&mut self, at: usize) {
        for (file, text, is_append) in self.written_texts(&self.findings.commands[at]) {
            if self.scope.spend(file.len() + text.len()) {
                if is_append {
                    self.contents.append(&file, &text);
                } else {
                    self.contents.write(&file, &text);
                }
            }
        }
    }

    /// Returns the paths that a command writes, each with its text and whether the file keeps what it holds.
    fn written_texts(&self, found: &Found) -> Vec<(String, String, bool)> {
        let path = |text: &str| key(found.directory.as_deref(), text);
        let targets = found.redirections.iter().filter_map(|redirect| match redirect.mode {
            Mode::Write => Some((path(&redirect.target.text)?, false)),
            Mode::Append => Some((path(&redirect.target.text)?, true)),
            _ => None,
        });
        let operands = || found.words.iter().skip(1).filter(|field| !field.text.starts_with('-'));
        let (files, text): (Vec<(String, bool)>, Option<String>) = match found.base_name() {
            Some("tee" | "sponge") => {
                let appends = found.words.iter().any(|field| field.text == "-a" || field.text == "--append");
                let files = operands().filter_map(|field| Some((path(&field.text)?, appends)));
                (files.collect(), found.input.text.as_deref().map(str::to_owned))
            }
            Some("cp" | "mv" | "ln" | "install") => return self.copied_texts(found),
            Some(_) => {
                let targets: Vec<(String, bool)> = targets.collect();
                let is_file = !targets.is_empty();
                let text = is_file.then(|| printed_text(&found.words, &found.input, &self.scope)).flatten();
                (targets, text)
            }
            None => return Vec::new(),
        };
        let Some(text) = text else { return Vec::new() };
        files.into_iter().map(|(file, is_append)| (file, text.clone(), is_append)).collect()
    }

    fn copied_texts(&self, found: &Found) -> Vec<(String, String, bool)> {
        let directory = found.directory.as_deref();
        let Some(copy) = Copy::of(&found.words) else { return Vec::new() };
        let texts: Vec<String> =
            copy.sources.iter().flat_map(|source| self.content_of(directory, &source.text)).collect();
        let targets = copy.results().into_iter().filter_map(|target| key(directory, &target));
        targets.flat_map(|file| texts.iter().map(move |text| (file.clone(), text.clone(), false))).collect()
    }

    /// Returns the texts that a file probably holds.
    pub(in crate::policy::commands::walk) fn content_of(
        &self,
        directory: Option<&str>,
        path: &str,
    ) -> Vec<String> {
        if let Some(input) = number_of(path).and_then(|number| self.opened(number)) {
            return input.guesses.to_vec();
        }
        key(directory, path).map_or_else(Vec::new, |path| self.contents.of(&path))
    }

    /// Returns the texts that a command probably prints: those of the file that `cat` reads.
    pub(in crate::policy::commands::walk) fn printed_guesses(&self, found: &Found) -> Vec<String> {
        match (found.base_name(), found.words.as_slice()) {
            (Some("cat"), [_]) => found.input.guesses.to_vec(),
            (Some("cat"), [_, file]) => self.content_of(found.directory.as_deref(), &file.text),
            _ => Vec::new(),
        }
    }

    /// Returns the texts of the script that a shell runs, if commands before have written it.
    pub(in crate::policy::commands::walk) fn written_scripts(&self, words: &[Field]) -> Vec<Inner> {
        let Some(name) = words.first().and_then(Field::known) else { return Vec::new() };
        let Some(at) = script_of(name, words) else {
            return Vec::new();
        };
        let texts = self.content_of(self.scope.directory().as_deref(), &words[at].text);
        let is_read = |text: &String| at > 0 || is_of_shell(text);
        let positional = (!matches!(name, "source" | ".")).then(|| words[at..].to_vec());
        let script = |text| Inner::Script { text, positional: positional.clone() };
        texts.into_iter().filter(is_read).map(script).collect()
    }
}

/// Returns the path of a file. Nothing is known of the file in `echo x > "$file"; sh "$file"`, but that it is the same one.
fn key(directory: Option<&str>, path: &str) -> Option<String> {
    let is_any = !path.is_empty() && path.chars().all(|char| char == UNKNOWN);
    if is_any { Some(path.to_owned()) } else { resolve_in(directory, path) }
}

/// Returns whether a shell runs a script that starts by its path: its first line names no other program.
fn is_of_shell(text: &str) -> bool {
    let Some(line) = text.lines().next().and_then(|line| line.strip_prefix("#!")) else { return true };
    line.split_whitespace().any(|word| is_shell(base_name(word)))
}
