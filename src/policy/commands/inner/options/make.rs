//! Arguments of make: files with rules, and variables, which rules run as parts of commands.

use crate::policy::commands::field::Field;
use crate::policy::commands::inner::lines::commands;
use crate::policy::commands::inner::model::Inner;
use crate::policy::commands::variables::runs_code;

use super::written::values;

/// Returns the files with rules that the arguments name.
pub(in crate::policy::commands) fn makefiles(words: &[Field]) -> Vec<Field> {
    values(words, "f", &["file", "makefile"], "CIoWE")
}

/// Returns the commands in rules and variables among the arguments of make, and unknown code if there are any, or if rules come
/// from its input.
pub(super) fn inner(words: &[Field]) -> Vec<Inner> {
    let is_unseen = |file: &Field| file.text == "-" || file.text.starts_with("/dev/");
    let mut rules = values(words, "E", &["eval"], "CfIoW");
    rules.extend(words.iter().skip(1).filter(|field| sets_code(&field.text)).cloned());
    let runs = makefiles(words).iter().any(is_unseen) || !rules.is_empty();
    let mut found = if runs { vec![Inner::unknown_code("rules of make")] } else { Vec::new() };
    for rule in rules.iter().take(MAX_RULES) {
        found.extend(commands(&rule.text).iter().map(|text| Inner::script(text)));
    }
    found
}

/// The most rules and variables among the arguments that are read for commands.
const MAX_RULES: usize = 16;

/// Characters of a value by which make or the shell of a recipe runs a command.
const CODE: [char; 9] = ['$', '`', ';', '|', '&', '<', '>', '(', '\n'];

/// Returns whether an argument sets a variable to code: `SHELL=cmd`, `X!=cmd`, `X=$(shell cmd)`, `X=;cmd`.
fn sets_code(text: &str) -> bool {
    let Some((name, value)) = text.split_once('=') else { return false };
    let bare = name.trim_end_matches([':', '+', '?', ' ']);
    bare.ends_with('!') || value.contains(CODE) || runs_code(bare) || bare == ".SHELLFLAGS"
}

#[cfg(test)]
mod tests {
    use super::{Field, inner, makefiles};

    fn words(text: &str) -> Vec<Field> {
        text.split(' ').map(Field::of).collect()
    }

    #[test]
    fn rules_and_variables_may_hold_commands() {
        for text in [
            "make -f -",
            "make -sf /dev/stdin",
            "make --make=-",
            "make --eval=x:;id",
            "make SHELL=id",
            "make X!=id",
            "make X:=$(shell id)",
            "make CC=id",
            "make PREFIX=/usr;id",
            "make MAKEFLAGS=--eval=x",
        ] {
            assert!(!inner(&words(text)).is_empty(), "{text}");
        }
        for text in ["make -sj4 all", "make V=1 PREFIX=/usr test", "make -C sub -f x.mk", "make -of -C -"] {
            assert!(inner(&words(text)).is_empty(), "{text}");
        }
        assert_eq!(makefiles(&words("make -sfx.mk --file y.mk")), [Field::of("x.mk"), Field::of("y.mk")]);
    }
}
