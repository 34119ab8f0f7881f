//! Arguments of a command: options and operands.

use crate::policy::commands::{Field, OptionWord};

/// Returns the arguments as text, with unknown parts as they are.
pub(crate) fn texts(words: &[Field]) -> Vec<&str> {
    words.iter().skip(1).map(|field| field.text.as_str()).collect()
}

/// Returns whether an option is among the arguments: a letter in a cluster, or a long name, which may be
/// abbreviated. `letter` is NUL for an option without a short form.
pub(crate) fn has_option(words: &[Field], letter: char, long: &str) -> bool {
    let options = words.iter().skip(1).take_while(|field| field.text != "--");
    options.filter_map(|field| OptionWord::of(&field.text)).any(|option| option.is(letter, long))
}

/// Returns the arguments that are no options.
pub(crate) fn operands(words: &[Field]) -> impl Iterator<Item = &Field> {
    let mut only_operands = false;
    words.iter().skip(1).filter(move |field| {
        if !only_operands && field.text == "--" {
            only_operands = true;
            return false;
        }
        only_operands || !field.text.starts_with('-') || field.text == "-"
    })
}
