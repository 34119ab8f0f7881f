//! The fields that a word becomes: values put together, and split.

use crate::policy::commands::field::{Field, TAINTED, UNKNOWN, unknown_of};
use crate::policy::commands::scope::Scope;
use crate::policy::syntax::tree::{Operator, Part, Word};

use super::atom::Atom;
use super::braces::braces;
use super::tilde::with_home;
use super::values::{Outputs, all_fields, has_all_elements, names_files, value_of};

/// The most fields that one word becomes; more are not distinguished.
const MAX_FIELDS: usize = 64;

/// The work of an expansion besides the length of its value, as counted by [`Scope::spend`].
const VALUE_WORK: usize = 16;

/// The work of copying a field besides the length of its text.
const FIELD_WORK: usize = 4;

/// The choice of one of several possible values; [`UNSURE`] for none of them.
pub(in crate::policy::commands) type Choice = usize;

/// No value is chosen: an expansion with several values is not known.
pub(in crate::policy::commands) const UNSURE: Choice = usize::MAX;

/// Expands a word to its fields. `most` grows to the most values that any of its expansions may have.
pub(in crate::policy::commands) fn expand(
    word: &Word,
    scope: &Scope,
    outputs: &dyn Outputs,
    choice: Choice,
    most: &mut usize,
) -> Vec<Field> {
    let atoms = atoms_of(word, scope, outputs, choice, most);
    let work = atoms.iter().map(work_of).sum();
    if !scope.spend(work) {
        return vec![Field::unknown()];
    }
    let mut fields = Vec::new();
    for atoms in braces(&atoms, scope) {
        let mut builder = FieldBuilder::new(scope, fields);
        builder.add_all(&atoms);
        fields = builder.finish(matches!(atoms.first(), Some(Atom::Char('~', false))));
        if fields.len() > MAX_FIELDS || !scope.spend(work) {
            fields.truncate(MAX_FIELDS);
            fields.push(Field::unknown());
            break;
        }
    }
    fields
}

fn atoms_of(
    word: &Word,
    scope: &Scope,
    outputs: &dyn Outputs,
    choice: Choice,
    most: &mut usize,
) -> Vec<Atom> {
    let mut atoms = Vec::new();
    for piece in &word.pieces {
        match &piece.part {
            Part::Text(text) => {
                if text.is_empty() {
                    atoms.push(Atom::Value {
                        value: String::new(),
                        is_quoted: true,
                        is_downloaded: false,
                        is_open: false,
                        is_text: true,
                        names_files: false,
                    });
                }
                atoms.extend(text.chars().map(|char| Atom::Char(char, piece.is_quoted)));
            }
            part => {
                if let Some((fields, is_joined)) = all_fields(part, scope, outputs) {
                    let is_joined = piece.is_quoted && is_joined;
                    atoms.push(Atom::All { fields, is_quoted: piece.is_quoted, is_joined });
                    continue;
                }
                let (mut values, is_downloaded) = value_of(part, scope, outputs);
                *most = (*most).max(values.len());
                let index = if values.len() == 1 { 0 } else { choice };
                let value = if index < values.len() {
                    values.swap_remove(index)
                } else {
                    unknown_of(values.iter().map(String::as_str))
                };
                // `"$@"` and `"${a[@]}"` become a field for each value.
                let is_quoted = piece.is_quoted && !is_many(part) || matches!(part, Part::Process(_));
                let is_open = is_open(part) && !piece.is_quoted;
                let names_files = names_files(part, std::slice::from_ref(&value), scope);
                atoms.push(Atom::Value {
                    value,
                    is_quoted,
                    is_downloaded,
                    is_open,
                    is_text: false,
                    names_files,
                });
            }
        }
    }
    atoms
}

fn work_of(atom: &Atom) -> usize {
    match atom {
        Atom::Char(..) => 1,
        Atom::Value { value, .. } => VALUE_WORK + value.len(),
        Atom::All { fields, .. } => {
            1 + fields.iter().map(|field| FIELD_WORK + field.text.len()).sum::<usize>()
        }
    }
}

/// Returns whether text behind a parameter would belong to its name: `$a`, unlike `${a}` and `$1`.
fn is_open(part: &Part) -> bool {
    let is_name = |name: &str| name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    matches!(part, Part::Parameter(parameter) if !parameter.is_braced && is_name(&parameter.name))
}

/// Returns whether an expansion may become several fields, even in quotes.
fn is_many(part: &Part) -> bool {
    let Part::Parameter(parameter) = part else { return false };
    matches!(parameter.name.as_str(), "@" | "*") && parameter.operator != Operator::Length
        || has_all_elements(parameter) && parameter.operator != Operator::Length
        || parameter.operator == Operator::Names
        || parameter.operator == Operator::Code
}

/// Puts atoms together to fields.
struct FieldBuilder<'a> {
    scope: &'a Scope,
    /// The fields that are complete.
    fields: Vec<Field>,
    /// The field that further atoms belong to.
    field: Field,
    /// Whether `field` exists: an unquoted expansion without a value leaves none.
    is_begun: bool,
    /// Whether blanks have ended the last field: a separator behind them belongs to them.
    is_after_blanks: bool,
}

impl<'a> FieldBuilder<'a> {
    /// Begins a word, of which the fields stand behind `fields`.
    fn new(scope: &'a Scope, fields: Vec<Field>) -> Self {
        Self {
            scope,
            fields,
            field: Field { is_literal: true, ..Field::default() },
            is_begun: false,
            is_after_blanks: false,
        }
    }

    fn add_all(&mut self, atoms: &[Atom]) {
        for atom in atoms {
            match atom {
                Atom::Char(char, is_quoted) => {
                    self.is_begun = true;
                    // A bracket expression ends with `]`: `[` alone matches itself.
                    self.field.has_glob |= !is_quoted && matches!(char, '*' | '?' | ']');
                    self.field.text.push(*char);
                }
                Atom::Value { value, is_quoted: true, is_downloaded, is_text, names_files, .. } => {
                    self.is_begun = true;
                    self.field.has_glob |= names_files;
                    self.field.is_literal &= is_text;
                    self.field.is_downloaded |= is_downloaded;
                    self.field.text.push_str(value);
                }
                Atom::Value { value, is_quoted: false, is_downloaded, names_files, .. } => {
                    self.field.has_glob |= names_files;
                    self.split(value, *is_downloaded);
                }
                Atom::All { fields, is_quoted, is_joined } => self.add_fields(fields, *is_quoted, *is_joined),
            }
        }
    }

    /// Adds positional parameters or elements: `"$@"` as a field each, `"$*"` as one field, and unquoted ones split again.
    fn add_fields(&mut self, arguments: &[Field], is_quoted: bool, is_joined: bool) {
        self.is_begun |= is_joined;
        self.field.is_literal &= is_quoted;
        for (index, argument) in arguments.iter().enumerate() {
            if index > 0 && is_joined {
                let separator = self.scope.separators().map(|separators| separators.chars().next());
                match separator {
                    Some(separator) => self.field.text.extend(separator),
                    None => self.field.text.push_str(TAINTED),
                }
            } else if index > 0 && self.is_begun {
                self.fields.push(std::mem::take(&mut self.field));
                self.field.is_literal = is_quoted;
                self.is_begun = false;
            }
            if is_quoted {
                self.is_begun = true;
                self.field.is_literal &= argument.is_literal;
                self.field.text.push_str(&argument.text);
                self.field.is_downloaded |= argument.is_downloaded;
            } else {
                self.split(&argument.text, argument.is_downloaded);
            }
            self.field.is_many |= argument.is_many && self.is_begun;
        }
    }

    /// Adds an unquoted value, split at `IFS`.
    fn split(&mut self, value: &str, is_downloaded: bool) {
        self.field.is_literal = false;
        self.field.is_downloaded |= is_downloaded;
        if value.is_empty() {
            return;
        }
        let Some(separators) = self.scope.separators() else {
            // The separators are not known, and so the fields are not either.
            self.is_begun = true;
            self.field.is_many = true;
            self.field.text.push_str(TAINTED);
            return;
        };
        for char in value.chars() {
            if separators.contains(char) {
                self.separate(matches!(char, ' ' | '\t' | '\n'), is_downloaded);
                continue;
            }
            self.is_begun = true;
            self.is_after_blanks = false;
            self.field.has_glob |= matches!(char, '*' | '?' | ']');
            self.field.is_many |= char == UNKNOWN;
            self.field.text.push(char);
        }
    }

    /// Ends a field at a separator. Of several blanks and one other separator between two fields all are one separator; each
    /// further one that is not a blank ends an empty field.
    fn separate(&mut self, is_blank: bool, is_downloaded: bool) {
        let is_end = self.is_begun || !is_blank && !self.is_after_blanks;
        if is_end {
            let next = Field { is_downloaded, ..Field::default() };
            self.fields.push(std::mem::replace(&mut self.field, next));
        }
        self.is_after_blanks = is_blank && (self.is_begun || self.is_after_blanks);
        self.is_begun = false;
    }

    /// Ends the word, and returns all fields.
    fn finish(mut self, begins_with_tilde: bool) -> Vec<Field> {
        if self.is_begun {
            let mut field = self.field;
            field.has_glob &= field.text != "]" && field.text != "]]";
            if begins_with_tilde {
                let text = with_home(&field.text, self.scope);
                field.is_literal &= text == field.text;
                field.text = text;
            }
            self.fields.push(field);
        }
        self.fields
    }
}
