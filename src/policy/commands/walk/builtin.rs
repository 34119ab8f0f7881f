//! Builtins: how a command changes the scope for the commands behind it.

use crate::policy::commands::field::{Field, TAINTED, UNKNOWN, is_glob};
use crate::policy::commands::flow::entries;
use crate::policy::commands::found::{Found, Input};
use crate::policy::commands::output::prints_text;
use crate::policy::commands::scope::Variable;
use crate::policy::commands::substitution::output_of;
use crate::policy::commands::variables;

use super::walker::Walker;

/// The most guesses at what `read` and `mapfile` read.
const MAX_GUESSES: usize = 3;

impl Walker {
    /// Applies the effects of the command at `at`: variables, parameters, the directory, downloaded files.
    pub(super) fn apply_builtin(&mut self, name: &str, words: &[Field], input: &Input, at: usize) {
        self.check_attributes(name, words);
        self.definitions.are_exported |= exports_functions(name, words);
        match name {
            "cd" | "pushd" | "chdir" => self.change_directory(&words[1..]),
            "popd" => self.scope.change_directory(None, false),
            "set" => {
                self.check_keywords(words);
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
            "read" => self.set_read(words, input, at),
            "mapfile" | "readarray" => {
                let mut names = variables::names_set(name, words);
                if names.is_empty() {
                    names.push(Field::of("MAPFILE"));
                }
                let guesses = self.likely_values(input, true, str::to_owned);
                self.set_arrays(&names, &guesses, input);
            }
            "getopts" | "wait" => self.set_arrays(&variables::names_set(name, words), &[], input),
            "printf" => self.set_printed(words),
            "export" | "declare" | "typeset" | "local" | "readonly" => self.set_declared(name, &words[1..]),
            "unset" => self.unset(words),
            "shopt" => self.set_options(words),
            // The commands behind a `return` run only where its condition does not hold.
            "return" | "exit" => self.scope.conditions += 1,
            _ => {}
        }
        self.check_evaluated(name, words);
        self.note_downloads(at);
    }

    /// Notes `set -k`, with which any argument of a later command may set a variable for it: `git log GIT_PAGER=cmd`.
    fn check_keywords(&mut self, words: &[Field]) {
        let sets = |field: &Field| {
            let is_cluster = field.text.starts_with('-') && !field.text.starts_with("--");
            field.text == "keyword" || is_cluster && field.text.contains('k')
        };
        if words[1..].iter().take_while(|field| field.text != "--").any(sets) {
            self.push_unknown_code("an option that makes arguments variables", false);
        }
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
                let home = self.scope.first_value("HOME");
                self.scope.change_directory(home.as_deref(), false);
            }
            Some(field) => {
                let is_known = !field.is_many && field.text != "-";
                self.scope.change_directory(is_known.then_some(field.text.as_str()), false);
            }
        }
    }

    /// Sets arrays of which the elements are not known, but likely these.
    #[inline(never)]
    fn set_arrays(&mut self, names: &[Field], guesses: &[String], input: &Input) {
        for field in names {
            let mut array = Variable { is_downloaded: input.is_downloaded, ..Variable::array(None) };
            array.values.extend_from_slice(guesses);
            self.check_integer(base(&field.text), array.values.iter().map(String::as_str));
            self.scope.set(base(&field.text), array, false);
        }
    }

    /// Returns guesses at what a builtin reads: a part of each of the first lines, behind the whole text if `takes_all` is true; or
    /// what is below the paths that a program prints.
    fn likely_values(&self, input: &Input, takes_all: bool, part: impl Fn(&str) -> String) -> Vec<String> {
        let Some(text) = input.text.as_deref().or(input.guesses.first().map(String::as_str)) else {
            let here = self.scope.directory();
            return entries(here.as_deref(), input.listed.as_deref(), &input.paths);
        };
        let whole = takes_all.then(|| text.trim_end_matches('\n').to_owned());
        whole.into_iter().chain(text.lines().map(part)).take(MAX_GUESSES).collect()
    }

    /// Sets the variables of `read`.
    fn set_read(&mut self, words: &[Field], input: &Input, at: usize) {
        let mut names = variables::names_set("read", words);
        // Only some shells set `REPLY`, with the blanks around the line.
        let has_names = !names.is_empty();
        if !has_names {
            names.push(Field::of("REPLY"));
        }
        let is_plain = has_names
            && names.iter().all(|field| field.known().is_some())
            && words[1..].iter().all(|field| !field.text.starts_with('-') || field.text == "-r");
        let has = |letter: char| {
            words[1..].iter().any(|field| field.text.starts_with('-') && field.text.contains(letter))
        };
        let has_delimiter = has('d');
        // An array takes all of the line.
        let count = if has('a') { 1 } else { names.len() };
        let own = self.findings.commands.get(at).and_then(|found| {
            found.assignments.iter().rfind(|(name, _)| name == "IFS").map(|(_, value)| value.clone())
        });
        let separators = own.unwrap_or_else(|| self.scope.separators());
        let line = input
            .text
            .as_deref()
            .filter(|_| is_plain)
            .and_then(|text| line_read(text, words, separators.as_deref()?));
        let separators = separators.as_deref().unwrap_or(" \t");
        for (index, field) in names.into_iter().enumerate() {
            let part = |line: &str| part_read(line, separators, index.min(count - 1), count).to_owned();
            let mut variable = Variable { is_downloaded: input.is_downloaded, ..Variable::unknown() };
            // The name at `index` goes through the text again.
            if !self.scope.spend(input.text.iter().map(|text| text.len()).sum()) {
                return;
            }
            match line.map(part) {
                Some(value) if input.is_shared => variable = variable.or(&value),
                Some(value) => variable = Variable::of(&value),
                None => variable.values.extend(self.likely_values(input, has_delimiter, part)),
            }
            self.check_integer(&field.text, variable.values.iter().map(String::as_str));
            if base(&field.text) == field.text {
                self.scope.set(&field.text, variable, self.is_certain);
            } else {
                self.scope.set(base(&field.text), Variable::array(Some(variable)), false);
            }
        }
    }

    /// Sets the variable of `printf -v`.
    fn set_printed(&mut self, words: &[Field]) {
        let Some(attached) = words.get(1).and_then(|field| field.text.strip_prefix("-v")) else { return };
        let (name, format) = match words {
            [_, _, name, format @ ..] if attached.is_empty() => (name.text.as_str(), format),
            [_, _, format @ ..] => (attached, format),
            _ => return,
        };
        let words: Vec<Field> = [Field::of("printf")].into_iter().chain(format.iter().cloned()).collect();
        let value = match output_of(&words, &self.scope) {
            Some(value) if is_glob(&value) => Variable::unknown().or(&value),
            Some(value) => Variable::of(&value),
            None if prints_text(&words, &Input::default()) => Variable::unknown(),
            None => Variable::number(),
        };
        let is_downloaded = words.iter().any(|field| field.is_downloaded);
        let value = Variable { is_downloaded, ..value };
        self.check_integer(name, value.values.iter().map(String::as_str));
        if base(name) == name {
            self.scope.set(name, value, self.is_certain);
        } else {
            self.scope.set(base(name), Variable::array(Some(value)), false);
        }
    }

    /// Sets the variables of `export`, `declare` and the like.
    fn set_declared(&mut self, builtin: &str, arguments: &[Field]) {
        let is_option = |field: &&Field| field.text.starts_with(['-', '+']);
        let has =
            |letters: &[char]| arguments.iter().filter(is_option).any(|field| field.text.contains(letters));
        let is_local = matches!(builtin, "local" | "declare" | "typeset") && !has(&['p', 'f', 'F']);
        let is_associative = has(&['A']);
        let is_read_only = builtin == "readonly" || builtin != "export" && has(&['r']);
        for field in arguments.iter().filter(|field| !is_option(field)) {
            let (target, value) = match field.text.split_once('=') {
                Some((target, value)) => (target, Some(value)),
                None => (field.text.as_str(), None),
            };
            let name = base(target.trim_end_matches('+'));
            let old = || self.scope.get(name);
            let variable = match value {
                None if is_associative => Some((Variable::array(old()), false)),
                // In a function, the variable is a new one without a value.
                None => is_local.then(|| (Variable::of(""), false)),
                Some(value) if target.contains('[') || value.starts_with('(') => {
                    let array = Variable { values: vec![TAINTED.to_owned()], ..Variable::array(None) };
                    Some((array.or(value.trim_matches(['(', ')', ' '])), false))
                }
                Some(value) if target.ends_with('+') => {
                    Some((old().unwrap_or_else(|| Variable::of("")).followed_by(value), self.is_certain))
                }
                Some(value) => Some((Variable::of(value), self.is_certain)),
            };
            if let Some((variable, is_certain)) = variable {
                let is_downloaded = variable.is_downloaded || field.is_downloaded;
                let variable = Variable { is_downloaded, ..variable };
                self.check_integer(name, value.into_iter());
                self.scope.set(name, variable, is_certain);
            }
            if is_read_only {
                self.note_unrepeatable();
                self.scope.make_read_only(name);
            }
            if let Some(value) = value.filter(|_| variables::is_code_text(name)) {
                let known = (!value.contains(UNKNOWN)).then_some(value);
                self.visit_variable_code(name, known, field.is_downloaded);
            }
        }
    }

    fn unset(&mut self, words: &[Field]) {
        if words.iter().any(|field| field.text.starts_with('-') && field.text.contains('f')) {
            return;
        }
        for field in variables::names_set("unset", words) {
            let name = base(&field.text);
            if name == field.text {
                self.scope.unset(name, self.is_certain);
            } else {
                let array = Variable::array(self.scope.get(name));
                self.scope.set(name, array, false);
            }
        }
    }

    /// Notes options of bash with which `echo` and pipelines change what variables hold.
    fn set_options(&mut self, words: &[Field]) {
        let changes =
            |field: &Field| field.known().is_none_or(|text| matches!(text, "xpg_echo" | "lastpipe"));
        if words[1..].iter().any(changes) {
            self.push_unknown_code("an option that changes what variables hold", false);
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
            let found = Found::of(words.to_vec());
            if variables::set_by(&found).iter().any(|(name, _)| variables::is_code_text(name)) {
                self.push_unknown_code("a variable that is run as code", false);
            }
        }
    }
}

/// Returns the line that `read` takes from a text of one line; `None` where it may be another one.
fn line_read<'a>(text: &'a str, words: &[Field], separators: &str) -> Option<&'a str> {
    let line = text.strip_suffix('\n').unwrap_or(text);
    let keeps_backslashes = words.iter().any(|field| field.text == "-r");
    let is_blank = |char: char| matches!(char, ' ' | '\t' | '\n');
    let is_known = !line.contains(['\n', UNKNOWN])
        && !is_glob(line)
        && (keeps_backslashes || !line.contains('\\'))
        && separators.chars().all(is_blank);
    is_known.then_some(line)
}

/// Returns the part of a line that goes to one of `count` variables: a word, and all that is left to the last one.
#[inline(never)]
fn part_read<'a>(line: &'a str, separators: &str, index: usize, count: usize) -> &'a str {
    let is_separator = |char: char| separators.contains(char);
    let mut rest = line.trim_start_matches(is_separator);
    for _ in 0..index {
        let end = rest.find(is_separator).unwrap_or(rest.len());
        rest = rest[end..].trim_start_matches(is_separator);
    }
    if index + 1 == count {
        rest.trim_end_matches(is_separator)
    } else {
        rest.split(is_separator).next().unwrap_or(rest)
    }
}

/// Returns the name of the variable that holds an element: `a` for `a[1]`.
fn base(name: &str) -> &str {
    name.split('[').next().unwrap_or(name)
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
