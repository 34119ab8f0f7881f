//! The state of the walk: what is known at the current place, and what was found so far.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::policy::commands::constant::Constant;
use crate::policy::commands::contents::Contents;
use crate::policy::commands::expand::{Output, Outputs};
use crate::policy::commands::field::Field;
use crate::policy::commands::found::{Findings, Found, Input, Obstacle, Redirect};
use crate::policy::commands::inner::written_by_option;
use crate::policy::commands::scope::Scope;
use crate::policy::commands::variables;
use crate::policy::syntax::tree::{Mode, Part};
use crate::policy::syntax::{MAX_DEPTH, Syntax, SyntaxError};

use super::function::{Call, Definitions, Visit};

/// The most commands that are told apart. A command line of 10,000 bytes has fewer, unless it is made to be slow.
const MAX_COMMANDS: usize = 2_000;

/// The work of judging a command and each of its words, as counted by [`Scope::spend`]: several rules read them.
const COMMAND_WORK: usize = 40;
const WORD_WORK: usize = 6;

/// The error for a command line that takes too much work to be judged.
const TOO_MUCH: SyntaxError = SyntaxError::Unclear("it takes too much work to find all that it runs", 0);

/// The state of the walk.
#[allow(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub(super) struct Walker {
    /// The text of the command line.
    pub(super) text: String,
    /// The constants that redirections have asked for.
    pub(super) constants: RefCell<HashMap<String, Rc<Option<Constant>>>>,
    /// The variables of the loops around the current place.
    pub(super) loops: Vec<String>,
    pub(super) syntax: Syntax,
    pub(super) scope: Scope,
    pub(super) findings: Findings,
    /// The output of each substitution. The key is the address of its list in the tree: each substitution is visited right
    /// before the word around it is expanded.
    pub(super) outputs: HashMap<usize, Output>,
    /// Variables with the attribute of an integer: the shell evaluates what is assigned to them.
    pub(super) integers: HashSet<String>,
    /// Variables that are associative arrays in any case: their subscripts are text.
    pub(super) associative: HashSet<String>,
    /// Whether the commands since the start of a stage or a substitution may have printed more than numbers.
    pub(super) prints_text: bool,
    pub(super) definitions: Definitions,
    /// The code of traps, which runs at the end or in between.
    pub(super) traps: Vec<String>,
    /// The texts of the files that the command line has written so far. They outlive the processes that write them.
    pub(super) contents: Contents,
    /// The inputs that descriptors may read, by their numbers.
    pub(super) descriptors: Vec<(String, Input)>,
    /// The files that descriptors write, by their numbers.
    pub(super) sinks: Vec<(String, String)>,
    /// The named pipes, and others that stand for the input of a process: what they hold reaches readers that started before.
    pub(super) pipes: Vec<String>,
    /// Whether the whole command line is visited for the second time, with what its pipes hold at the end.
    pub(super) is_replayed: bool,
    /// The scripts that are visited, to end a recursion.
    pub(super) scripts: Vec<String>,
    /// The texts of the files of which the commands are visited, to end a recursion.
    pub(super) files: Vec<String>,
    /// The number of commands of files that were visited.
    pub(super) visited_commands: usize,
    /// The files that run without being named, each with the command that writes it.
    pub(super) implicit_files: Vec<(usize, String)>,
    nesting: Nesting,
    /// The standard input of the next command.
    pub(super) input: Input,
    /// Whether the next command runs in any case.
    pub(super) is_certain: bool,
    /// Whether the next command runs in any case once the function or the code around it runs.
    pub(super) is_certain_in_call: bool,
    /// Whether the body of a loop is visited for the second time.
    pub(super) is_repeated: bool,
    /// The functions around the current place, to end a recursion.
    pub(super) calls: Vec<Call>,
    /// The number of pipelines and process substitutions around the current place.
    pub(super) pipelines: usize,
    /// The number of background jobs around the current place.
    pub(super) background_jobs: usize,
    /// The visits of functions' bodies so far.
    pub(super) visits: Vec<Visit>,
    /// The number of results so far that depend on the calls or the loops around them.
    pub(super) unrepeatable: Cell<usize>,
    pub(super) error: Option<SyntaxError>,
    /// The command of which a guess is visited.
    pub(super) guess_of: Option<usize>,
}

/// The commands around the current place that run the command there.
#[derive(Default)]
struct Nesting {
    /// The names of the commands, the outermost first.
    wrappers: Vec<String>,
    /// The innermost command, as in [`Found::parent`].
    parent: Option<(usize, Option<usize>)>,
    depth: usize,
}

impl Outputs for Walker {
    fn output(&self, piece: &Part) -> Output {
        let (Part::Substitution(list) | Part::Process(list)) = piece else { return Output::default() };
        self.outputs.get(&std::ptr::from_ref(list).addr()).cloned().unwrap_or_default()
    }
}

impl Walker {
    pub(super) fn new(text: &str, syntax: Syntax, mut scope: Scope) -> Self {
        scope.counts_from_one = syntax == Syntax::Zsh;
        Self {
            text: text.to_owned(),
            constants: RefCell::default(),
            loops: Vec::new(),
            syntax,
            scope,
            findings: Findings::default(),
            outputs: HashMap::new(),
            integers: variables::INTEGERS.iter().map(|name| (*name).to_owned()).collect(),
            associative: HashSet::new(),
            prints_text: false,
            definitions: Definitions::default(),
            traps: Vec::new(),
            contents: Contents::default(),
            descriptors: Vec::new(),
            sinks: Vec::new(),
            pipes: Vec::new(),
            is_replayed: false,
            scripts: Vec::new(),
            files: Vec::new(),
            visited_commands: 0,
            implicit_files: Vec::new(),
            nesting: Nesting::default(),
            input: Input::default(),
            is_certain: true,
            is_certain_in_call: true,
            is_repeated: false,
            calls: Vec::new(),
            pipelines: 0,
            background_jobs: 0,
            visits: Vec::new(),
            unrepeatable: Cell::new(0),
            error: None,
            guess_of: None,
        }
    }

    /// Returns all that was found, or why that can't be everything.
    pub(super) fn finish(mut self) -> Result<Findings, SyntaxError> {
        match self.error {
            Some(error) => Err(error),
            None if self.scope.is_exhausted() => Err(TOO_MUCH),
            None => {
                self.definitions.remove_visited(&mut self.findings);
                self.findings.downloads = self.scope.downloads;
                Ok(self.findings)
            }
        }
    }

    pub(super) fn has_given_up(&self) -> bool {
        self.error.is_some() || self.scope.is_exhausted()
    }

    /// Returns the command that runs the one at the current place.
    pub(super) fn parent(&self) -> Option<(usize, Option<usize>)> {
        self.nesting.parent
    }

    /// Returns the number of commands around the current place that run others.
    pub(super) fn depth(&self) -> usize {
        self.nesting.depth
    }

    /// Restores the scope from before commands that ran in a process of their own. The files that they wrote stay.
    pub(super) fn restore(&mut self, before: Scope) {
        let downloads = std::mem::take(&mut self.scope.downloads);
        let written = std::mem::take(&mut self.scope.written);
        self.scope = before;
        self.scope.downloads = downloads;
        self.scope.written = written;
    }

    /// Visits commands that may not run.
    pub(super) fn in_branch(&mut self, visit: impl FnOnce(&mut Self)) {
        let was_certain = (self.is_certain, self.is_certain_in_call);
        (self.is_certain, self.is_certain_in_call) = (false, false);
        visit(self);
        (self.is_certain, self.is_certain_in_call) = was_certain;
    }

    /// Visits commands that run only if a condition holds, where `is_conditional` is true.
    pub(super) fn on_condition(&mut self, is_conditional: bool, visit: impl FnOnce(&mut Self)) {
        self.scope.conditions += usize::from(is_conditional);
        visit(self);
        self.scope.conditions -= usize::from(is_conditional);
    }

    /// Visits the body of a loop, twice: the second round begins with the variables that the first one has set.
    pub(super) fn in_loop(&mut self, visit: impl Fn(&mut Self)) {
        self.in_branch(|walker| {
            let start = walker.findings.commands.len();
            visit(walker);
            if !walker.is_repeated && walker.findings.commands.len() > start {
                walker.is_repeated = true;
                visit(walker);
                walker.is_repeated = false;
            }
        });
    }

    /// Visits what the command at `at` runs. `word` is the index of the first inner word among the words of that command.
    pub(super) fn inside(
        &mut self,
        at: usize,
        name: &str,
        word: Option<usize>,
        visit: impl FnOnce(&mut Self),
    ) {
        let outer = self.nesting.parent;
        if self.enter(at, name, word) {
            visit(self);
            self.leave(outer);
        }
    }

    /// Makes the command at `at` the one around the current place, and returns whether the nesting is not too deep for that.
    #[inline(never)]
    fn enter(&mut self, at: usize, name: &str, word: Option<usize>) -> bool {
        if self.nesting.depth >= MAX_DEPTH {
            self.error.get_or_insert(SyntaxError::TooDeep);
            return false;
        }
        self.nesting.depth += 1;
        self.nesting.wrappers.push(name.to_owned());
        self.nesting.parent = Some((at, word));
        true
    }

    #[inline(never)]
    fn leave(&mut self, outer: Option<(usize, Option<usize>)>) {
        self.nesting.parent = outer;
        self.nesting.wrappers.pop();
        self.nesting.depth -= 1;
    }

    /// Adds a command to the findings, with its circumstances, and returns its index.
    pub(super) fn push(&mut self, mut found: Found) -> usize {
        found.wrappers.clone_from(&self.nesting.wrappers);
        found.parent = self.nesting.parent;
        found.guess_of = self.guess_of;
        found.directory = self.scope.directory();
        found.likely_directory.clone_from(&self.scope.likely_directory);
        found.downloads.clone_from(&self.scope.downloads);
        let files = written_by_option(found.base_name().unwrap_or_default(), &found.words);
        found.outputs = files.into_iter().map(|target| self.output_file(target)).collect();
        let splits_input = found.name() == Some("read");
        for (name, value) in &found.assignments {
            // `IFS= read -r line` splits the line that is read, and nothing else.
            if variables::value_runs_code(name, value.as_deref()) && !(splits_input && name == "IFS") {
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
        self.note_contents(at);
        at
    }

    fn output_file(&self, target: Field) -> Redirect {
        let directories = self.scope.directories.clone();
        Redirect { mode: Mode::Write, target, values: Vec::new(), directories }
    }

    /// Adds assignments and redirections that have no command.
    pub(super) fn push_bare(
        &mut self,
        assignments: Vec<(String, Option<String>)>,
        redirections: Vec<Redirect>,
        input: Option<Input>,
    ) {
        if assignments.is_empty() && redirections.is_empty() {
            return;
        }
        let input = input.unwrap_or_default();
        self.push(Found { assignments, redirections, input, ..Found::of(Vec::new()) });
    }

    /// Adds a command that stands for code of which the text is not known. `what` names the code to the reader of a verdict.
    pub(super) fn push_unknown_code(&mut self, what: &'static str, is_downloaded: bool) {
        let input = Input { is_given: true, is_downloaded, ..Input::default() };
        let obstacles = vec![Obstacle::UnknownCode(what)];
        self.prints_text = true;
        self.push(Found { obstacles, input, ..Found::of(Vec::new()) });
    }
}
