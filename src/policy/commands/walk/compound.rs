//! Compound commands, and the definition of functions.

use std::rc::Rc;

use crate::policy::commands::expand::{UNSURE, expand, values};
use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::commands::flow::{always_holds, recurses_and_spawns, spawns_endlessly};
use crate::policy::commands::found::Input;
use crate::policy::commands::scope::Variable;
use crate::policy::syntax::tree::{Compound, Kind, List, Word};

use super::walker::Walker;

impl Walker {
    /// Visits the body of a function where it is defined, with arguments that are not known, and remembers it for its calls.
    pub(super) fn visit_function(&mut self, name: &str, body: &Compound) {
        if self.is_replayed {
            return self.scope.define(name, Rc::new(body.clone()), self.is_certain);
        }
        let start = self.findings.commands.len();
        let definition = self.definitions.begin(name, start);
        let scope = self.scope.saved();
        let was_certain = (self.is_certain, self.is_certain_in_call);
        (self.is_certain, self.is_certain_in_call) = (false, true);
        self.scope.positional = None;
        self.enter_call(name);
        let printed_text = self.prints_text;
        self.visit_compound(body);
        self.prints_text = printed_text;
        self.leave_call();
        self.definitions.end(definition, self.findings.commands.len());
        (self.is_certain, self.is_certain_in_call) = was_certain;
        self.restore(scope);
        self.findings.has_fork_bomb |= recurses_and_spawns(name, &body.kind);
        self.scope.define(name, Rc::new(body.clone()), self.is_certain);
    }

    pub(super) fn visit_compound(&mut self, Compound { kind, redirections }: &Compound) {
        let input = self.input.clone();
        let mut files = None;
        if !redirections.is_empty() {
            let (redirects, given) = self.redirections(redirections);
            files = (!redirects.is_empty()).then_some(self.findings.commands.len());
            self.push_bare(Vec::new(), redirects, None);
            if let Some(given) = given {
                self.input = given;
            }
        }
        self.visit_kind(kind);
        if let Some(at) = files {
            self.note_output(at);
        }
        self.input = input;
    }

    fn visit_kind(&mut self, kind: &Kind) {
        self.findings.has_fork_bomb |= spawns_endlessly(kind);
        match kind {
            Kind::Subshell(list) => {
                let scope = self.scope.saved();
                self.visit_list(list);
                self.restore(scope);
            }
            Kind::Group(list) => self.visit_list(list),
            Kind::If(arms, otherwise) => self.in_branch(|walker| {
                let mut is_conditional = false;
                for (condition, body) in arms {
                    walker.on_condition(is_conditional, |walker| walker.visit_list(condition));
                    is_conditional |= !always_holds(condition);
                    walker.on_condition(is_conditional, |walker| walker.visit_list(body));
                }
                if let Some(list) = otherwise {
                    walker.on_condition(is_conditional, |walker| walker.visit_list(list));
                }
            }),
            Kind::Loop(condition, body) => self.in_loop(|walker| {
                walker.visit_list(condition);
                walker.on_condition(!always_holds(condition), |walker| walker.visit_list(body));
            }),
            Kind::For(name, words, body) => self.visit_for(name, words.as_deref(), body),
            Kind::ArithmeticFor(header, body) => {
                self.visit_word(header);
                self.note_arithmetic(header);
                self.in_loop(|walker| walker.visit_list(body));
            }
            Kind::Case(subject, arms) => {
                self.visit_word(subject);
                self.in_branch(|walker| {
                    let mut is_conditional = false;
                    for (patterns, body) in arms {
                        for pattern in patterns {
                            walker.visit_word(pattern);
                        }
                        is_conditional |= !patterns.iter().any(|pattern| pattern.is_bare("*"));
                        walker.on_condition(is_conditional, |walker| walker.visit_list(body));
                    }
                });
            }
            Kind::Arithmetic(word) => {
                self.visit_word(word);
                self.note_arithmetic(word);
            }
            Kind::Test(words) => self.visit_test(words),
            Kind::Coprocess(command) => {
                let scope = self.scope.saved();
                let start = self.findings.commands.len();
                let pipe = self.pipe(&UNKNOWN.to_string());
                let input = std::mem::replace(&mut self.input, pipe);
                self.background_jobs += 1;
                self.visit_command(command);
                self.background_jobs -= 1;
                self.input = input;
                self.restore(scope);
                let output = Input { is_numeric: false, ..self.output_since(start, false) };
                self.capture(start);
                self.open(UNKNOWN.to_string(), &output);
            }
        }
    }

    /// Visits `[[ … ]]`, and notes the paths that it tests.
    fn visit_test(&mut self, words: &[Word]) {
        for word in words {
            self.visit_word(word);
        }
        for (at, word) in words.iter().enumerate() {
            let (before, behind) = match word.literal().as_deref() {
                Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge") => (at.checked_sub(1), Some(at + 1)),
                Some("-v") => (None, Some(at + 1)),
                _ => (None, None),
            };
            for operand in before.into_iter().chain(behind).filter_map(|at| words.get(at)) {
                self.check_expression(operand);
            }
        }
        let fields: Vec<Field> =
            words.iter().flat_map(|word| expand(word, &self.scope, self, UNSURE, &mut 0)).collect();
        for pair in fields.windows(2) {
            if is_file_test(&pair[0].text) {
                self.findings.paths.push((pair[1].clone(), self.scope.directory()));
            }
            if is_file_comparison(&pair[1].text) {
                self.findings.paths.push((pair[0].clone(), self.scope.directory()));
            }
        }
        self.check_hidden_subscripts(words.iter().filter_map(Word::literal));
    }

    fn visit_for(&mut self, name: &str, words: Option<&[Word]>, body: &List) {
        let (mut fields, mut guesses) = (Vec::new(), Vec::new());
        for word in words.unwrap_or_default() {
            self.visit_word(word);
            let mut most = 1;
            fields.extend(expand(word, &self.scope, self, UNSURE, &mut most));
            if most > 1 {
                // An element of an array in quotes is not split.
                if word.pieces.iter().all(|piece| piece.is_quoted) {
                    guesses.extend(values(word, &self.scope, self).0);
                }
                let values = (0..most).flat_map(|choice| expand(word, &self.scope, self, choice, &mut 0));
                guesses.extend(values.map(|field| field.text));
            }
        }
        if words.is_none() {
            fields = self.scope.positional.clone().unwrap_or_else(|| vec![Field::unknown()]);
        }
        for field in fields.iter().filter(|field| field.has_glob) {
            self.findings.paths.push((field.clone(), self.scope.directory()));
        }
        let mut variable = Variable {
            values: fields.iter().map(|field| field.text.clone()).collect(),
            is_downloaded: fields.iter().any(|field| field.is_downloaded)
                || self.input.is_downloaded && words.is_none(),
            names_files: fields.iter().any(|field| field.has_glob),
            ..Variable::default()
        };
        self.note_assignment(name, None);
        self.check_integer(name, variable.values.iter().map(String::as_str));
        for guess in guesses {
            if !variable.values.contains(&guess) {
                variable.values.push(guess);
            }
        }
        let before = self.scope.get(name);
        self.scope.set(name, variable, true);
        self.loops.push(name.to_owned());
        // A loop over expansions alone may have no round.
        let may_be_empty = words.is_none_or(|words| words.iter().all(|word| word.literal().is_none()));
        self.in_loop(|walker| walker.on_condition(may_be_empty, |walker| walker.visit_list(body)));
        self.loops.pop();
        // A loop over nothing leaves the variable as it was.
        if fields.iter().all(|field| field.is_many || field.has_glob) {
            self.scope.set(name, before.unwrap_or_else(|| Variable::of("")), false);
        }
    }
}

/// Returns whether an operator of `[[ … ]]` is followed by a path.
fn is_file_test(operator: &str) -> bool {
    is_file_comparison(operator)
        || operator
            .strip_prefix('-')
            .is_some_and(|letter| letter.len() == 1 && "abcdefghkprsuwxGLNOS".contains(letter))
}

/// Returns whether an operator of `[[ … ]]` stands between two paths.
fn is_file_comparison(operator: &str) -> bool {
    matches!(operator, "-nt" | "-ot" | "-ef")
}
