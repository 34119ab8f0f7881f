//! The run of a command: why no allow rule may cover it, and what it runs itself.

use crate::policy::commands::field::{Field, TAINTED, shown};
use crate::policy::commands::found::{Found, Input, Obstacle, Trust};
use crate::policy::commands::inner::{
    Inner, argument_files, changed_directory, code_obstacle, inner, is_interpreter, option_obstacle,
    sed_runs_lines, wrapper_obstacle,
};
use crate::policy::commands::output::prints_text;
use crate::policy::commands::scope::{Variable, resolve};
use crate::policy::commands::variables;
use crate::policy::syntax::read_nested;
use crate::policy::syntax::tree::Mode;

use super::walker::Walker;

/// The most scripts that run each other.
const MAX_SCRIPTS: usize = 6;

/// The most lines of an input of which each makes a command of its own.
const MAX_LINES: usize = 3;

impl Walker {
    /// Adds a command, and visits all that it runs itself.
    pub(super) fn invoke(&mut self, mut found: Found) {
        if self.has_given_up() {
            return;
        }
        // An unquoted expansion at the start may become no word at all: the word behind it is the name then.
        let rest = found.words.first().is_some_and(|field| field.is_many).then(|| found.words[1..].to_vec());
        let name = found.base_name().unwrap_or_default().to_owned();
        self.mark_descriptors(&mut found.words);
        if is_interpreter(&name) {
            let here = self.scope.directory();
            for field in found.words.iter_mut().skip(1).filter(|field| field.content.is_none()) {
                let texts = self.content_of(here.as_deref(), &field.text);
                field.content = (!texts.is_empty()).then(|| texts.concat().into());
            }
        }
        if matches!(name.as_str(), "xargs" | "parallel") {
            self.add_arguments_of_files(&mut found);
        }
        found.obstacles = self.obstacles_of(&name, &found);
        let function = found.name().and_then(|name| self.scope.functions.get(name)).cloned();
        found.is_function = function.as_ref().is_some_and(|(_, is_certain)| *is_certain);
        if function.is_none()
            && let Some(name) = found.name()
        {
            self.definitions.note_program(name);
        }
        let mut inner = if function.is_some() { Vec::new() } else { inner(&found.words, &found.input) };
        found.trust = least_trust(&inner);
        if function.is_none() && found.trust.is_none_or(|trust| trust != Trust::Transparent) {
            self.prints_text |= prints_text(&found.words, &found.input);
        }
        if name == "git" {
            inner.extend(self.with_settings(&found).map(Inner::Guess));
        }
        let words = found.words.clone();
        let input = found.input.clone();
        // Code of this shell sees what stands before its command.
        if function.is_some() || matches!(name.as_str(), "eval" | "source" | ".") {
            for (name, value) in &found.assignments {
                let variable = value.as_deref().map_or_else(Variable::unknown, Variable::of);
                self.scope.set(name, variable, false);
            }
        }
        if let Some(name) = found.name() {
            self.check_recursion(name);
        }
        let at = self.push(found);
        if let Some((body, _)) = function {
            self.visit_call(&name, &body, &words[1..]);
        }
        self.apply_builtin(&name, &words, &input, at);
        inner.extend(self.written_scripts(&words));
        inner.extend(self.configured(&self.findings.commands[at]));
        self.visit_inner(at, &name, &words, &input, inner);
        if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
            self.inside(at, "…", Some(1), |walker| {
                walker.invoke(Found { input: input.clone(), ..Found::of(rest) });
            });
        }
    }

    /// Adds the arguments in the files of `xargs -a file` and `parallel :::: file` to the input, as guesses.
    #[inline(never)]
    fn add_arguments_of_files(&self, found: &mut Found) {
        for file in argument_files(&found.words) {
            // The commands of a process substitution stand right before this command.
            let start = self.findings.commands.len().saturating_sub(1);
            let input = self.file_input(Mode::Read, &file, start);
            let texts = input.texts().into_iter();
            found.input.guesses = found.input.guesses.iter().cloned().chain(texts).collect();
            found.input.paths = [&*found.input.paths, &*input.paths].concat().into();
            found.input.is_downloaded |= input.is_downloaded;
        }
    }

    /// Returns why no allow rule covers a command.
    fn obstacles_of(&self, name: &str, found: &Found) -> Vec<Obstacle> {
        let mut obstacles = Vec::new();
        match found.words.first() {
            // `!name` is another command in a shell that keeps a history.
            Some(first) if first.known().is_none() || first.text.starts_with('!') && first.text.len() > 1 => {
                obstacles.push(Obstacle::UnknownName);
            }
            None => obstacles.push(Obstacle::UnknownName),
            Some(_) => {}
        }
        obstacles.extend(option_obstacle(name, &found.words).map(Obstacle::Argument));
        obstacles.extend(wrapper_obstacle(name, &found.words).map(Obstacle::Argument));
        obstacles.extend(code_obstacle(name, &found.words).map(Obstacle::Shell));
        for (variable, value) in variables::set_by(found) {
            if variables::value_runs_code(&variable, value.as_deref()) {
                obstacles.push(Obstacle::Variable(shown(&variable)));
            }
        }
        if self.runs_written_file(found) {
            obstacles.push(Obstacle::UnknownCode("a file that this command line writes"));
        }
        obstacles.extend(self.interprets_written_file(found).map(Obstacle::WrittenScript));
        obstacles
    }

    fn visit_inner(&mut self, at: usize, name: &str, words: &[Field], input: &Input, inner: Vec<Inner>) {
        for inner in inner {
            match inner {
                Inner::Words { range, mut extra, placeholder, assignments, .. } => {
                    for field in &mut extra {
                        field.is_downloaded = input.is_downloaded;
                    }
                    if !extra.is_empty() {
                        extra.extend(
                            input.paths.iter().map(|path| Field { text: path.clone(), ..Field::default() }),
                        );
                    }
                    let index = range.start;
                    let directory = changed_directory(name, words, index);
                    let template = &words[range];
                    if !extra.is_empty() || placeholder.is_some() {
                        self.visit_lines(at, name, template, placeholder.as_deref(), input);
                    }
                    let mut words: Vec<Field> = template.iter().cloned().chain(extra).collect();
                    if let Some(placeholder) = placeholder.filter(|placeholder| !placeholder.is_empty()) {
                        for field in words.iter_mut().filter(|field| field.text.contains(&placeholder)) {
                            self.fill(field, &placeholder, input);
                        }
                    }
                    let input = if name == "xargs" { Input::default() } else { input.clone() };
                    self.inside(at, name, Some(index), |walker| {
                        for (name, value) in &assignments {
                            if variables::is_code_text(name) {
                                walker.visit_variable_code(name, value.as_deref(), false);
                            }
                        }
                        let scope = directory.is_some().then(|| walker.scope.saved());
                        if let Some(directory) = &directory {
                            walker.scope.change_directory(directory.known(), true);
                        }
                        walker.invoke(Found { assignments, input, ..Found::of(words) });
                        if let Some(scope) = scope {
                            walker.restore(scope);
                        }
                    });
                }
                Inner::Script { text, positional } => self.visit_script(at, name, &text, positional),
                Inner::File { text, commands } => self.visit_file(at, name, &text, commands),
                Inner::Guess(words) => self.visit_guess(at, name, words),
                Inner::Made(words) => self.inside(at, name, None, |walker| {
                    walker.push(Found::of(words));
                }),
                Inner::Code { text, positional, what, is_downloaded, .. } => {
                    let is_downloaded = is_downloaded
                        || runs_lines(name, words)
                            && (input.is_downloaded || words.iter().any(|field| self.is_download(field)));
                    let input = input.clone();
                    if name == "trap" && self.guess_of.is_none() {
                        self.traps.extend(text.clone());
                    }
                    self.inside(at, name, None, |walker| {
                        let before = std::mem::replace(&mut walker.input, input);
                        // Only `eval` and `source` run text at once and in this shell.
                        if matches!(name, "eval" | "source" | ".") || positional.is_some() {
                            walker.visit_code(text.as_deref(), positional, what, is_downloaded);
                        } else {
                            walker.in_branch(|walker| {
                                walker.visit_code(text.as_deref(), positional, what, is_downloaded);
                            });
                        }
                        walker.input = before;
                    });
                }
            }
        }
    }

    /// Visits the commands that `xargs` probably makes of the first lines of its input: each line is one argument.
    fn visit_lines(
        &mut self,
        at: usize,
        name: &str,
        template: &[Field],
        placeholder: Option<&str>,
        input: &Input,
    ) {
        let texts = input.texts();
        for line in texts.iter().flat_map(|text| text.lines()).take(MAX_LINES) {
            let words = match placeholder.filter(|placeholder| !placeholder.is_empty()) {
                Some(placeholder) => template
                    .iter()
                    .map(|field| Field { text: field.text.replace(placeholder, line), ..field.clone() })
                    .collect(),
                None => template
                    .iter()
                    .cloned()
                    .chain([Field { text: line.to_owned(), ..Field::default() }])
                    .collect(),
            };
            self.visit_guess(at, name, words);
        }
    }

    /// Puts a line of the input in the place of `placeholder`: any file of a directory, if `ls` has listed that directory.
    fn fill(&self, field: &mut Field, placeholder: &str, input: &Input) {
        let here = self.scope.directory();
        let path = |text: &str| resolve(here.as_deref(), if text.is_empty() { "." } else { text });
        let before = field.text.split(placeholder).next().unwrap_or_default();
        let lists_all = input.listed.as_deref().is_some_and(|listed| path(listed) == path(before));
        field.text = field.text.replace(placeholder, if lists_all { "*" } else { TAINTED });
        field.has_glob |= lists_all;
        field.is_literal = false;
        field.is_downloaded |= input.is_downloaded;
    }

    /// Visits a command that runs only if the options of a wrapper take other numbers of values than the tables say. A guess
    /// denies, and never allows.
    fn visit_guess(&mut self, at: usize, name: &str, words: Vec<Field>) {
        if self.guess_of.is_some() {
            return;
        }
        let (error, scope) = (self.error.take(), self.scope.saved());
        self.guess_of = Some(at);
        self.inside(at, name, None, |walker| walker.invoke(Found::of(words)));
        self.guess_of = None;
        self.error = error;
        self.restore(scope);
    }

    /// Visits the text that a script probably holds. It may be in another language.
    pub(super) fn visit_script(&mut self, at: usize, name: &str, text: &str, positional: Option<Vec<Field>>) {
        if self.scripts.len() >= MAX_SCRIPTS || self.scripts.iter().any(|other| other == text) {
            return;
        }
        let (error, scope) = (self.error.take(), self.scope.saved());
        let was_guess = self.guess_of;
        self.guess_of = was_guess.or(Some(at));
        self.scripts.push(text.to_owned());
        self.inside(at, name, None, |walker| {
            walker.in_branch(|walker| walker.visit_code(Some(text), positional, "a script", false));
        });
        self.scripts.pop();
        self.guess_of = was_guess;
        self.error = error;
        self.restore(scope);
    }

    /// Visits the code of traps again, with the variables and functions that it finds at the end.
    pub(super) fn visit_traps(&mut self) {
        for text in std::mem::take(&mut self.traps) {
            self.in_branch(|walker| walker.visit_code(Some(&text), None, "trap", false));
        }
        self.traps.clear();
    }

    /// Visits text that is run as code. `what` names the text to the reader of a verdict, where it is not known.
    pub(super) fn visit_code(
        &mut self,
        text: Option<&str>,
        positional: Option<Vec<Field>>,
        what: &'static str,
        is_downloaded: bool,
    ) {
        let Some(text) = text else { return self.push_unknown_code(what, is_downloaded) };
        if is_downloaded {
            self.push_unknown_code(what, true);
        }
        self.scope.spend(text.len());
        if self.has_given_up() {
            return;
        }
        let list = match read_nested(text, self.syntax, self.depth()) {
            Ok(list) => list,
            Err(error) => {
                self.error.get_or_insert(error);
                return;
            }
        };
        // Code with parameters of its own runs in a shell of its own; `eval` and `source` run in this one.
        let scope = self.scope.saved();
        let is_own_shell = positional.is_some();
        let was_certain = self.is_certain_in_call;
        if let Some(positional) = positional {
            self.is_certain_in_call = true;
            let name = positional.first();
            let name = name.map_or_else(
                || Variable::of("bash"),
                |field| field.known().map_or_else(Variable::unknown, Variable::of),
            );
            self.scope.set("0", name, true);
            self.scope.set_positional(positional.get(1..).unwrap_or_default());
        }
        self.visit_list(&list);
        self.is_certain_in_call = was_certain;
        if is_own_shell {
            self.restore(scope);
        }
    }
}

/// Returns whether a program of awk or sed runs the lines of its input, or gives them to a shell.
fn runs_lines(name: &str, words: &[Field]) -> bool {
    let runs = |field: &Field| {
        let text: String = field.text.split_whitespace().collect();
        ["system($", "|\"sh", "|\"bash"].iter().any(|code| text.contains(code))
    };
    match name {
        "awk" | "gawk" | "mawk" | "nawk" => words.iter().any(runs),
        "sed" | "gsed" => sed_runs_lines(words),
        _ => false,
    }
}

/// Returns the most careful trust among the commands that one runs.
fn least_trust(inner: &[Inner]) -> Option<Trust> {
    let trusts = inner.iter().filter_map(|inner| match inner {
        Inner::Words { trust, .. } | Inner::Code { trust, .. } => Some(*trust),
        Inner::Made(_) => Some(Trust::Separate),
        Inner::Guess(_) | Inner::Script { .. } | Inner::File { .. } => None,
    });
    trusts.fold(None, |all, trust| match (all, trust) {
        (None, trust) => Some(trust),
        (Some(Trust::Separate), _) | (_, Trust::Separate) => Some(Trust::Separate),
        (Some(Trust::Runner), _) | (_, Trust::Runner) => Some(Trust::Runner),
        _ => Some(Trust::Transparent),
    })
}
