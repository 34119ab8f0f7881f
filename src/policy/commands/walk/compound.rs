//! Compound commands, and definitions of functions.

use crate::policy::commands::analysis::ExpandedCommand;
use crate::policy::commands::expand::Expansion;
use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::commands::variables;
use crate::syntax::tree::{Compound, CompoundKind, List, Word};

use super::fork_bomb::{is_endless_loop, multiplies};
use super::walker::Walker;

impl Walker<'_> {
    /// Visits the body of a function where it is defined, with unknown arguments.
    pub(super) fn visit_function(&mut self, name: &str, body: &Compound) {
        self.findings.has_fork_bomb |= multiplies(name, &body.kind);
        self.known.define_function(name);
        let start = self.findings.commands.len();
        let directories = self.known.directories.clone();
        self.moves.bodies += 1;
        self.in_branch(|walker| walker.visit_compound(body));
        self.moves.bodies -= 1;
        self.known.directories = directories;
        self.moves.ranges.push(start..self.findings.commands.len());
    }

    pub(super) fn visit_compound(&mut self, Compound { kind, redirections }: &Compound) {
        let outer = self.input.clone();
        if !redirections.is_empty() {
            let (redirects, given) = self.redirections(redirections);
            self.push_bare(Vec::new(), redirects, self.input.clone());
            if let Some(given) = given {
                self.input = given;
            }
        }
        self.visit_kind(kind);
        self.input = outer;
    }

    fn visit_kind(&mut self, kind: &CompoundKind) {
        self.findings.has_fork_bomb |= is_endless_loop(kind);
        match kind {
            CompoundKind::Subshell(list) => self.in_process(|walker| walker.visit_list(list)),
            CompoundKind::Group(list) => self.visit_list(list),
            CompoundKind::If(arms, otherwise) => {
                for (condition, body) in arms {
                    self.visit_list(condition);
                    self.in_branch(|walker| walker.visit_list(body));
                }
                if let Some(list) = otherwise {
                    self.in_branch(|walker| walker.visit_list(list));
                }
            }
            CompoundKind::Loop(condition, body) => self.in_branch(|walker| {
                walker.visit_list(condition);
                walker.in_loop(body);
            }),
            CompoundKind::For(name, words, body) => self.visit_for(name, words.as_deref(), body),
            CompoundKind::ArithmeticFor(header, body) => {
                self.visit_expression(header);
                self.in_branch(|walker| walker.in_loop(body));
            }
            CompoundKind::Case(subject, arms) => {
                self.visit_value(subject);
                for (patterns, body) in arms {
                    for pattern in patterns {
                        self.visit_value(pattern);
                    }
                    self.in_branch(|walker| walker.visit_list(body));
                }
            }
            CompoundKind::Arithmetic(word) => self.visit_expression(word),
            CompoundKind::Test(words) => self.visit_test(words),
            CompoundKind::Coprocess(command) => self.in_process(|walker| walker.visit_command(command)),
        }
    }

    /// Visits the body of a loop. A second round begins in the directory in which the first one ends.
    fn in_loop(&mut self, body: &List) {
        let before = self.known.directories.clone();
        let start = self.findings.commands.len();
        self.visit_list(body);
        if self.known.directories != before {
            self.known.change_directory(None, false);
            self.findings.commands[start..].iter_mut().for_each(ExpandedCommand::may_run_elsewhere);
        }
    }

    /// Visits `[[ … ]]`, and records the paths that it tests.
    fn visit_test(&mut self, words: &[Word]) {
        let fields: Vec<Field> = words
            .iter()
            .map(|word| {
                let value = self.visit_value(word);
                Field { is_many: false, text: value.text, values: value.values, ..Field::default() }
            })
            .collect();
        for (at, word) in words.iter().enumerate() {
            let (before, behind) = match word.literal().as_deref() {
                Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge") => (at.checked_sub(1), Some(at + 1)),
                Some("-v" | "-R") => (None, Some(at + 1)),
                _ => (None, None),
            };
            for operand in before.into_iter().chain(behind).filter_map(|at| words.get(at)) {
                self.check_expression(operand);
            }
        }
        for pair in fields.windows(2) {
            if is_file_test(&pair[0].text) {
                self.record_path(&pair[1]);
            }
            if is_file_comparison(&pair[1].text) {
                self.record_path(&pair[0]);
            }
        }
        self.check_hidden_subscripts(words.iter().filter_map(Word::literal));
    }

    fn record_path(&mut self, field: &Field) {
        self.findings.paths.push((field.clone(), self.known.directories.clone()));
    }

    fn visit_for(&mut self, name: &str, words: Option<&[Word]>, body: &List) {
        let mut fields = Vec::new();
        for word in words.unwrap_or_default() {
            fields.extend(self.visit_fields(word));
        }
        for field in fields.iter().filter(|field| field.has_glob) {
            self.record_path(field);
        }
        if variables::runs_code(name) {
            self.push_bare(vec![(name.to_owned(), None)], Vec::new(), self.input.clone());
        }
        if variables::is_code_text(name) {
            self.push_unknown_code("a variable that is run as code", false);
        }
        for field in &fields {
            self.check_integer(name, &Expansion::of(&field.text));
        }
        self.in_branch(|walker| {
            let is_known = |field: &Field| !field.is_many && !field.text.contains(UNKNOWN);
            if words.is_some() && fields.iter().all(is_known) {
                let has_glob = fields.iter().any(|field| field.has_glob);
                let values = fields.into_iter().map(|field| field.text).collect();
                walker.known.assign_each(name, values, !has_glob);
            }
            walker.in_loop(body);
        });
    }
}

/// Returns whether a path follows an operator of `[[ … ]]`.
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
