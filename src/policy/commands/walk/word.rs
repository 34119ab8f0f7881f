//! Words: visits their expansions, and finds what is known of their values.

use crate::policy::commands::analysis::{ExpandedCommand, Origin};
use crate::policy::commands::download::{decodes, fetches};
use crate::policy::commands::expand::{Atom, Expansion, fields_of, value_of};
use crate::policy::commands::field::{ANY_PLAIN, ANY_TEXT, Field, PROCESS_FILE};
use crate::policy::commands::literal_output::literal_output;
use crate::policy::commands::numbers::{Number, number_of_expression};
use crate::policy::commands::variables;
use crate::syntax::tree::{AndOrList, Command, List, Operator, Parameter, Word, WordPart, WordPiece};

use super::walker::Walker;

impl Walker<'_> {
    /// Visits a word, and returns its fields.
    pub(super) fn visit_fields(&mut self, word: &Word) -> Vec<Field> {
        let atoms = self.visit_pieces(word);
        let splits = !self.known.definitions.has("IFS");
        let mut fields = fields_of(atoms, splits, &|text| self.known.with_home(text));
        if let [field] = fields.as_mut_slice()
            && word.is_in_place
        {
            field.end = Some(word.span.end);
        }
        self.charge(fields.iter().map(|field| field.text.len()).sum());
        fields
    }

    /// Visits a word that is neither split nor globbed, and returns its value.
    pub(super) fn visit_value(&mut self, word: &Word) -> Expansion {
        let atoms = self.visit_pieces(word);
        let value = value_of(&atoms, &|text| self.known.with_home(text));
        self.charge(value.text.len());
        value
    }

    fn visit_pieces(&mut self, word: &Word) -> Vec<Atom> {
        let mut atoms = Vec::with_capacity(word.pieces.len());
        for WordPiece { part, is_quoted } in &word.pieces {
            atoms.push(match part {
                WordPart::Text(text) => Atom::Text(text.clone(), *is_quoted),
                WordPart::Parameter(parameter) => Atom::Value(self.visit_parameter(parameter), *is_quoted),
                WordPart::Substitution(list) => Atom::Value(self.visit_substitution(list), *is_quoted),
                WordPart::Process(list) => Atom::Value(self.visit_process(list), true),
                WordPart::Arithmetic(word) => {
                    self.visit_expression(word);
                    let number =
                        word.literal().filter(|text| text.parse::<u32>().is_ok() && !text.starts_with('0'));
                    Atom::Value(Expansion::of(number.as_deref().unwrap_or(ANY_PLAIN)), *is_quoted)
                }
            });
        }
        atoms
    }

    fn visit_parameter(&mut self, parameter: &Parameter) -> Expansion {
        let Parameter { name, is_braced, subscript, operator, .. } = parameter;
        if let Some(subscript) = subscript.as_ref().filter(|_| !parameter.has_all_elements()) {
            if self.known.is_associative(name) {
                self.visit_value(subscript);
            } else {
                self.visit_expression(subscript);
            }
        }
        let mut operand = None;
        match (parameter.offset(), &parameter.operand) {
            (Some(offset), _) => self.visit_expression(offset),
            (None, Some(word)) => operand = Some(self.visit_value(word)),
            (None, None) => {}
        }
        if *operator == Operator::Code {
            let is_downloaded = self.known.variable(name).is_downloaded;
            self.push_unknown_code("an expansion that evaluates a value", is_downloaded);
        }
        if *operator == Operator::Assign {
            self.record_assignment(name, operand.as_ref());
        }
        let is_name = name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
        let value = self.parameter_value(parameter, operand.as_ref());
        let is_all = matches!(name.as_str(), "@" | "*") || parameter.has_all_elements();
        let is_many =
            *operator != Operator::Length && (is_all || matches!(operator, Operator::Names | Operator::Code));
        Expansion { is_many, is_open: is_name && !is_braced, ..value }
    }

    fn parameter_value(&self, parameter: &Parameter, operand: Option<&Expansion>) -> Expansion {
        let is_downloaded = operand.is_some_and(|operand| operand.is_downloaded);
        let value = match parameter.operator {
            Operator::Length => Expansion::of(ANY_PLAIN),
            Operator::None | Operator::Error if parameter.subscript.is_none() => {
                let is_nonempty = parameter.operator == Operator::Error;
                match parameter.name.as_str() {
                    "#" | "?" | "$" | "!" => Expansion::of(ANY_PLAIN),
                    name => Expansion { is_nonempty, ..self.known.variable(name) },
                }
            }
            // The default of a variable is a likely value.
            Operator::Default | Operator::Assign | Operator::Alternative => {
                let now = self.known.variable(&parameter.name);
                let texts = operand.iter().filter(|operand| !operand.text.contains(ANY_PLAIN));
                let all =
                    now.values.all.iter().cloned().chain(texts.map(|operand| operand.text.clone())).collect();
                let values = crate::policy::commands::field::Values { all, is_complete: false };
                Expansion { values, is_downloaded: now.is_downloaded, ..self.unknown_value(parameter) }
            }
            _ => {
                let is_downloaded = self.known.variable(&parameter.name).is_downloaded;
                Expansion { is_downloaded, ..self.unknown_value(parameter) }
            }
        };
        Expansion { is_downloaded: value.is_downloaded || is_downloaded, ..value }
    }

    /// Returns the mark for the unknown value of an expansion.
    fn unknown_value(&self, parameter: &Parameter) -> Expansion {
        let piece = WordPiece { part: WordPart::Parameter(Box::new(parameter.clone())), is_quoted: true };
        let word = Word { pieces: vec![piece], ..Word::default() };
        let is_number = match number_of_expression(&word) {
            Number::No => false,
            Number::Of(names) => names
                .iter()
                .all(|name| self.known.definitions.has(name) && self.known.definitions.is_number(name)),
        };
        Expansion::of(if is_number { ANY_PLAIN } else { ANY_TEXT })
    }

    /// Visits the commands of a substitution, and returns their output.
    fn visit_substitution(&mut self, list: &List) -> Expansion {
        let start = self.findings.commands.len();
        self.in_process(|walker| walker.visit_list(list));
        let found = &self.findings.commands[start..];
        let is_downloaded = is_unseen(found);
        let text = match found {
            [only] if is_simple(list) => literal_output(only),
            _ => None,
        };
        if let Some(text) = text {
            return Expansion { is_downloaded, ..Expansion::of(text.trim_end_matches('\n')) };
        }
        let mark = if self.prints_number(list) { ANY_PLAIN } else { ANY_TEXT };
        Expansion { is_downloaded, ..Expansion::of(mark) }
    }

    fn prints_number(&self, list: &List) -> bool {
        let piece = WordPiece { part: WordPart::Substitution(list.clone()), is_quoted: true };
        match number_of_expression(&Word { pieces: vec![piece], ..Word::default() }) {
            Number::No => false,
            Number::Of(names) => names.iter().all(|name| self.known.definitions.is_number(name)),
        }
    }

    fn visit_process(&mut self, list: &List) -> Expansion {
        let start = self.findings.commands.len();
        self.in_process(|walker| walker.visit_list(list));
        let is_downloaded = is_unseen(&self.findings.commands[start..]);
        Expansion { is_downloaded, ..Expansion::of(PROCESS_FILE) }
    }

    /// Records a variable that an expansion sets.
    fn record_assignment(&mut self, name: &str, value: Option<&Expansion>) {
        if variables::runs_code(name) {
            self.push_bare(vec![(name.to_owned(), None)], Vec::new(), self.input.clone());
        }
        if variables::is_code_text(name) {
            self.push_unknown_code("a variable that is run as code", false);
        }
        if let Some(value) = value {
            self.check_integer(name, value);
        }
    }
}

/// Returns whether commands print text that was fetched or decoded.
fn is_unseen(found: &[ExpandedCommand]) -> bool {
    let is_source = |found: &ExpandedCommand| {
        fetches(found)
            || decodes(found)
            || found.input.origin != Origin::Local
            || found.words.iter().any(|field| field.is_downloaded)
    };
    found.iter().any(is_source)
}

/// Returns whether a list is one simple command.
fn is_simple(list: &List) -> bool {
    matches!(list.items.as_slice(), [AndOrList { first, rest, .. }]
        if rest.is_empty() && matches!(first.stages.as_slice(), [Command::Simple(_)]))
}
