//! The texts of files that the command line writes, for the shells that run them later.

use crate::policy::commands::copy::Copy;
use crate::policy::commands::field::Field;
use crate::policy::commands::found::Found;
use crate::policy::commands::inner::{Inner, is_of_shell, script_of};
use crate::policy::commands::predict::decoded;
use crate::policy::syntax::tree::Mode;

use super::descriptors::number_of;
use super::{edits_in_place, key};
use crate::policy::commands::walk::walker::Walker;

impl Walker {
    /// Notes the texts of the files that the command at `at` writes by its operands: copies of files, and of its input.
    pub(in crate::policy::commands::walk) fn note_contents(&mut self, at: usize) {
        let found = &self.findings.commands[at];
        let written = match found.base_name() {
            Some("tee" | "sponge") => {
                let is_append =
                    found.words.iter().any(|field| field.text == "-a" || field.text == "--append");
                let operands = found.words.iter().skip(1).filter(|field| !field.text.starts_with('-'));
                let directory = found.directory.as_deref();
                let files = operands.flat_map(|field| self.files_at(Mode::Write, directory, &field.text));
                let texts = found.input.texts();
                files
                    .flat_map(|file| texts.iter().map(move |text| (file.clone(), text.clone(), is_append)))
                    .collect()
            }
            Some("cp" | "mv" | "ln" | "install") => self.copied_texts(found),
            Some("sed" | "gsed") if found.words[1..].iter().any(edits_in_place) => self.edited_texts(found),
            Some("find" | "gfind") => {
                let formats = found.words.windows(3).filter(|words| words[0].text == "-fprintf");
                let file = |words: &[Field]| {
                    Some((key(found.directory.as_deref(), &words[1].text)?, decoded(&words[2].text), true))
                };
                formats.filter_map(file).collect()
            }
            Some("mkfifo" | "mknod") => {
                let names = found.words.iter().skip(1).filter(|field| !field.text.starts_with('-'));
                self.pipes.extend(names.filter_map(|field| key(found.directory.as_deref(), &field.text)));
                return;
            }
            _ => return,
        };
        for (file, text, is_append) in written {
            self.note_text(at, &file, &text, is_append);
        }
    }

    /// Notes a text that a file may hold, because the command at `at` writes it.
    pub(super) fn note_text(&mut self, at: usize, file: &str, text: &str, is_append: bool) {
        if !self.scope.spend(file.len() + text.len()) {
            return;
        }
        if is_append {
            self.contents.append(file, text);
        } else {
            self.contents.write(file, text);
        }
        self.note_implicit(at, file);
    }

    /// Returns the texts of the files that `sed -i` edits.
    #[inline(never)]
    fn edited_texts(&self, found: &Found) -> Vec<(String, String, bool)> {
        let files =
            found.words.iter().skip(1).filter_map(|field| key(found.directory.as_deref(), &field.text));
        let edited = |file: String| {
            let texts = self.contents.of(&file).into_iter();
            let texts = texts.filter_map(|text| self.computed(found, &text));
            texts.map(|text| (file.clone(), text, false)).collect::<Vec<_>>()
        };
        files.flat_map(edited).collect()
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
    #[inline(never)]
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

    /// Returns the texts of the script that a shell runs, if commands before have written it.
    pub(in crate::policy::commands::walk) fn written_scripts(&self, words: &[Field]) -> Vec<Inner> {
        let Some(name) = words.first().and_then(Field::known) else { return Vec::new() };
        let content = |file: &Field| self.content_of(self.scope.directory().as_deref(), &file.text);
        let Some(at) = script_of(name, words) else {
            return Vec::new();
        };
        let texts = content(&words[at]);
        let is_read = |text: &String| at > 0 || is_of_shell(text);
        let positional = (!matches!(name, "source" | ".")).then(|| words[at..].to_vec());
        let script = |text| Inner::Script { text, positional: positional.clone() };
        texts.into_iter().filter(is_read).map(script).collect()
    }
}
