//! Descriptors that the shell opens with a number, as by `exec 3< file`: what later commands read from them, and which files get
//! what later commands write.

use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::commands::found::{Input, Redirect};
use crate::policy::syntax::tree::{Mode, Redirection, Simple};

use super::{key, writes};
use crate::policy::commands::walk::walker::Walker;

/// The most inputs and files that are remembered.
const MAX_DESCRIPTORS: usize = 32;

/// The numbers of the standard input and the standard outputs.
const STANDARD: [&str; 3] = ["0", "1", "2"];

/// The number of the standard output.
pub(super) const OUTPUT: &str = "1";

impl Walker {
    /// Notes the input that a descriptor reads from now on.
    pub(in crate::policy::commands::walk) fn open(&mut self, descriptor: String, input: &Input) {
        let entry = (descriptor, input.clone());
        let is_new = !STANDARD.contains(&entry.0.as_str()) && !self.descriptors.contains(&entry);
        if is_new && self.descriptors.len() < MAX_DESCRIPTORS {
            self.descriptors.push(entry);
        }
    }

    /// Returns the input of a descriptor, if the command line opens one of this number. Its text is a guess: another command may
    /// have opened the descriptor again, or read from it.
    #[inline(never)]
    pub(in crate::policy::commands::walk) fn opened(&self, descriptor: &str) -> Option<Input> {
        let inputs: Vec<&Input> =
            self.descriptors.iter().filter(|(name, _)| name == descriptor).map(|(_, input)| input).collect();
        let texts = || inputs.iter().filter_map(|input| input.text.as_deref().map(str::to_owned));
        let guesses = || inputs.iter().flat_map(|input| input.guesses.iter().cloned());
        (!inputs.is_empty()).then(|| Input {
            is_given: true,
            is_shared: true,
            is_downloaded: inputs.iter().any(|input| input.is_downloaded) || self.has_open_connection(),
            is_disguised: inputs.iter().any(|input| input.is_disguised),
            guesses: texts().chain(guesses()).collect(),
            listed: inputs.iter().find_map(|input| input.listed.clone()),
            paths: inputs.iter().flat_map(|input| input.paths.iter().cloned()).collect(),
            ..Input::default()
        })
    }

    /// Marks the words that name a descriptor with a download.
    pub(in crate::policy::commands::walk) fn mark_descriptors(&self, words: &mut [Field]) {
        if self.descriptors.is_empty() {
            return;
        }
        for field in words {
            let input = number_of(&field.text).and_then(|number| self.opened(number));
            field.is_downloaded |= input.is_some_and(|input| input.is_downloaded);
        }
    }

    /// Notes the files that a descriptor writes from now on.
    pub(in crate::policy::commands::walk) fn open_output(
        &mut self,
        descriptor: &str,
        mode: Mode,
        target: &Field,
    ) {
        if !STANDARD.contains(&descriptor) {
            self.add_sink(descriptor, mode, target);
        }
    }

    #[inline(never)]
    fn add_sink(&mut self, descriptor: &str, mode: Mode, target: &Field) {
        let directory = self.scope.directory();
        for file in self.files_at(mode, directory.as_deref(), &target.text) {
            let entry = (descriptor.to_owned(), file);
            if self.sinks.len() < MAX_DESCRIPTORS && !self.sinks.contains(&entry) {
                self.sinks.push(entry);
            }
        }
    }

    /// Returns the files that a descriptor may write.
    #[inline(never)]
    pub(super) fn files_of(&self, descriptor: &str) -> Vec<String> {
        self.sinks.iter().filter(|(name, _)| name == descriptor).map(|(_, file)| file.clone()).collect()
    }

    /// Returns the files that get what a command writes to the target of a redirection, which may be a descriptor.
    #[inline(never)]
    pub(super) fn files_at(&self, mode: Mode, directory: Option<&str>, target: &str) -> Vec<String> {
        let digits = target.strip_suffix('-').unwrap_or(target);
        let is_number = mode == Mode::DuplicateOutput
            && !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = if is_number { digits } else { number_of(target).unwrap_or(target) };
        let file = if is_number { None } else { key(directory, target) };
        self.files_of(number).into_iter().chain(file).collect()
    }

    /// Makes the input and the output of `exec < file > file` those of all later commands.
    #[inline(never)]
    pub(in crate::policy::commands::walk) fn exec_redirections(
        &mut self,
        simple: &Simple,
        words: &[Field],
        redirections: &[Redirect],
        given: Option<&Input>,
    ) {
        let ([_], Some("exec")) = (words, words.first().and_then(Field::known)) else { return };
        let has_text =
            |redirection: &&Redirection| matches!(redirection.mode, Mode::HereDocument | Mode::HereString);
        let opened = simple.redirections.iter().filter(|redirection| !has_text(redirection));
        for (redirection, redirect) in opened.zip(redirections) {
            let number = redirection.number.unwrap_or(u16::from(redirect.mode != Mode::ReadWrite));
            if redirection.variable.is_none() && number > 0 && writes(redirect.mode) {
                self.add_sink(&number.to_string(), redirect.mode, &redirect.target);
            }
        }
        let is_input = simple.redirections.iter().any(|redirection| {
            let reads = !matches!(redirection.mode, Mode::Write | Mode::Append | Mode::DuplicateOutput);
            reads && redirection.variable.is_none() && matches!(redirection.number, None | Some(0))
        });
        if let Some(given) = given.filter(|_| is_input) {
            self.input = Input { is_shared: true, ..given.clone() };
        }
    }
}

/// Returns the name of a descriptor: its number, or the mark for one in a variable.
pub(in crate::policy::commands::walk) fn descriptor(number: Option<u16>, variable: Option<&str>) -> String {
    match variable {
        Some(_) => UNKNOWN.to_string(),
        None => number.unwrap_or_default().to_string(),
    }
}

/// Returns the number of the descriptor that a path names: `/dev/fd/3`.
pub(in crate::policy::commands::walk) fn number_of(path: &str) -> Option<&str> {
    path.strip_prefix("/dev/fd/").or_else(|| path.strip_prefix("/proc/self/fd/"))
}
