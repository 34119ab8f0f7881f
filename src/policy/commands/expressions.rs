//! Expressions of arithmetic: the variables in them, and which of these they set.
//!
//! bash expands `a[$(cmd)]` wherever it evaluates a number or the name of an element, even where that text is
//! the value of a variable. Text that comes from outside may have this form.

/// Returns the names of variables in an expression.
pub(super) fn names(expression: &str) -> impl Iterator<Item = &str> {
    let words = expression.split(|char: char| !(char.is_ascii_alphanumeric() || char == '_'));
    words.filter(|word| word.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_'))
}

/// Returns whether an expression has an operator that sets a variable.
pub(super) fn assigns(expression: &str) -> bool {
    let bytes = expression.as_bytes();
    let at = |index: usize| bytes.get(index).copied().unwrap_or_default();
    let sets = |index: usize| {
        let (before, first) = match index {
            0 => return false,
            1 => (at(0), 0),
            _ => (at(index - 1), at(index - 2)),
        };
        let compares = match before {
            b'=' | b'!' => true,
            b'<' | b'>' => first != before,
            _ => false,
        };
        at(index) == b'=' && at(index + 1) != b'=' && !compares
    };
    expression.contains("++") || expression.contains("--") || (0..bytes.len()).any(sets)
}

/// Returns whether a text may name an element with a substitution in its subscript: `a[$(cmd)]`.
pub(super) fn hides_subscript(text: &str) -> bool {
    text.find('[').is_some_and(|bracket| text[bracket..].contains("$(") || text[bracket..].contains('`'))
}
