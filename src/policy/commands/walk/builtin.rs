//! Builtins: how a command changes the scope for the commands behind it.

use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::commands::flow::entries;
use crate::policy::commands::found::{Found, Input};
use crate::policy::commands::output::prints_text;
use crate::policy::commands::scope::Variable;
use crate::policy::commands::substitution::output_of;
use crate::policy::commands::variables;

use super::walker::Walker;

impl Walker {
    /// Applies the effects of the command at `at`: variables, parameters, the directory, downloaded files.
    pub(super) fn apply_builtin(&mut self, name: &str, words: &[Field], input: &Input, at: usize) {
        self.check_attributes(name, words);
        self.definitions.are_exported |= exports_functions(name, words);
        match name {
            "cd" | "pushd" | "chdir" => self.change_directory(&words[1..]),
            "popd" => self.scope.change_directory(None, false),
            "set" => {
                let options =
                    words.iter().skip(1).take_while(|field| field.text.starts_with(['-', '+'])).count();
                if words.len() > options + 1 || words.iter().any(|field| field.text == "--") {
                    self.set_parameters(words);
                }
            }
            "shift" => {
                let count = match words {
                    [_] => Some(1),
                    [_, count] => count.known().and_then(|text| text.parse().ok()),
                    _ => None,
                };
                self.scope.shift(count.filter(|_| self.is_certain_in_call));
            }
            "read" | "mapfile" | "readarray" => self.set_read(name, words, input),
            "printf" => self.set_printed(words),
            "export" | "declare" | "typeset" | "local" | "readonly" => self.set_declared(&words[1..]),
            _ => {}
        }
        self.check_evaluated(name, words);
        self.note_downloads(at);
    }

    /// Sets the positional parameters by `set`, if it runs in any case and all its options are known.
    fn set_parameters(&mut self, words: &[Field]) {
        let operands = match words {
            [_, first, ..] if !first.text.starts_with(['-', '+']) && first.known().is_some() => Some(1),
            [_, separator, ..] if separator.known() == Some("--") => Some(2),
            _ => None,
        };
        match operands.filter(|_| self.is_certain_in_call) {
            Some(at) => self.scope.set_positional(&words[at..]),
            None => self.scope.positional = None,
        }
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
    fn set_read(&mut self, name: &str, words: &[Field], input: &Input) {
        for field in variables::names_set(name, words) {
            let mut variable = match &input.text {
                Some(text) if name == "read" => {
                    Variable { values: vec![text.trim_end_matches('\n').to_owned()], is_downloaded: false }
                }
                _ => Variable { is_downloaded: input.is_downloaded, ..Variable::unknown() },
            };
            self.check_integer(&field.text, variable.values.iter().map(String::as_str));
            if name == "read" && input.text.is_none() {
                let here = self.scope.directory();
                variable.values.extend(entries(here.as_deref(), input.listed.as_deref(), &input.paths));
            }
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
        let value = match output_of(&words, &self.scope) {
            Some(value) => Variable { values: vec![value], is_downloaded: false },
            None if prints_text(&words, &Input::default()) => Variable::unknown(),
            None => Variable::number(),
        };
        self.check_integer(&variable.text, value.values.iter().map(String::as_str));
        self.scope.set(&variable.text, value, self.is_certain);
    }

    /// Sets the variables of `export`, `declare` and the like.
    fn set_declared(&mut self, arguments: &[Field]) {
        for field in arguments {
            let Some((name, value)) = field.text.split_once('=') else { continue };
            let variable = Variable { values: vec![value.to_owned()], is_downloaded: field.is_downloaded };
            self.check_integer(name.trim_end_matches('+'), [value].into_iter());
            self.scope.set(name.trim_end_matches('+'), variable, self.is_certain);
            if variables::is_code_text(name) {
                let known = (!value.contains(UNKNOWN)).then_some(value);
                self.visit_variable_code(name, known, field.is_downloaded);
            }
        }
    }

    /// Checks attributes that change the meaning of an assignment, and variables that are set to code that is not known.
    fn check_attributes(&mut self, name: &str, words: &[Field]) {
        if matches!(name, "declare" | "typeset" | "local" | "readonly" | "export") {
            let options = || words[1..].iter().filter(|field| field.text.starts_with('-'));
            let operands = || words[1..].iter().filter(|field| !field.text.starts_with(['-', '+']));
            let declared = || operands().map(|field| field.text.split(['=', '+']).next().unwrap_or_default());
            if options().any(|field| field.text.contains('i')) {
                self.integers.extend(declared().map(str::to_owned));
            }
            if self.is_certain && options().any(|field| field.text.contains('A')) {
                self.associative.extend(declared().map(str::to_owned));
            }
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

/// Returns whether a builtin makes functions known to other programs: `export -f`, `declare -fx`, `set -a`.
fn exports_functions(name: &str, words: &[Field]) -> bool {
    let has = |letter: char| {
        words.iter().skip(1).any(|field| {
            field.text.starts_with('-') && field.text.contains(letter) || field.known().is_none()
        })
    };
    match name {
        "export" => has('f'),
        "declare" | "typeset" => has('x'),
        "set" => has('a') || words.iter().any(|field| field.text == "allexport"),
        _ => false,
    }
}
