//! Builtins: how a command changes the scope for the commands behind it.

use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::commands::found::{Found, Input};
use crate::policy::commands::scope::Variable;
use crate::policy::commands::substitution::output_of;
use crate::policy::commands::variables;
use crate::policy::syntax::tree::{Part, Piece, Word};

use super::walker::Walker;

/// Builtins that evaluate the subscripts in their arguments.
const EVALUATING: &[&str] = &[
    "let",
    "test",
    "[",
    "unset",
    "read",
    "printf",
    "declare",
    "typeset",
    "local",
    "export",
    "readonly",
    "mapfile",
    "readarray",
    "wait",
    "getopts",
    "shift",
    "return",
    "exit",
    "break",
    "continue",
];

impl Walker {
    /// Applies the effects of the command at `at`: variables, parameters, the directory, downloaded files.
    pub(super) fn apply_builtin(&mut self, name: &str, words: &[Field], input: &Input, at: usize) {
        self.check_attributes(name, words);
        match name {
            "cd" | "pushd" | "chdir" => self.change_directory(&words[1..]),
            "popd" => self.scope.change_directory(None, false),
            "set" => {
                if let Some(at) = words.iter().position(|field| field.text == "--") {
                    self.scope.set_positional(&words[at + 1..]);
                } else if words.iter().skip(1).any(|field| !field.text.starts_with(['-', '+'])) {
                    self.scope.set_positional(&words[1..]);
                }
            }
            "shift" => self.scope.positional = None,
            "read" | "mapfile" | "readarray" => self.set_read(name, &words[1..], input),
            "printf" => self.set_printed(words),
            "export" | "declare" | "typeset" | "local" | "readonly" => self.set_declared(&words[1..]),
            _ => {}
        }
        if EVALUATING.contains(&name) {
            self.check_evaluated(name, &words[1..]);
        }
        self.note_downloads(at);
    }

    fn change_directory(&mut self, arguments: &[Field]) {
        let is_option = |field: &&Field| matches!(field.text.as_str(), "-P" | "-L" | "--" | "-e" | "-@");
        match arguments.iter().find(|field| !is_option(field)) {
            None => {
                let home = self.scope.get("HOME").and_then(|variable| variable.values.into_iter().next());
                self.scope.change_directory(home.as_deref(), false);
            }
            Some(field) => {
                self.scope.change_directory(field.known().filter(|text| *text != "-"), false);
            }
        }
    }

    /// Sets the variables of `read` and `mapfile`.
    fn set_read(&mut self, name: &str, arguments: &[Field], input: &Input) {
        for field in arguments.iter().filter(|field| !field.text.starts_with('-')) {
            let variable = match &input.text {
                Some(text) if name == "read" => {
                    Variable { values: vec![text.trim_end_matches('\n').to_owned()], is_downloaded: false }
                }
                _ => Variable { is_downloaded: input.is_downloaded, ..Variable::unknown() },
            };
            self.texts.insert(field.text.clone());
            self.scope.set(&field.text, variable, self.is_certain);
        }
    }

    /// Sets the variable of `printf -v`.
    fn set_printed(&mut self, words: &[Field]) {
        let [_, option, variable, format @ ..] = words else { return };
        if option.text != "-v" {
            return;
        }
        let words: Vec<Field> = [Field::of("printf")].into_iter().chain(format.iter().cloned()).collect();
        let output = output_of(&words, &self.scope);
        let value = output
            .map_or_else(Variable::unknown, |value| Variable { values: vec![value], is_downloaded: false });
        self.scope.set(&variable.text, value, self.is_certain);
    }

    /// Sets the variables of `export`, `declare` and the like.
    fn set_declared(&mut self, arguments: &[Field]) {
        for field in arguments {
            let Some((name, value)) = field.text.split_once('=') else { continue };
            let variable = Variable { values: vec![value.to_owned()], is_downloaded: field.is_downloaded };
            self.scope.set(name.trim_end_matches('+'), variable, self.is_certain);
            if variables::is_code_text(name) {
                let known = (!value.contains(UNKNOWN)).then_some(value);
                self.visit_variable_code(name, known, field.is_downloaded);
            }
        }
    }

    /// Checks arguments that a builtin evaluates: subscripts, and the expressions of `let`.
    fn check_evaluated(&mut self, name: &str, arguments: &[Field]) {
        // The first argument of `printf` is its format, without `-v`.
        let is_format =
            name == "printf" && arguments.first().is_none_or(|field| !field.text.starts_with("-v"));
        if !is_format {
            self.check_hidden_subscripts(arguments.iter().map(|field| field.text.clone()));
        }
        if name == "let" {
            for field in arguments {
                let mut word = Word::default();
                word.pieces.push(Piece { part: Part::Text(field.text.clone()), is_quoted: true });
                self.note_arithmetic(&word);
            }
        }
    }

    /// Checks attributes that change the meaning of an assignment, and variables that are set to code that is not known.
    fn check_attributes(&mut self, name: &str, words: &[Field]) {
        if matches!(name, "declare" | "typeset" | "local" | "readonly" | "export") {
            let options = || words[1..].iter().filter(|field| field.text.starts_with('-'));
            // `-n` makes a name stand for another one; `-l`, `-u` and `-c` change the case of later values.
            if name != "export" && options().any(|field| field.text.contains(['n', 'l', 'u', 'c'])) {
                self.push_unknown_code("an attribute that changes what a variable holds", false);
            }
            // `declare -a 'a=($(cmd))'` runs the substitution in the quotes.
            let is_array = options().any(|field| field.text.contains(['a', 'A']));
            let hides = |field: &Field| {
                field.text.contains("=(") && (field.text.contains("$(") || field.text.contains('`'))
            };
            if is_array && words[1..].iter().any(hides) {
                self.push_unknown_code("an array in quotes", false);
            }
        }
        if matches!(name, "read" | "printf" | "mapfile" | "readarray" | "getopts") {
            let found = Found { words: words.to_vec(), ..Found::default() };
            if variables::set_by(&found).iter().any(|(name, _)| variables::is_code_text(name)) {
                self.push_unknown_code("a variable that is run as code", false);
            }
        }
    }
}
