//! Pipes whose readers may start before their writers: named ones, and the inputs of `>(…)` and of coprocesses.

use crate::policy::commands::found::Input;
use crate::policy::commands::scope::Scope;
use crate::policy::syntax::tree::List;

use crate::policy::commands::walk::walker::Walker;

impl Walker {
    /// Returns what the reader of a pipe reads. Only a second visit of the command line knows what later commands write to it.
    #[inline(never)]
    pub(in crate::policy::commands::walk) fn pipe(&mut self, path: &str) -> Input {
        self.pipes.push(path.to_owned());
        Input {
            is_given: true,
            is_shared: true,
            is_downloaded: self.input.is_downloaded,
            guesses: self.contents.of(path).into(),
            ..Input::default()
        }
    }

    /// Visits a command line again, as a guess, if its pipes hold texts at the end: their readers may have started before.
    #[inline(never)]
    pub(in crate::policy::commands::walk) fn visit_readers(&mut self, list: &List, start: Scope) {
        if self.has_given_up() || self.pipes.iter().all(|pipe| self.contents.of(pipe).is_empty()) {
            return;
        }
        let end = self.scope.saved();
        self.restore(start);
        let was_repeated = (self.is_repeated, self.guess_of);
        (self.is_replayed, self.is_repeated, self.guess_of) = (true, true, Some(0));
        self.visit_list(list);
        self.is_replayed = false;
        (self.is_repeated, self.guess_of) = was_repeated;
        self.restore(end);
    }
}
