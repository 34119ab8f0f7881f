//! Builtins: how a command changes what is known at the commands after it.

use crate::policy::commands::analysis::ExpandedCommand;
use crate::policy::commands::expand::Expansion;
use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::commands::variables;

use super::evaluation::EVALUATING;
use super::walker::Walker;

impl Walker<'_> {
    /// Applies the effects of a command on variables and on the directory.
    pub(super) fn apply_builtin(&mut self, name: &str, words: &[Field]) {
        match name {
            "cd" | "pushd" | "chdir" | "popd" => {
                if self.moves.processes == 0 {
                    self.moves.any = true;
                    self.moves.by_functions |= self.moves.bodies > 0;
                }
                if name == "popd" {
                    self.known.change_directory(None, false);
                } else {
                    self.change_directory(&words[1..]);
                }
            }
            "set" => self.check_keywords(words),
            "export" | "declare" | "typeset" | "local" | "readonly" => self.declare(name, words),
            "read" | "printf" | "mapfile" | "readarray" | "getopts" => {
                let set = variables::set_by(&ExpandedCommand::of(words.to_vec()));
                for (name, _) in &set {
                    self.check_integer(name, &Expansion::any_text());
                }
                if set.iter().any(|(name, _)| variables::is_code_text(name)) {
                    self.push_unknown_code("a variable that is run as code", false);
                }
            }
            _ => {}
        }
        self.check_evaluated(name, words);
    }

    /// Records `set -k`, with which any argument of a later command may set a variable for it: `git log
    /// GIT_PAGER=cmd`.
    fn check_keywords(&mut self, words: &[Field]) {
        let sets = |field: &Field| {
            let is_cluster = field.text.starts_with('-') && !field.text.starts_with("--");
            field.text == "keyword" || is_cluster && field.text.contains('k')
        };
        if words[1..].iter().take_while(|field| field.text != "--").any(sets) {
            self.push_unknown_code("an option that makes arguments variables", false);
        }
    }

    fn change_directory(&mut self, arguments: &[Field]) {
        let is_option = |field: &&Field| matches!(field.text.as_str(), "-P" | "-L" | "--" | "-e" | "-@");
        match arguments.iter().find(|field| !is_option(field)) {
            None => {
                let home = self.known.with_home("~");
                self.known.change_directory(Some(&home), false);
            }
            Some(field) => {
                let is_known = !field.is_many
                    && !field.has_glob
                    && field.text != "-"
                    && !self.known.definitions.has("CDPATH");
                self.known.change_directory(is_known.then_some(field.text.as_str()), false);
            }
        }
    }

    /// Checks the variables of `export`, `declare` and the like.
    fn declare(&mut self, builtin: &str, words: &[Field]) {
        let (options, operands): (Vec<&Field>, Vec<&Field>) =
            words[1..].iter().partition(|field| field.text.starts_with(['-', '+']));
        let has = |letters: &[char]| options.iter().any(|field| field.text.contains(letters));
        // `-n` makes a name refer to another variable; `-l`, `-u` and `-c` change the case of later values.
        if builtin != "export" && has(&['n', 'l', 'u', 'c']) {
            self.push_unknown_code("an attribute that changes what a variable holds", false);
        }
        // `declare -a 'a=($(cmd))'` runs the substitution in the quotes.
        let hides = |field: &&Field| {
            field.text.contains("=(") && (field.text.contains("$(") || field.text.contains('`'))
        };
        if has(&['a', 'A']) && words[1..].iter().any(|field| hides(&field)) {
            self.push_unknown_code("an array in quotes", false);
        }
        for field in operands {
            let (target, value) = match field.text.split_once('=') {
                Some((target, value)) => (target, Some(value)),
                None => (field.text.as_str(), None),
            };
            let name = target.trim_end_matches('+').split('[').next().unwrap_or(target);
            if has(&['A']) {
                self.known.declare_associative(name);
            }
            let Some(value) = value else { continue };
            self.check_integer(name, &Expansion::of(value));
            if field.known().is_some() && name == target && !value.starts_with('(') {
                self.known
                    .assign(name, &Expansion { is_downloaded: field.is_downloaded, ..Expansion::of(value) });
            }
            if variables::is_code_text(name) {
                let known = (!value.contains(UNKNOWN)).then_some(value);
                self.visit_variable_code(name, known, field.is_downloaded);
            }
        }
    }
}

/// Returns whether a builtin changes what is known, or evaluates its arguments.
pub(super) fn affects_walk(name: &str) -> bool {
    matches!(name, "cd" | "pushd" | "chdir" | "popd" | "set") || EVALUATING.contains(&name)
}
