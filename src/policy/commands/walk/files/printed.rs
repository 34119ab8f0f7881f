//! Predicts the output of commands without running them, and notes the files that get it.

use std::rc::Rc;

use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::commands::flow::{decodes, disguises, fetches, listed_directory, paths_of};
use crate::policy::commands::found::{Found, Input};
use crate::policy::commands::predict::{filtered, is_filter, literals};
use crate::policy::commands::substitution::{output_of, printed_text};
use crate::policy::syntax::tree::Mode;

use super::descriptors::OUTPUT;
use super::writes;
use crate::policy::commands::walk::walker::Walker;

/// The work of reading the arguments of a filter, as counted by `Scope::spend`.
const FILTER_WORK: usize = 100;

impl Walker {
    /// Returns the output of the commands from `start` on as the input of another one. `is_simple` says whether the syntax tree
    /// has one simple command there, so that its text is certain.
    pub(in crate::policy::commands::walk) fn output_since(&self, start: usize, is_simple: bool) -> Input {
        let found = &self.findings.commands[start..];
        let names = || found.iter().filter_map(Found::base_name);
        let last = found.last();
        let text = last.filter(|_| is_simple && names().count() == 1).and_then(|found| {
            output_of(&found.words, &self.scope).map(Rc::from).or_else(|| {
                // `cat` without files prints its input.
                (found.base_name() == Some("cat") && found.words.len() == 1)
                    .then(|| found.input.text.clone())
                    .flatten()
            })
        });
        let is_given = text.is_none();
        let guesses = if is_given { self.printed_since(start) } else { Vec::new() };
        let names_files = last
            .is_some_and(|found| found.input.names_files || found.words.iter().any(|field| field.has_glob));
        let has_download = |found: &Found| {
            let is_download = |field: &Field| field.is_downloaded || self.is_download(field);
            fetches(found)
                || found.input.is_downloaded && is_given
                || found.words.iter().skip(1).any(is_download)
        };
        Input {
            is_given: true,
            is_shared: true,
            names_files,
            is_numeric: !self.prints_text,
            is_downloaded: self.input.is_downloaded && is_given || found.iter().any(has_download),
            listed: last.and_then(listed_directory).map(Rc::from),
            is_disguised: self.input.is_disguised && is_given || names().any(disguises),
            paths: last.map_or_else(Vec::new, |found| paths_of(found, text.as_deref())).into(),
            guesses: guesses.into(),
            text,
        }
    }

    /// Notes that another command or a file takes the output of the commands from `start` on.
    pub(in crate::policy::commands::walk) fn capture(&mut self, start: usize) {
        for found in &mut self.findings.commands[start..] {
            found.is_captured = true;
        }
    }

    /// Returns the texts that the commands from `start` on probably print: those of one command, or all of several in one text.
    pub(in crate::policy::commands::walk) fn printed_since(&self, start: usize) -> Vec<String> {
        let mut printing = self.findings.commands[start..].iter().filter(|found| !found.is_captured);
        let first = printing.next().map_or_else(Vec::new, |found| self.printed_by(found));
        let mut rest = printing.flat_map(|found| self.printed_by(found)).peekable();
        if rest.peek().is_none() { first } else { vec![first.into_iter().chain(rest).collect()] }
    }

    /// Returns the texts that a command probably prints. A program that is not known is taken for a filter that leaves the text as
    /// it is.
    fn printed_by(&self, found: &Found) -> Vec<String> {
        let content = |field: &Field| self.content_of(found.directory.as_deref(), &field.text);
        let texts = match (found.base_name(), found.words.as_slice()) {
            (Some("cat"), [_, files @ ..]) if files.iter().any(|field| !field.text.starts_with('-')) => {
                files.iter().flat_map(content).collect()
            }
            // `$(< file)`
            (None, []) => found.input.texts(),
            (Some(_), words) => {
                match printed_text(words, &found.input, &self.scope).or_else(|| unescaped(words)) {
                    Some(text) => vec![text],
                    None => self.filtered_texts(found).into_iter().chain(literals(found)).collect(),
                }
            }
            (None, _) => Vec::new(),
        };
        self.scope.spend(texts.iter().map(String::len).sum());
        texts
    }

    /// Returns what a program probably makes of its input, or of the files among its arguments.
    #[inline(never)]
    fn filtered_texts(&self, found: &Found) -> Vec<String> {
        let mut texts = found.input.texts();
        if found.base_name().is_some_and(is_filter) {
            // Files with unknown names are not told apart: each would get the texts of all others.
            for field in &found.words[1..] {
                if !field.text.starts_with('-') && !field.text.contains(UNKNOWN) {
                    texts.append(&mut self.content_of(found.directory.as_deref(), &field.text));
                }
            }
        }
        for text in &mut texts {
            if let Some(computed) = self.computed(found, text) {
                *text = computed;
            }
        }
        texts
    }

    /// Returns what a filter makes of a text, where that is computed.
    #[inline(never)]
    pub(in crate::policy::commands::walk) fn computed(&self, found: &Found, text: &str) -> Option<String> {
        if self.scope.spend(FILTER_WORK + text.len()) { filtered(&found.words, text) } else { None }
    }

    /// Notes the files that get the output of the commands from `at` on, by the redirections of the command there.
    pub(in crate::policy::commands::walk) fn note_output(&mut self, at: usize) {
        let Some(found) = self.findings.commands.get(at) else { return };
        let mut targets = Vec::new();
        for redirect in &found.redirections {
            if writes(redirect.mode) {
                let directory = found.directory.as_deref();
                for file in self.files_at(redirect.mode, directory, &redirect.target.text) {
                    targets.push((file, redirect.mode == Mode::Append));
                }
            }
        }
        if targets.is_empty() {
            return;
        }
        let is_unseen =
            self.output_since(at, false).is_downloaded || self.findings.commands[at..].iter().any(decodes);
        let mut texts = self.printed_since(at);
        // The first line of `find directory` is the directory.
        if texts.is_empty() {
            let paths = self.findings.commands.last().map_or_else(Vec::new, |found| paths_of(found, None));
            texts.extend((!paths.is_empty()).then(|| paths.join("\n")));
        }
        for (file, is_append) in targets {
            for text in &texts {
                self.note_text(at, &file, text, is_append);
            }
            if is_unseen {
                self.scope.downloads.push(file);
            }
        }
        self.capture(at);
    }

    /// Notes the files that get the output of the command at `at`, because `exec` has redirected that of all commands.
    #[inline(never)]
    pub(in crate::policy::commands::walk) fn note_standard_output(&mut self, at: usize) {
        let files = self.files_of(OUTPUT);
        if !files.is_empty() && self.findings.commands.get(at).is_some_and(|found| !found.is_captured) {
            for text in self.printed_since(at) {
                for file in &files {
                    self.note_text(at, file, &text, true);
                }
            }
        }
    }
}

/// Returns what `echo` prints in bash for a text with a backslash, which `echo` of other shells decodes.
fn unescaped(words: &[Field]) -> Option<String> {
    let texts: Option<Vec<&str>> = words.iter().map(Field::known).collect();
    let texts = texts?;
    let (name, texts) = texts.split_first()?;
    let is_plain = *name == "echo" && !texts.first().is_some_and(|text| text.starts_with('-'));
    is_plain.then(|| format!("{}\n", texts.join(" ")))
}
