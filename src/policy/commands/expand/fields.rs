//! Joins the parts of a word, and splits the result into fields.

use std::rc::Rc;

use crate::policy::commands::field::{ANY_TEXT, Field, UNKNOWN, Values};

use super::braces::braces;
use super::expansion::{Atom, Expansion};

/// The most fields of a word; more count as unknown.
const MAX_FIELDS: usize = 64;

/// The most possible values of a word.
const MAX_VALUES: usize = 64;

/// Joins the parts of a word, and returns its fields.
///
/// `splits` is whether unquoted values are split at blanks; otherwise they are unknown. `home` replaces a
/// tilde at the start.
pub(in crate::policy::commands) fn fields_of(
    atoms: Vec<Atom>,
    splits: bool,
    home: &dyn Fn(&str) -> String,
) -> Vec<Field> {
    let mut fields = Vec::new();
    for atoms in braces(atoms) {
        let mut builder = Builder { fields, field: FieldBuilder::default(), is_begun: false, splits };
        builder.add_all(&atoms);
        let has_tilde = matches!(atoms.first(), Some(Atom::Text(text, false)) if text.starts_with('~'));
        fields = builder.finish(has_tilde.then_some(home));
        if fields.len() > MAX_FIELDS {
            fields.truncate(MAX_FIELDS);
            fields.push(Field::unknown());
            break;
        }
    }
    fields
}

/// Joins the parts of a word to one value that is neither split nor globbed, as in an assignment.
pub(in crate::policy::commands) fn value_of(atoms: &[Atom], home: &dyn Fn(&str) -> String) -> Expansion {
    let mut built = FieldBuilder::default();
    for atom in atoms {
        match atom {
            Atom::Text(text, _) => built.push_text(text),
            Atom::Value(value, _) => built.push_value(value),
        }
    }
    let has_tilde = matches!(atoms.first(), Some(Atom::Text(text, false)) if text.starts_with('~'));
    let field = built.into_field(has_tilde.then_some(home));
    Expansion {
        text: field.text,
        values: field.values,
        is_downloaded: field.is_downloaded,
        ..Expansion::default()
    }
}

/// A field to which parts are added.
struct FieldBuilder {
    field: Field,
    /// The possible texts so far, from the first part with several values on; `None` if there are too many,
    /// or any text is possible.
    values: Option<Vec<String>>,
    is_complete: bool,
    /// Whether a part with several values was added.
    has_values: bool,
}

impl Default for FieldBuilder {
    fn default() -> Self {
        let field = Field { is_literal: true, is_nonempty: true, ..Field::default() };
        Self { field, values: None, is_complete: true, has_values: false }
    }
}

impl FieldBuilder {
    fn push_text(&mut self, text: &str) {
        self.field.text.push_str(text);
        for value in self.values.iter_mut().flatten() {
            value.push_str(text);
        }
    }

    fn push_value(&mut self, value: &Expansion) {
        self.field.is_literal = false;
        self.field.is_downloaded |= value.is_downloaded;
        if !value.text.contains(UNKNOWN) {
            return self.push_text(&value.text);
        }
        self.field.is_nonempty &= value.is_nonempty;
        let before = match (self.has_values, self.values.take()) {
            (false, _) => Some(vec![self.field.text.clone()]),
            (true, values) => values,
        };
        let joined =
            before.filter(|before| before.len() * value.values.all.len() <= MAX_VALUES).map(|before| {
                let behind = |text: &String| {
                    value.values.all.iter().map(move |value| format!("{text}{value}")).collect::<Vec<_>>()
                };
                before.iter().flat_map(behind).collect::<Vec<_>>()
            });
        self.values = joined.filter(|values| !values.is_empty());
        self.is_complete &= value.values.is_complete;
        self.has_values = true;
        self.field.text.push_str(&value.text);
    }

    fn into_field(self, home: Option<&dyn Fn(&str) -> String>) -> Field {
        let mut field = self.field;
        let mut all = self.values.unwrap_or_default();
        if let Some(home) = home {
            let text = home(&field.text);
            field.is_literal &= text == field.text;
            field.text = text;
            for value in &mut all {
                *value = home(value);
            }
        }
        field.values = Values { is_complete: self.is_complete && !all.is_empty(), all: Rc::from(all) };
        field
    }
}

struct Builder {
    /// The fields that are complete.
    fields: Vec<Field>,
    /// The field that further parts belong to.
    field: FieldBuilder,
    /// Whether `field` exists: an unquoted expansion without a value leaves no field.
    is_begun: bool,
    splits: bool,
}

impl Builder {
    fn add_all(&mut self, atoms: &[Atom]) {
        for atom in atoms {
            match atom {
                Atom::Text(text, is_quoted) => {
                    self.is_begun = true;
                    // A bracket expression ends with `]`: `[` alone matches itself.
                    self.field.field.has_glob |= !is_quoted && text.contains(['*', '?', ']']);
                    self.field.push_text(text);
                }
                Atom::Value(value, true) => {
                    self.is_begun = true;
                    self.field.field.is_many |= value.is_many;
                    self.field.push_value(value);
                }
                Atom::Value(value, false) => self.split(value),
            }
        }
    }

    /// Adds an unquoted value, split at blanks.
    fn split(&mut self, value: &Expansion) {
        let is_blank = |char: char| matches!(char, ' ' | '\t' | '\n');
        let is_unknown = value.text.contains(UNKNOWN);
        if is_unknown || !self.splits && !value.text.is_empty() {
            // The value may have no field, or several. The values of a loop's variable are plain words,
            // because none has a blank.
            let is_plain =
                |text: &String| !text.is_empty() && !text.contains([' ', '\t', '\n', '*', '?', '[']);
            let is_one = self.splits && value.values.is_complete && value.values.all.iter().all(is_plain);
            self.is_begun = true;
            self.field.field.is_many |= !is_one;
            let text = if is_unknown { value.text.clone() } else { ANY_TEXT.to_owned() };
            return self.field.push_value(&Expansion { text, ..value.clone() });
        }
        self.field.field.is_literal = false;
        self.field.field.is_downloaded |= value.is_downloaded;
        for (index, part) in value.text.split(is_blank).enumerate() {
            if index > 0 && self.is_begun {
                let built = std::mem::take(&mut self.field);
                self.field.field.is_downloaded = built.field.is_downloaded;
                self.field.field.is_literal = false;
                self.fields.push(built.into_field(None));
                self.is_begun = false;
            }
            if !part.is_empty() {
                self.is_begun = true;
                self.field.field.has_glob |= part.contains(['*', '?', ']']);
                self.field.push_text(part);
            }
        }
    }

    /// Ends the word, and returns all fields.
    fn finish(mut self, home: Option<&dyn Fn(&str) -> String>) -> Vec<Field> {
        if self.is_begun {
            let mut field = self.field.into_field(home);
            field.has_glob &= field.text != "]" && field.text != "]]";
            self.fields.push(field);
        }
        self.fields
    }
}
