//! The way through the tree of a command line, in the order of the text.

use std::collections::HashMap;
use std::rc::Rc;

use crate::policy::syntax::tree::{
    Assignment, Command, Compound, Item, Kind, List, Mode, Operator, Parameter, Part, Pipeline, Redirection,
    Simple, Word,
};
use crate::policy::syntax::{MAX_DEPTH, Syntax, SyntaxError, read_nested};

use super::expand::{Choice, Outputs, UNSURE, expand, values};
use super::field::{Field, UNKNOWN};
use super::flow::{decodes, disguises, download_targets, fetches, is_network, list_reads, paths_of, spawns};
use super::inner::{Inner, code_obstacle, inner, is_shell, option_obstacle};
use super::scope::{Scope, Variable, resolve};
use super::substitution::{output_of, static_output};
use super::{Findings, Found, Input, Obstacle, Redirect, Trust, base_name, variables};

/// The most commands that are told apart. A command line of 10,000 bytes has fewer, unless it is made to be slow.
const MAX_COMMANDS: usize = 2_000;

/// The work of judging a command, and of each of its words: several rules look at them.
const COMMAND_WORK: usize = 40;
const WORD_WORK: usize = 6;
const REDIRECTION_WORK: usize = 80;

/// The most functions that call each other.
const MAX_CALLS: usize = 6;

/// Finds every simple command that may run.
///
/// # Errors
///
/// When text that is run as code can't be read, or there are too many commands.
pub fn find(list: &List, syntax: Syntax, scope: Scope) -> Result<Findings, SyntaxError> {
    let mut walker = Walker {
        syntax,
        scope,
        findings: Findings::default(),
        outputs: HashMap::new(),
        wrappers: Vec::new(),
        parent: None,
        input: Input::default(),
        is_certain: true,
        is_again: false,
        calls: Vec::new(),
        depth: 0,
        error: None,
        guess_of: None,
    };
    walker.list(list);
    match walker.error {
        Some(error) => Err(error),
        None if walker.scope.is_exhausted() => Err(TOO_MUCH),
        None => Ok(walker.findings),
    }
}

/// The error for a command line that takes too much work to be judged.
const TOO_MUCH: SyntaxError = SyntaxError::Unclear("it takes too much work to find all that it runs", 0);

/// Stands among the files that were written for one whose path is not known.
const UNKNOWN_FILE: &str = "?";

/// Stands among the downloaded files for a connection that `exec 3<>/dev/tcp/…` keeps open.
const OPEN_CONNECTION: &str = "&";

struct Walker {
    syntax: Syntax,
    scope: Scope,
    findings: Findings,
    /// What substitutions print, by their place in memory: each is walked through right before it is expanded.
    outputs: HashMap<usize, (Option<String>, bool)>,
    wrappers: Vec<String>,
    parent: Option<(usize, Option<usize>)>,
    input: Input,
    /// Whether the next command runs in any case.
    is_certain: bool,
    /// Whether a loop's body is gone through for the second time.
    is_again: bool,
    calls: Vec<String>,
    depth: usize,
    error: Option<SyntaxError>,
    /// The command of which a guess is being looked at.
    guess_of: Option<usize>,
}

impl Outputs for Walker {
    fn output(&self, piece: &Part) -> (Option<String>, bool) {
        let (Part::Substitution(list) | Part::Process(list)) = piece else { return (None, false) };
        self.outputs.get(&std::ptr::from_ref(list).addr()).cloned().unwrap_or_default()
    }
}

impl Walker {
    fn has_given_up(&self) -> bool {
        self.error.is_some() || self.scope.is_exhausted()
    }

    fn list(&mut self, list: &List) {
        for item in &list.items {
            if self.has_given_up() {
                return;
            }
            self.item(item);
        }
    }

    fn item(&mut self, item: &Item) {
        let (was_certain, scope) = (self.is_certain, item.is_background.then(|| self.scope.saved()));
        self.pipeline(&item.first);
        for (_, pipeline) in &item.rest {
            // A change of the directory that comes before `&&` has happened when what follows runs.
            self.is_certain = false;
            self.pipeline(pipeline);
        }
        self.is_certain = was_certain;
        if let Some(scope) = scope {
            self.leave(scope);
        }
    }

    /// Commands in a process of their own change nothing here; but files are files.
    fn leave(&mut self, before: Scope) {
        let downloads = std::mem::take(&mut self.scope.downloads);
        let written = std::mem::take(&mut self.scope.written);
        self.scope = before;
        self.scope.downloads = downloads;
        self.scope.written = written;
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        if let [stage] = pipeline.stages.as_slice() {
            return self.command(stage);
        }
        let input = self.input.clone();
        for (place, stage) in pipeline.stages.iter().enumerate() {
            let scope = self.scope.saved();
            let start = self.findings.commands.len();
            self.command(stage);
            self.leave(scope);
            if place + 1 < pipeline.stages.len() {
                self.input = self.flow_from(start, stage);
            }
        }
        self.input = input;
    }

    /// What comes out of a stage.
    fn flow_from(&self, start: usize, stage: &Command) -> Input {
        let found = &self.findings.commands[start..];
        let names: Vec<&str> = found.iter().filter_map(Found::base_name).collect();
        let is_known = matches!(stage, Command::Simple(_)) && names.len() == 1;
        let last = found.last();
        let text = last.filter(|_| is_known).and_then(|found| {
            output_of(&found.words, &self.scope).map(Rc::from).or_else(|| {
                // `cat` without files hands on what it gets.
                (found.base_name() == Some("cat") && found.words.len() == 1)
                    .then(|| found.input.text.clone())
                    .flatten()
            })
        });
        let is_given = text.is_none();
        Input {
            is_given: true,
            is_downloaded: self.input.is_downloaded && is_given
                || found.iter().any(|found| {
                    fetches(found) || found.words.iter().skip(1).any(|field| field.is_downloaded)
                }),
            is_disguised: self.input.is_disguised && is_given || names.iter().any(|name| disguises(name)),
            paths: last.map_or_else(Vec::new, |found| paths_of(found, text.as_deref())).into(),
            text,
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound) => self.compound(compound),
            Command::Function { name, body } => self.function(name, body),
        }
    }

    fn function(&mut self, name: &str, body: &Compound) {
        let start = self.findings.commands.len();
        let scope = self.scope.saved();
        let was_certain = std::mem::replace(&mut self.is_certain, false);
        self.scope.positional = None;
        self.calls.push(name.to_owned());
        self.compound(body);
        self.calls.pop();
        self.is_certain = was_certain;
        self.leave(scope);
        let calls_itself =
            self.findings.commands[start..].iter().filter(|found| found.name() == Some(name)).count();
        let spawns = spawns(body);
        self.findings.has_fork_bomb |=
            calls_itself > 1 && spawns || calls_itself == 1 && spawns && name.len() == 1;
        self.scope.functions.insert(name.to_owned(), (Rc::new(body.clone()), self.is_certain));
    }

    fn compound(&mut self, Compound { kind, redirections }: &Compound) {
        let input = self.input.clone();
        if !redirections.is_empty() {
            let (redirects, given) = self.redirections(redirections);
            if let Some(given) = given {
                self.input = given;
            }
            self.bare(Vec::new(), redirects);
        }
        match kind {
            Kind::Subshell(list) => {
                let scope = self.scope.saved();
                self.list(list);
                self.leave(scope);
            }
            Kind::Group(list) => self.list(list),
            Kind::If(arms, otherwise) => self.maybe(|walker| {
                for (condition, body) in arms {
                    walker.list(condition);
                    walker.list(body);
                }
                if let Some(list) = otherwise {
                    walker.list(list);
                }
            }),
            Kind::Loop(condition, body) => self.again(|walker| {
                walker.list(condition);
                walker.list(body);
            }),
            Kind::For(name, words, body) => self.for_loop(name, words.as_deref(), body),
            Kind::ArithmeticFor(header, body) => {
                self.word(header);
                self.again(|walker| walker.list(body));
            }
            Kind::Case(subject, arms) => {
                self.word(subject);
                self.maybe(|walker| {
                    for (patterns, body) in arms {
                        for pattern in patterns {
                            walker.word(pattern);
                        }
                        walker.list(body);
                    }
                });
            }
            Kind::Arithmetic(word) => {
                self.word(word);
                self.arithmetic_assignments(word);
            }
            Kind::Test(words) => {
                for word in words {
                    self.word(word);
                }
                self.tested_paths(words);
                self.check_hidden_subscripts(words.iter().filter_map(Word::literal));
            }
            Kind::Coprocess(command) => {
                let scope = self.scope.saved();
                self.command(command);
                self.leave(scope);
            }
        }
        self.input = input;
    }

    /// Notes the files that a test asks about.
    fn tested_paths(&mut self, words: &[Word]) {
        let fields: Vec<Field> =
            words.iter().flat_map(|word| expand(word, &self.scope, self, UNSURE, &mut 0)).collect();
        for pair in fields.windows(2) {
            let is_file_test = |text: &str| {
                matches!(text, "-nt" | "-ot" | "-ef")
                    || text
                        .strip_prefix('-')
                        .is_some_and(|letter| letter.len() == 1 && "abcdefghkprsuwxGLNOS".contains(letter))
            };
            if is_file_test(&pair[0].text) {
                self.findings.paths.push((pair[1].clone(), self.scope.directory()));
            }
            if matches!(pair[1].text.as_str(), "-nt" | "-ot" | "-ef") {
                self.findings.paths.push((pair[0].clone(), self.scope.directory()));
            }
        }
    }

    fn maybe(&mut self, walk: impl FnOnce(&mut Self)) {
        let was_certain = std::mem::replace(&mut self.is_certain, false);
        walk(self);
        self.is_certain = was_certain;
    }

    /// What a loop's body sets may be there when it runs again.
    fn again(&mut self, walk: impl Fn(&mut Self)) {
        self.maybe(|walker| {
            let start = walker.findings.commands.len();
            walk(walker);
            if !walker.is_again && walker.findings.commands.len() > start {
                walker.is_again = true;
                walk(walker);
                walker.is_again = false;
            }
        });
    }

    fn for_loop(&mut self, name: &str, words: Option<&[Word]>, body: &List) {
        let mut fields = Vec::new();
        for word in words.unwrap_or_default() {
            self.word(word);
            fields.extend(expand(word, &self.scope, self, UNSURE, &mut 0));
        }
        if words.is_none() {
            fields = self.scope.positional.clone().unwrap_or_else(|| vec![Field::unknown()]);
        }
        for field in fields.iter().filter(|field| field.has_glob) {
            self.findings.paths.push((field.clone(), self.scope.directory()));
        }
        let variable = Variable {
            values: fields.iter().map(|field| field.text.clone()).collect(),
            is_downloaded: fields.iter().any(|field| field.is_downloaded)
                || self.input.is_downloaded && words.is_none(),
        };
        self.assigned(name, None);
        self.scope.set(name, variable, true);
        self.again(|walker| walker.list(body));
    }

    /// Goes through the commands inside of a word.
    fn word(&mut self, word: &Word) {
        for piece in &word.pieces {
            match &piece.part {
                Part::Text(_) => {}
                Part::Parameter(parameter) => self.parameter(parameter),
                Part::Substitution(list) | Part::Process(list) => self.substitution(list),
                Part::Arithmetic(word) => {
                    self.word(word);
                    self.arithmetic_assignments(word);
                }
            }
        }
    }

    fn parameter(&mut self, parameter: &Parameter) {
        for word in parameter.subscript.iter().chain(&parameter.operand) {
            self.word(word);
        }
        match parameter.operator {
            Operator::Assign => {
                let value = parameter.operand.as_ref().map(|word| values(word, &self.scope, self));
                self.assigned(
                    &parameter.name,
                    value.as_ref().and_then(|(values, _)| values.first().cloned()),
                );
                if let Some((values, is_downloaded)) = value {
                    self.scope.set(&parameter.name, Variable { values, is_downloaded }, false);
                }
            }
            Operator::Code => {
                let is_downloaded =
                    self.scope.get(&parameter.name).is_some_and(|variable| variable.is_downloaded);
                self.unknown_code("an expansion that evaluates a value", is_downloaded);
            }
            _ => {}
        }
    }

    fn substitution(&mut self, list: &List) {
        let scope = self.scope.saved();
        let input = std::mem::take(&mut self.input);
        let start = self.findings.commands.len();
        self.list(list);
        let found = &self.findings.commands[start..];
        let reads_download = list_reads(list, &self.scope.downloads);
        let is_downloaded = reads_download
            || found.iter().any(|found| {
                fetches(found) || decodes(found) || found.words.iter().any(|field| field.is_downloaded)
            });
        self.leave(scope);
        self.input = input;
        let output = static_output(list, &self.scope);
        self.outputs.insert(std::ptr::from_ref(list).addr(), (output, is_downloaded));
    }

    fn simple(&mut self, simple: &Simple) {
        let mut assignments = Vec::new();
        for assignment in &simple.assignments {
            assignments.push(self.assignment(assignment, simple.words.is_empty()));
        }
        for word in &simple.words {
            self.word(word);
        }
        let mut most = 1;
        let words = self.fields(simple, UNSURE, &mut most);
        let (redirections, given) = self.redirections(&simple.redirections);
        if simple.words.is_empty() {
            let code_variables =
                assignments.into_iter().filter(|(name, _)| variables::runs_code(name)).collect();
            return self.bare(code_variables, redirections);
        }
        let input = given.unwrap_or_else(|| self.input.clone());
        // Each value that a variable may have is a command of its own; the one that names none of them comes first.
        let guesses: Vec<Vec<Field>> = if most > 1 {
            (0..most).map(|choice| self.fields(simple, choice, &mut 0)).collect()
        } else {
            Vec::new()
        };
        let scope = (most > 1).then(|| self.scope.saved());
        let at = self.findings.commands.len();
        let tried = words.clone();
        self.invoke(Found {
            words,
            assignments: assignments.clone(),
            redirections,
            input: input.clone(),
            ..Found::default()
        });
        for words in guesses.into_iter().filter(|words| *words != tried && !words.is_empty()) {
            let after = self.scope.saved();
            if let Some(scope) = &scope {
                self.scope = scope.saved();
            }
            let was_guess = self.guess_of.replace(at);
            self.invoke(Found {
                words,
                assignments: assignments.clone(),
                input: input.clone(),
                ..Found::default()
            });
            self.guess_of = was_guess;
            self.leave(after);
        }
    }

    fn fields(&self, simple: &Simple, choice: Choice, most: &mut usize) -> Vec<Field> {
        simple.words.iter().flat_map(|word| expand(word, &self.scope, self, choice, most)).collect()
    }

    /// Assignments and redirections without a command.
    fn bare(&mut self, assignments: Vec<(String, Option<String>)>, redirections: Vec<Redirect>) {
        if assignments.is_empty() && redirections.is_empty() {
            return;
        }
        let found = Found { assignments, redirections, ..Found::default() };
        self.push(found);
    }

    /// An assignment: its name and its value, where that is known.
    fn assignment(&mut self, assignment: &Assignment, stays: bool) -> (String, Option<String>) {
        if let Some(subscript) = &assignment.subscript {
            self.word(subscript);
        }
        let mut texts = Vec::new();
        let mut is_downloaded = false;
        for word in &assignment.values {
            self.word(word);
            let (values, has_download) = values(word, &self.scope, self);
            is_downloaded |= has_download;
            texts.extend(values);
        }
        self.check_hidden_subscripts(assignment.values.iter().filter_map(Word::literal));
        let name = assignment.name.clone();
        let mut values = if assignment.is_array { vec![texts.join(" ")] } else { texts };
        if assignment.subscript.is_some() {
            values = vec![UNKNOWN.to_string()];
        } else if assignment.is_append {
            let old = self.scope.get(&name).map_or_else(|| vec![String::new()], |variable| variable.values);
            values = old
                .iter()
                .flat_map(|old| values.iter().map(move |value| format!("{old}{value}")))
                .take(4)
                .collect();
        }
        let known = match values.as_slice() {
            [value] if !value.contains(UNKNOWN) => Some(value.clone()),
            _ => None,
        };
        if variables::is_code_text(&name) {
            self.variable_code(&name, known.as_deref(), is_downloaded);
        }
        if stays {
            self.scope.set(&name, Variable { values, is_downloaded }, self.is_certain);
        }
        (name, known)
    }

    /// Goes through the value of a variable that is run as code, which may define a function (`BASH_FUNC_f%%=() { … }`).
    fn variable_code(&mut self, name: &str, value: Option<&str>, is_downloaded: bool) {
        let function = name.strip_prefix("BASH_FUNC_").and(value).map(|body| format!("f {body}"));
        let text = function.as_deref().or(value);
        self.code(text, None, "a variable that is run as code", Trust::Separate, is_downloaded);
    }

    /// A variable that is set by something else than an assignment.
    fn assigned(&mut self, name: &str, value: Option<String>) {
        if variables::is_code_text(name) {
            self.variable_code(name, value.as_deref(), false);
        }
        if variables::runs_code(name) {
            self.bare(vec![(name.to_owned(), value)], Vec::new());
        }
    }

    /// `((PATH = 1))` sets a variable too.
    fn arithmetic_assignments(&mut self, word: &Word) {
        let text: String = word
            .pieces
            .iter()
            .map(|piece| match &piece.part {
                Part::Text(text) => text.as_str(),
                _ => " ",
            })
            .collect();
        for name in text
            .split(|char: char| !(char.is_ascii_alphanumeric() || char == '_'))
            .filter(|name| !name.is_empty())
        {
            if name.starts_with(|char: char| char.is_ascii_digit()) {
                continue;
            }
            // Its value is evaluated again, with all that is in it.
            let variable = self.scope.get(name);
            let hides =
                variable.is_some_and(|variable| variable.values.iter().any(|value| hides_subscript(value)));
            if hides {
                self.unknown_code("arithmetic that evaluates a value", false);
            }
            if text.contains('=') || text.contains("++") || text.contains("--") {
                self.assigned(name, None);
                self.scope.set(name, Variable::unknown(), false);
            }
        }
    }

    /// `x[$(cmd)]` in quotes is evaluated by arithmetic, `test -v`, `unset` and the like.
    fn check_hidden_subscripts(&mut self, mut texts: impl Iterator<Item = String>) {
        if texts.any(|text| hides_subscript(&text)) {
            self.unknown_code("a subscript in quotes", false);
        }
    }

    fn redirections(&mut self, redirections: &[Redirection]) -> (Vec<Redirect>, Option<Input>) {
        let mut found = Vec::new();
        let mut given = None;
        for Redirection { mode, target, body } in redirections {
            self.scope.spend(REDIRECTION_WORK);
            let body = body.as_ref().and_then(|body| body.get());
            if let (Mode::HereDocument, Some(body)) = (mode, body) {
                self.word(body);
                given = Some(self.text_input(body));
                continue;
            }
            let start = self.findings.commands.len();
            self.word(target);
            if *mode == Mode::HereString {
                given = Some(self.text_input(target));
                continue;
            }
            let mut fields = expand(target, &self.scope, self, 0, &mut 0);
            let others = expand(target, &self.scope, self, UNSURE, &mut 0);
            if others.len() == 1 && fields.len() == 1 && others != fields {
                // The guess is for the check of harm; an allow rule covers no guess.
                fields[0].is_many = true;
            }
            let field = if fields.len() == 1 { fields.remove(0) } else { Field::unknown() };
            if matches!(mode, Mode::Read | Mode::ReadWrite | Mode::DuplicateInput) {
                let is_file_downloaded = self.is_download(&field);
                let from_process = self.findings.commands[start..].iter().any(fetches);
                given = Some(Input {
                    is_given: true,
                    is_downloaded: field.is_downloaded
                        || *mode == Mode::DuplicateInput
                            && self.scope.downloads.iter().any(|file| file == OPEN_CONNECTION)
                        || is_file_downloaded
                        || from_process
                        || is_network(&field.text),
                    ..Input::default()
                });
            }
            let directories = self.scope.directories.clone();
            found.push(Redirect { mode: *mode, target: field, directories });
        }
        (found, given)
    }

    fn text_input(&self, word: &Word) -> Input {
        let (values, is_downloaded) = values(word, &self.scope, self);
        let text = match values.as_slice() {
            [value] if !value.contains(UNKNOWN) => Some(Rc::from(value.as_str())),
            _ => None,
        };
        let text: Option<Rc<str>> = text;
        let paths = text.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned).collect();
        Input { is_given: true, text, is_downloaded, is_disguised: false, paths }
    }

    fn is_download(&self, field: &Field) -> bool {
        let path = resolve(self.scope.directory().as_deref().or(Some("/?")), &field.text);
        path.is_some_and(|path| self.scope.downloads.contains(&path))
    }

    fn push(&mut self, mut found: Found) -> usize {
        found.wrappers.clone_from(&self.wrappers);
        found.parent = self.parent;
        found.guess_of = self.guess_of;
        found.directory = self.scope.directory();
        found.downloads.clone_from(&self.scope.downloads);
        let splits_input = found.name() == Some("read");
        for (name, _) in &found.assignments {
            // `IFS= read -r line` splits what is read, and nothing else.
            if variables::runs_code(name) && !(splits_input && name == "IFS") {
                found.obstacles.push(Obstacle::Variable(name.clone()));
            }
        }
        let at = self.findings.commands.len();
        self.scope.spend(
            COMMAND_WORK + WORD_WORK * (found.words.len() + found.wrappers.len() + found.downloads.len()),
        );
        self.scope.spend(found.directory.as_ref().map_or(0, String::len) / 4);
        if at >= MAX_COMMANDS {
            self.error.get_or_insert(SyntaxError::Unclear("it has too many commands", 0));
        }
        self.findings.commands.push(found);
        self.note_written(at);
        at
    }

    fn unknown_code(&mut self, what: &'static str, is_downloaded: bool) {
        let input = Input { is_given: true, is_downloaded, ..Input::default() };
        let obstacles = vec![Obstacle::UnknownCode(what)];
        self.push(Found { obstacles, input, ..Found::default() });
    }

    /// A command with all that it runs itself.
    fn invoke(&mut self, mut found: Found) {
        if self.has_given_up() {
            return;
        }
        // An unquoted expansion at the begin may vanish: what follows is the name then.
        let rest = found.words.first().is_some_and(|field| field.is_many).then(|| found.words[1..].to_vec());
        match found.words.first() {
            // A shell that keeps a history puts another command in its place.
            Some(first) if first.known().is_none() || first.text.starts_with('!') && first.text.len() > 1 => {
                found.obstacles.push(Obstacle::UnknownName);
            }
            None => found.obstacles.push(Obstacle::UnknownName),
            Some(_) => {}
        }
        let name = found.base_name().unwrap_or_default().to_owned();
        if let Some(argument) = option_obstacle(&name, &found.words) {
            found.obstacles.push(Obstacle::Argument(argument));
        }
        if let Some(option) = code_obstacle(&name, &found.words) {
            found.obstacles.push(Obstacle::Shell(option));
        }
        for (variable, _) in variables::set_by(&found) {
            if variables::runs_code(&variable) {
                found.obstacles.push(Obstacle::Variable(variable));
            }
        }
        if self.runs_written_file(&found) {
            found.obstacles.push(Obstacle::UnknownCode("a file that this command line writes"));
        }
        let function = found.name().and_then(|name| self.scope.functions.get(name)).cloned();
        found.is_function = function.as_ref().is_some_and(|(_, is_certain)| *is_certain);
        let inner = if function.is_some() { Vec::new() } else { inner(&found.words, &found.input) };
        found.trust = trust_of(&inner);
        let words = found.words.clone();
        let input = found.input.clone();
        let at = self.push(found);
        if let Some((body, _)) = function {
            self.call(&name, &body, &words[1..]);
        }
        self.effects(&name, &words, &input, at);
        self.run_inner(at, &name, &words, &input, inner);
        if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
            self.behind(at, "…", Some(1), |walker| {
                walker.invoke(Found { words: rest, input: input.clone(), ..Found::default() });
            });
        }
    }

    /// Goes through what a command runs.
    fn run_inner(&mut self, at: usize, name: &str, words: &[Field], input: &Input, inner: Vec<Inner>) {
        for inner in inner {
            match inner {
                Inner::Words { range, mut extra, assignments, .. } => {
                    for field in &mut extra {
                        field.is_downloaded = input.is_downloaded;
                    }
                    if !extra.is_empty() {
                        extra.extend(
                            input.paths.iter().map(|path| Field { text: path.clone(), ..Field::default() }),
                        );
                    }
                    let place = range.start;
                    let words: Vec<Field> = words[range].iter().cloned().chain(extra).collect();
                    let input = if name == "xargs" { Input::default() } else { input.clone() };
                    self.behind(at, name, Some(place), |walker| {
                        for (name, value) in &assignments {
                            if variables::is_code_text(name) {
                                walker.variable_code(name, value.as_deref(), false);
                            }
                        }
                        walker.invoke(Found { words, assignments, input, ..Found::default() });
                    });
                }
                Inner::Guess(words) => self.guess(at, name, words),
                Inner::Made(words) => self.behind(at, name, None, |walker| {
                    let trust = None;
                    walker.push(Found { words, trust, ..Found::default() });
                }),
                Inner::Code { text, positional, what, trust, is_downloaded } => {
                    let input = input.clone();
                    self.behind(at, name, None, |walker| {
                        let before = std::mem::replace(&mut walker.input, input);
                        walker.code(text.as_deref(), positional, what, trust, is_downloaded);
                        walker.input = before;
                    });
                }
            }
        }
    }

    /// A command that this may run if its options are others than those that are known. It denies, and never allows.
    fn guess(&mut self, at: usize, name: &str, words: Vec<Field>) {
        if self.guess_of.is_some() {
            return;
        }
        let (error, scope) = (self.error.take(), self.scope.saved());
        self.guess_of = Some(at);
        self.behind(at, name, None, |walker| walker.invoke(Found { words, ..Found::default() }));
        self.guess_of = None;
        self.error = error;
        self.leave(scope);
    }

    fn behind(&mut self, at: usize, name: &str, place: Option<usize>, walk: impl FnOnce(&mut Self)) {
        if self.depth >= MAX_DEPTH {
            self.error.get_or_insert(SyntaxError::TooDeep);
            return;
        }
        self.depth += 1;
        self.wrappers.push(name.to_owned());
        let parent = self.parent.replace((at, place));
        walk(self);
        self.parent = parent;
        self.wrappers.pop();
        self.depth -= 1;
    }

    /// Text that is run as code.
    fn code(
        &mut self,
        text: Option<&str>,
        positional: Option<Vec<Field>>,
        what: &'static str,
        _: Trust,
        is_downloaded: bool,
    ) {
        let Some(text) = text else { return self.unknown_code(what, is_downloaded) };
        if is_downloaded {
            self.unknown_code(what, true);
        }
        self.scope.spend(text.len());
        if self.has_given_up() {
            return;
        }
        match read_nested(text, self.syntax, self.depth) {
            Ok(list) => {
                let keeps_scope = positional.is_none();
                let scope = self.scope.saved();
                if let Some(positional) = positional {
                    let name = positional.first().map_or("bash", |field| field.text.as_str());
                    self.scope.set(
                        "0",
                        Variable { values: vec![name.to_owned()], is_downloaded: false },
                        true,
                    );
                    self.scope.set_positional(positional.get(1..).unwrap_or_default());
                }
                self.list(&list);
                if !keeps_scope {
                    self.leave(scope);
                }
            }
            Err(error) => {
                self.error.get_or_insert(error);
            }
        }
    }

    /// A call of a function, with its arguments.
    fn call(&mut self, name: &str, body: &Rc<Compound>, arguments: &[Field]) {
        if self.calls.len() >= MAX_CALLS || self.calls.iter().any(|call| call == name) {
            return;
        }
        self.calls.push(name.to_owned());
        let before = self.scope.positional.take();
        self.scope.set_positional(arguments);
        self.maybe(|walker| walker.compound(body));
        self.scope.positional = before;
        self.calls.pop();
    }

    /// What a command changes for those behind it.
    fn effects(&mut self, name: &str, words: &[Field], input: &Input, at: usize) {
        let is_certain = self.is_certain;
        self.attributes(name, words);
        match name {
            "cd" | "pushd" | "chdir" => {
                let target = words[1..]
                    .iter()
                    .find(|field| !matches!(field.text.as_str(), "-P" | "-L" | "--" | "-e" | "-@"));
                match target {
                    None => {
                        let home =
                            self.scope.get("HOME").and_then(|variable| variable.values.into_iter().next());
                        self.scope.change_directory(home.as_deref(), false);
                    }
                    Some(field) => {
                        self.scope.change_directory(field.known().filter(|text| *text != "-"), false);
                    }
                }
            }
            "popd" => self.scope.change_directory(None, false),
            "set" => {
                if let Some(at) = words.iter().position(|field| field.text == "--") {
                    self.scope.set_positional(&words[at + 1..]);
                } else if words.iter().skip(1).any(|field| !field.text.starts_with(['-', '+'])) {
                    self.scope.set_positional(&words[1..]);
                }
            }
            "shift" => self.scope.positional = None,
            "unset" => {}
            "read" | "mapfile" | "readarray" => {
                for field in words[1..].iter().filter(|field| !field.text.starts_with('-')) {
                    let variable = match (&input.text, words.len()) {
                        (Some(text), _) if name == "read" => Variable {
                            values: vec![text.trim_end_matches('\n').to_owned()],
                            is_downloaded: false,
                        },
                        _ => Variable { is_downloaded: input.is_downloaded, ..Variable::unknown() },
                    };
                    self.scope.set(&field.text, variable, is_certain);
                }
            }
            "printf" => {
                if let [_, option, variable, format @ ..] = words
                    && option.text == "-v"
                {
                    let words: Vec<Field> =
                        [Field::of("printf")].into_iter().chain(format.iter().cloned()).collect();
                    let output = output_of(&words, &self.scope);
                    let value = output.map_or_else(Variable::unknown, |value| Variable {
                        values: vec![value],
                        is_downloaded: false,
                    });
                    self.scope.set(&variable.text, value, is_certain);
                }
            }
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                for field in &words[1..] {
                    if let Some((name, value)) = field.text.split_once('=') {
                        let variable =
                            Variable { values: vec![value.to_owned()], is_downloaded: field.is_downloaded };
                        self.scope.set(name.trim_end_matches('+'), variable, is_certain);
                        if variables::is_code_text(name) {
                            let known = (!value.contains(UNKNOWN)).then_some(value);
                            self.variable_code(name, known, field.is_downloaded);
                        }
                    }
                }
            }
            _ => {}
        }
        if matches!(
            name,
            "let"
                | "test"
                | "["
                | "unset"
                | "read"
                | "printf"
                | "declare"
                | "typeset"
                | "local"
                | "export"
                | "readonly"
                | "mapfile"
                | "readarray"
                | "wait"
                | "getopts"
                | "shift"
                | "return"
                | "exit"
                | "break"
                | "continue"
        ) {
            let is_format =
                name == "printf" && words.get(1).is_none_or(|field| !field.text.starts_with("-v"));
            if !is_format {
                self.check_hidden_subscripts(words[1..].iter().map(|field| field.text.clone()));
            }
            if name == "let" {
                for field in &words[1..] {
                    let mut word = Word::default();
                    word.pieces.push(crate::policy::syntax::tree::Piece {
                        part: Part::Text(field.text.clone()),
                        is_quoted: true,
                    });
                    self.arithmetic_assignments(&word);
                }
            }
        }
        self.note_downloads(at);
    }

    /// Whether a command runs a file that commands before it have written: its content is not judged.
    fn runs_written_file(&self, found: &Found) -> bool {
        if self.scope.written.is_empty() {
            return false;
        }
        let Some(name) = found.name() else { return false };
        let operands = if is_shell(base_name(name)) || matches!(name, "source" | ".") {
            found.words[1..].iter().filter(|field| !field.text.starts_with(['-', '+'])).collect()
        } else if name.contains('/') {
            vec![&found.words[0]]
        } else {
            Vec::new()
        };
        operands.into_iter().any(|field| {
            let path = resolve(self.scope.directory().as_deref().or(Some("/?")), &field.text);
            let is_written = |written: &String| {
                written == UNKNOWN_FILE || path.as_ref().is_none_or(|path| path == written)
            };
            self.scope.written.iter().any(is_written)
        })
    }

    /// Notes the files that a command writes.
    fn note_written(&mut self, at: usize) {
        let found = &self.findings.commands[at];
        let operands = || found.words.iter().skip(1).filter(|field| !field.text.starts_with('-'));
        let mut files: Vec<&str> = found
            .redirections
            .iter()
            .filter(|redirect| writes(redirect.mode) && redirect.target.known() != Some("/dev/null"))
            .map(|redirect| redirect.target.text.as_str())
            .collect();
        let mut inside = Vec::new();
        match found.base_name() {
            Some("tee" | "sponge") => files.extend(operands().map(|field| field.text.as_str())),
            Some("dd") => files.extend(operands().filter_map(|field| field.text.strip_prefix("of="))),
            Some("cp" | "mv" | "ln" | "install" | "rsync" | "scp") => {
                let texts: Vec<&str> = operands().map(|field| field.text.as_str()).collect();
                if let Some((target, sources)) = texts.split_last() {
                    files.push(target);
                    // The target may be a directory.
                    inside.extend(sources.iter().map(|source| format!("{target}/{}", base_name(source))));
                }
            }
            _ => {}
        }
        let directory = found.directory.as_deref().or(Some("/?"));
        let resolved: Vec<String> = files
            .into_iter()
            .chain(inside.iter().map(String::as_str))
            .map(|file| resolve(directory, file).unwrap_or_else(|| UNKNOWN_FILE.to_owned()))
            .collect();
        for file in resolved {
            if !self.scope.written.contains(&file) {
                self.scope.spend(file.len() + self.scope.written.len());
                self.scope.written.push(file);
            }
        }
    }

    /// Attributes of variables that change what an assignment means, and variables that are set to code that is not known.
    fn attributes(&mut self, name: &str, words: &[Field]) {
        if matches!(name, "declare" | "typeset" | "local" | "readonly" | "export") {
            let options = || words[1..].iter().filter(|field| field.text.starts_with('-'));
            // `-n` makes a name stand for another one, `-l`, `-u` and `-c` change what is assigned later.
            if name != "export" && options().any(|field| field.text.contains(['n', 'l', 'u', 'c'])) {
                self.unknown_code("an attribute that changes what a variable holds", false);
            }
            // `declare -a 'a=($(cmd))'` runs what is in the quotes.
            let is_array = options().any(|field| field.text.contains(['a', 'A']));
            let hides = |field: &Field| {
                field.text.contains("=(") && (field.text.contains("$(") || field.text.contains('`'))
            };
            if is_array && words[1..].iter().any(hides) {
                self.unknown_code("an array in quotes", false);
            }
        }
        if matches!(name, "read" | "printf" | "mapfile" | "readarray" | "getopts") {
            let found = Found { words: words.to_vec(), ..Found::default() };
            if variables::set_by(&found).iter().any(|(name, _)| variables::is_code_text(name)) {
                self.unknown_code("a variable that is run as code", false);
            }
        }
    }

    /// Files that a download leaves.
    fn note_downloads(&mut self, at: usize) {
        let found = &self.findings.commands[at];
        let mut files = Vec::new();
        let is_fetched = fetches(found) || found.input.is_downloaded;
        if found.base_name() == Some("exec") && fetches(found) {
            self.scope.downloads.push(OPEN_CONNECTION.to_owned());
        }
        if is_fetched {
            files.extend(
                found
                    .redirections
                    .iter()
                    .filter(|redirect| writes(redirect.mode))
                    .map(|redirect| redirect.target.text.clone()),
            );
        }
        let texts: Vec<&str> = found.words.iter().map(|field| field.text.as_str()).collect();
        match found.base_name() {
            Some("curl" | "wget" | "aria2c" | "http" | "fetch" | "axel") => {
                files.extend(download_targets(&texts));
            }
            Some("scp" | "rsync" | "gsutil" | "rclone") if texts.iter().any(|text| text.contains(':')) => {
                files.extend(texts.last().map(|text| (*text).to_owned()));
            }
            Some("tee" | "dd" | "sponge") if found.input.is_downloaded => {
                files.extend(texts[1..].iter().map(|text| text.trim_start_matches("of=").to_owned()));
            }
            // A copy of a download is one.
            Some("cp" | "mv" | "ln" | "install") if texts.len() > 2 => {
                let is_download = texts[1..texts.len() - 1].iter().any(|text| {
                    resolve(found.directory.as_deref().or(Some("/?")), text)
                        .is_some_and(|path| self.scope.downloads.contains(&path))
                });
                if is_download {
                    files.extend(texts.last().map(|text| (*text).to_owned()));
                }
            }
            _ => {}
        }
        let directory = found.directory.clone();
        for file in files {
            // One directory is as good as another for files that belong to an unknown one.
            if let Some(path) = resolve(directory.as_deref().or(Some("/?")), &file) {
                self.scope.downloads.push(path);
            }
        }
    }
}

fn trust_of(inner: &[Inner]) -> Option<Trust> {
    let trusts = inner.iter().filter_map(|inner| match inner {
        Inner::Words { trust, .. } | Inner::Code { trust, .. } => Some(*trust),
        Inner::Made(_) => Some(Trust::Separate),
        Inner::Guess(_) => None,
    });
    // The most careful one.
    trusts.fold(None, |all, trust| match (all, trust) {
        (None, trust) => Some(trust),
        (Some(Trust::Separate), _) | (_, Trust::Separate) => Some(Trust::Separate),
        (Some(Trust::Runner), _) | (_, Trust::Runner) => Some(Trust::Runner),
        _ => Some(Trust::Transparent),
    })
}

fn writes(mode: Mode) -> bool {
    matches!(mode, Mode::Write | Mode::Append | Mode::ReadWrite | Mode::DuplicateOutput)
}

fn hides_subscript(text: &str) -> bool {
    text.find('[').is_some_and(|bracket| text[bracket..].contains("$(") || text[bracket..].contains('`'))
}
