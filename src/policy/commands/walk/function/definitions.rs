//! Definitions of functions: their bodies count with arguments that are not known, unless every call of them is visited.

use std::collections::HashSet;
use std::ops::Range;

use crate::policy::commands::found::{Findings, Found, Obstacle};

/// The definitions of functions in a command line.
#[derive(Debug, Default)]
pub(in crate::policy::commands::walk) struct Definitions {
    all: Vec<Definition>,
    /// The definitions that are visited, the outermost first.
    open: Vec<usize>,
    /// Whether other programs can call the functions.
    pub(in crate::policy::commands::walk) are_exported: bool,
    /// Names of commands that were no function where they stand. They may be one later, when a trap or another function runs them.
    unresolved: HashSet<String>,
}

#[derive(Debug)]
struct Definition {
    name: String,
    /// The commands of the body, as they were found with arguments that are not known.
    commands: Range<usize>,
    is_called: bool,
    /// Whether a call of it was not visited.
    is_skipped: bool,
}

impl Definitions {
    pub(in crate::policy::commands::walk) fn begin(&mut self, name: &str, start: usize) -> usize {
        let commands = start..start;
        self.all.push(Definition { name: name.to_owned(), commands, is_called: false, is_skipped: false });
        self.open.push(self.all.len() - 1);
        self.all.len() - 1
    }

    pub(in crate::policy::commands::walk) fn end(&mut self, index: usize, end: usize) {
        self.all[index].commands.end = end;
        self.open.pop();
    }

    /// Returns the innermost definition that is visited.
    pub(in crate::policy::commands::walk) fn current(&self) -> Option<usize> {
        self.open.last().copied()
    }

    pub(in crate::policy::commands::walk) fn note_call(&mut self, name: &str, is_visited: bool) {
        for definition in self.all.iter_mut().filter(|definition| definition.name == name) {
            definition.is_called |= is_visited;
            definition.is_skipped |= !is_visited;
        }
    }

    pub(in crate::policy::commands::walk) fn note_program(&mut self, name: &str) {
        if !self.unresolved.contains(name) {
            self.unresolved.insert(name.to_owned());
        }
    }

    /// Removes the commands of the bodies of which every call was visited: those of the calls stand for them, with the arguments
    /// that are known there. A command or a code that is not known could be a call of any function.
    pub(in crate::policy::commands::walk) fn remove_visited(&self, findings: &mut Findings) {
        let is_only = |name: &str| self.all.iter().filter(|other| other.name == name).count() == 1;
        let is_visited = |definition: &&Definition| {
            definition.is_called
                && !definition.is_skipped
                && !self.unresolved.contains(&definition.name)
                && is_only(&definition.name)
        };
        let mut is_removed = vec![false; findings.commands.len()];
        for definition in self.all.iter().filter(is_visited) {
            is_removed[definition.commands.clone()].fill(true);
        }
        let kept = || findings.commands.iter().zip(&is_removed).filter(|(_, is_removed)| !**is_removed);
        if self.are_exported || kept().any(|(command, _)| may_call_any(command)) {
            return;
        }
        let mut places = Vec::with_capacity(is_removed.len());
        let mut count = 0;
        for is_removed in &is_removed {
            places.push(count);
            count += usize::from(!is_removed);
        }
        let mut removed = is_removed.iter();
        findings.commands.retain(|_| !removed.next().copied().unwrap_or_default());
        for command in &mut findings.commands {
            // A file that a removed command writes is visited at the end.
            let parent = command.parent.filter(|(parent, _)| !is_removed[*parent]);
            command.parent = parent.map(|(parent, word)| (places[parent], word));
            command.guess_of = command.guess_of.map(|at| places[at]);
        }
    }
}

fn may_call_any(command: &Found) -> bool {
    let is_unknown =
        |obstacle: &Obstacle| matches!(obstacle, Obstacle::UnknownName | Obstacle::UnknownCode(_));
    command.guess_of.is_none() && command.obstacles.iter().any(is_unknown)
}
