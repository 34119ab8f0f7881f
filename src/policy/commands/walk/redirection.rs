//! Redirections: the files of a command, and the text that it reads.

use std::rc::Rc;

use crate::policy::commands::analysis::{Origin, Redirect, StandardInput};
use crate::policy::commands::download::is_network;
use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::commands::variables;
use crate::syntax::tree::{RedirectMode, Redirection, Word};

use super::walker::Walker;

/// The work of judging a redirection, as counted by `Walker::charge`: its links are read from the file
/// system.
const REDIRECTION_WORK: usize = 100;

impl Walker<'_> {
    /// Visits redirections. Returns them with expanded targets, and the standard input if one of them gives
    /// it.
    pub(super) fn redirections(
        &mut self,
        redirections: &[Redirection],
    ) -> (Vec<Redirect>, Option<StandardInput>) {
        let mut found = Vec::new();
        let mut given = None;
        for Redirection { number, variable, mode, target, body } in redirections {
            self.charge(REDIRECTION_WORK);
            if let Some(name) = variable.as_ref().filter(|name| variables::runs_code(name)) {
                self.push_bare(vec![(name.clone(), None)], Vec::new(), StandardInput::default());
            }
            let is_standard = variable.is_none() && matches!(number, None | Some(0));
            let text = match mode {
                RedirectMode::HereDocument => body.as_ref().and_then(|body| body.get()),
                RedirectMode::HereString => Some(target),
                _ => None,
            };
            if let Some(text) = text {
                let input = self.text_input(text, *mode);
                given = Some(input).filter(|_| is_standard).or(given);
                continue;
            }
            let target = self.target(target);
            if matches!(mode, RedirectMode::Read | RedirectMode::ReadWrite | RedirectMode::DuplicateInput) {
                let input = self.file_input(&target);
                given = Some(input).filter(|_| is_standard).or(given);
            }
            found.push(Redirect { mode: *mode, target });
        }
        (found, given)
    }

    fn target(&mut self, word: &Word) -> Field {
        let mut fields = self.visit_fields(word);
        if fields.len() == 1 { fields.remove(0) } else { Field::unknown() }
    }

    fn file_input(&self, target: &Field) -> StandardInput {
        if matches!(target.text.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "0" | "&0") {
            return self.input.clone();
        }
        let is_unseen = target.is_downloaded || is_network(&target.text);
        StandardInput {
            is_given: true,
            origin: if is_unseen { Origin::Network } else { Origin::Local },
            ..StandardInput::default()
        }
    }

    fn text_input(&mut self, word: &Word, mode: RedirectMode) -> StandardInput {
        let value = self.visit_value(word);
        let text = Some(&value.text).filter(|text| !text.contains(UNKNOWN));
        let end = if mode == RedirectMode::HereString { "\n" } else { "" };
        let text: Option<Rc<str>> = text.map(|text| Rc::from(format!("{text}{end}")));
        let origin = if value.is_downloaded { Origin::Network } else { Origin::Local };
        StandardInput { is_given: true, text, origin, feeder: None }
    }
}
