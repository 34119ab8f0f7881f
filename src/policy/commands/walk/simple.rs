//! Simple commands: assignments, words and redirections made to fields.

use crate::policy::commands::expand::{Choice, UNSURE, expand};
use crate::policy::commands::field::Field;
use crate::policy::commands::flow::fetches;
use crate::policy::commands::found::{Found, Input, Redirect};
use crate::policy::commands::variables;
use crate::policy::syntax::tree::{Mode, Simple};

use super::walker::Walker;

impl Walker {
    pub(super) fn visit_simple(&mut self, simple: &Simple) {
        let mut assignments = Vec::new();
        for assignment in &simple.assignments {
            assignments.push(self.visit_assignment(assignment, simple.words.is_empty()));
        }
        for word in &simple.words {
            self.visit_word(word);
        }
        let mut most = 1;
        let words = self.fields(simple, UNSURE, &mut most);
        let (redirections, given) = self.redirections_of(simple, &words);
        if simple.words.is_empty() {
            let code_variables = assignments
                .into_iter()
                .filter(|(name, value)| variables::value_runs_code(name, value.as_deref()))
                .collect();
            return self.push_bare(code_variables, redirections, given);
        }
        // A builtin does nothing without its files.
        let always_works = |redirect: &Redirect| {
            let duplicates = matches!(redirect.mode, Mode::DuplicateInput | Mode::DuplicateOutput);
            let target = redirect.target.known();
            target == Some("/dev/null") || duplicates && matches!(target, Some("0" | "1" | "2"))
        };
        self.exec_redirections(simple, &words, &redirections, given.as_ref());
        let may_fail = !redirections.iter().all(always_works);
        let input = given.unwrap_or_else(|| Input { is_shared: true, ..self.input.clone() });
        // Each possible value of a variable makes a command of its own, as a guess. The first command takes none of them.
        let guesses: Vec<Vec<Field>> = if most > 1 {
            (0..most).map(|choice| self.fields(simple, choice, &mut 0)).collect()
        } else {
            Vec::new()
        };
        let scope = (most > 1).then(|| self.scope.saved());
        let at = self.findings.commands.len();
        let first = Found { assignments, redirections, input, ..Found::of(words) };
        let command = Found { redirections: Vec::new(), ..first.clone() };
        if may_fail {
            self.in_branch(|walker| walker.invoke(first));
        } else {
            self.invoke(first);
        }
        for words in guesses.into_iter().filter(|words| *words != command.words && !words.is_empty()) {
            let after = self.scope.saved();
            if let Some(scope) = &scope {
                self.scope = scope.saved();
            }
            let (error, was_guess) = (self.error.take(), self.guess_of.replace(at));
            let has_all =
                words.len() == command.words.len() && words.iter().all(|field| !field.text.is_empty());
            self.invoke(Found { words, ..command.clone() });
            (self.error, self.guess_of) = (error, was_guess);
            let directory = self.scope.directory().filter(|_| has_all);
            self.restore(after);
            if self.scope.directory().is_none() && self.scope.likely_directory.is_none() {
                self.scope.likely_directory = directory;
            }
        }
        self.note_output(at);
        self.note_standard_output(at);
    }

    /// Visits the redirections of a command. The commands of `> >(…)` read its output.
    fn redirections_of(&mut self, simple: &Simple, words: &[Field]) -> (Vec<Redirect>, Option<Input>) {
        let command = Found { input: self.input.clone(), ..Found::of(words.to_vec()) };
        if !simple.redirections.iter().any(|redirection| redirection.mode == Mode::Write)
            || !fetches(&command)
        {
            return self.redirections(&simple.redirections);
        }
        let output = Input { is_given: true, is_downloaded: true, ..Input::default() };
        let before = std::mem::replace(&mut self.input, output);
        let found = self.redirections(&simple.redirections);
        self.input = before;
        found
    }

    /// Expands the words of a command. `most` grows to the most values that any of their expansions may have.
    fn fields(&self, simple: &Simple, choice: Choice, most: &mut usize) -> Vec<Field> {
        let mut fields = |word| self.with_content(word, expand(word, &self.scope, self, choice, most));
        simple.words.iter().flat_map(&mut fields).collect()
    }
}
