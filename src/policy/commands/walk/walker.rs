//! The state of the walk, and the commands that it has found so far.

use std::ops::Range;

use crate::policy::commands::analysis::{
    Analysis, ExpandedCommand, Obstacle, Origin, Redirect, StandardInput,
};
use crate::policy::commands::definitions::Definitions;
use crate::policy::commands::variables;
use crate::syntax::tree::List;
use crate::syntax::{MAX_DEPTH, Syntax, SyntaxError};

use super::known::{Known, WalkSurroundings};

/// The most commands that are distinguished. A command line of 10,000 bytes has fewer, unless it is made to
/// be slow.
const MAX_COMMANDS: usize = 2_500;

/// The most work: bytes of text that expansions copy, and equally costly steps. Usual command lines need less
/// than 1,000.
const MAX_WORK: usize = 500_000;

/// The work of copying a word besides the length of its text, as counted by [`Walker::charge`].
const FIELD_WORK: usize = 16;

/// The state of the walk.
pub(super) struct Walker<'a> {
    pub(super) syntax: Syntax,
    pub(super) known: Known<'a>,
    pub(super) findings: Analysis,
    /// The standard input of the next command.
    pub(super) input: StandardInput,
    pub(super) moves: Moves,
    pub(super) error: Option<SyntaxError>,
    nesting: Nesting,
    copied: usize,
}

/// Changes of the directory. A function runs in the directory of its caller, and leaves its caller in another
/// one.
#[derive(Default)]
pub(super) struct Moves {
    /// The number of processes around the current position, which keep their directory to themselves.
    pub(super) processes: usize,
    /// The number of functions whose bodies contain the current position.
    pub(super) bodies: usize,
    /// The commands of functions' bodies.
    pub(super) ranges: Vec<Range<usize>>,
    /// Whether the shell may change its directory, and below, whether a function may.
    pub(super) any: bool,
    pub(super) by_functions: bool,
}

/// The commands around the current position, each of which runs the next.
#[derive(Default)]
struct Nesting {
    /// The innermost command, as in [`ExpandedCommand::parent`].
    parent: Option<(usize, Option<usize>)>,
    depth: usize,
}

impl<'a> Walker<'a> {
    pub(super) fn new(list: &List, syntax: Syntax, surroundings: WalkSurroundings<'a>) -> Self {
        Self {
            syntax,
            known: Known::new(Definitions::of(list, syntax), surroundings),
            findings: Analysis::default(),
            input: StandardInput::default(),
            moves: Moves::default(),
            error: None,
            nesting: Nesting::default(),
            copied: 0,
        }
    }

    /// Returns everything found, or why that can't be complete.
    pub(super) fn finish(mut self) -> Result<Analysis, SyntaxError> {
        if self.moves.any {
            let Self { moves, findings, .. } = &mut self;
            for range in &moves.ranges {
                findings.commands[range.clone()].iter_mut().for_each(ExpandedCommand::may_run_elsewhere);
            }
        }
        self.error.map_or(Ok(self.findings), Err)
    }

    /// Counts work, and gives up if it is too much.
    pub(super) fn charge(&mut self, length: usize) {
        self.copied += length;
        if self.copied > MAX_WORK {
            self.fail(SyntaxError::Unclear("it takes too much work to find all that it runs", 0));
        }
    }

    pub(super) fn fail(&mut self, error: SyntaxError) {
        self.error.get_or_insert(error);
    }

    /// Returns the number of commands around the current position that run others.
    pub(super) fn depth(&self) -> usize {
        self.nesting.depth
    }

    /// Visits commands that may not run, or that run in a new process: their definitions do not hold
    /// afterwards.
    pub(super) fn in_branch(&mut self, visit: impl FnOnce(&mut Self)) {
        let mark = self.known.mark();
        visit(self);
        self.known.cut(mark);
    }

    /// Visits commands that run in a new process, which has its own directory.
    pub(super) fn in_process(&mut self, visit: impl FnOnce(&mut Self)) {
        let directories = self.known.directories.clone();
        self.moves.processes += 1;
        self.in_branch(visit);
        self.moves.processes -= 1;
        self.known.directories = directories;
    }

    /// Visits what the command at `at` runs. `word` is the index of the first inner word among the words of
    /// that command.
    pub(super) fn inside(&mut self, at: usize, word: Option<usize>, visit: impl FnOnce(&mut Self)) {
        if self.nesting.depth >= MAX_DEPTH {
            return self.fail(SyntaxError::TooDeep);
        }
        let outer = self.nesting.parent.replace((at, word));
        self.nesting.depth += 1;
        visit(self);
        self.nesting.depth -= 1;
        self.nesting.parent = outer;
    }

    /// Adds a command to the findings, with its circumstances, and returns its index.
    pub(super) fn push(&mut self, mut found: ExpandedCommand) -> usize {
        found.parent = self.nesting.parent;
        found.directories = self.known.directories.clone();
        found.style = self.known.style();
        // `IFS= read -r line` affects only how that line is split.
        let splits_input = found.name() == Some("read");
        for (name, value) in &found.assignments {
            if !(splits_input && name == "IFS") {
                found.obstacles.extend(variables::obstacle(name, value.as_deref(), found.style));
            }
        }
        self.charge(found.words.iter().map(|field| FIELD_WORK + field.text.len()).sum());
        let at = self.findings.commands.len();
        if at >= MAX_COMMANDS {
            self.fail(SyntaxError::Unclear("it has too many commands", 0));
        }
        self.findings.commands.push(found);
        at
    }

    /// Adds assignments and redirections that have no command.
    pub(super) fn push_bare(
        &mut self,
        assignments: Vec<(String, Option<String>)>,
        redirections: Vec<Redirect>,
        input: StandardInput,
    ) {
        if !assignments.is_empty() || !redirections.is_empty() {
            self.push(ExpandedCommand { assignments, redirections, input, ..ExpandedCommand::default() });
        }
    }

    /// Adds a command that stands for unknown code. `what` names the code in the reason of a verdict.
    pub(super) fn push_unknown_code(&mut self, what: &'static str, is_downloaded: bool) {
        let origin = if is_downloaded { Origin::Network } else { Origin::Local };
        self.push_code_of(what, StandardInput { origin, ..StandardInput::default() });
    }

    /// Adds a command that stands for code from an input.
    pub(super) fn push_code_of(&mut self, what: &'static str, input: StandardInput) {
        self.push(ExpandedCommand {
            obstacles: vec![Obstacle::UnknownCode(what)],
            input,
            ..ExpandedCommand::default()
        });
    }
}
