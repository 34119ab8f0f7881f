//! Descriptors that the shell opens with a number, as by `exec 3< file`, and what is read from them later.

use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::commands::found::Input;
use crate::policy::syntax::tree::{Mode, Simple};

use crate::policy::commands::walk::walker::Walker;

/// The most inputs that are remembered.
const MAX_DESCRIPTORS: usize = 32;

/// The numbers of the standard input and the standard outputs.
const STANDARD: [&str; 3] = ["0", "1", "2"];

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

    /// Makes the input of `exec < file` that of all later commands.
    pub(in crate::policy::commands::walk) fn exec_input(
        &mut self,
        simple: &Simple,
        words: &[Field],
        given: Option<&Input>,
    ) {
        let is_input = simple.redirections.iter().any(|redirection| {
            let reads = !matches!(redirection.mode, Mode::Write | Mode::Append | Mode::DuplicateOutput);
            reads && redirection.variable.is_none() && matches!(redirection.number, None | Some(0))
        });
        if let ([exec], Some(given)) = (words, given.filter(|_| is_input))
            && exec.known() == Some("exec")
        {
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
