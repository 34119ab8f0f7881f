//! Calls of functions: the body is visited once for each set of arguments and of values that it reads.

use std::collections::HashMap;
use std::rc::Rc;

use crate::policy::commands::field::Field;
use crate::policy::commands::found::Input;
use crate::policy::commands::scope::{State, Variable};
use crate::policy::syntax::tree::Compound;

use crate::policy::commands::walk::walker::Walker;

/// The most functions that call each other.
const MAX_CALLS: usize = 6;

/// The most visits of one body that are remembered.
const MAX_VISITS: usize = 256;

/// The work of comparing a call with an earlier one, as counted by `Scope::spend`.
const COMPARE_WORK: usize = 4;

/// An earlier visit of a body, with all that its result depends on.
#[derive(Debug)]
pub(in crate::policy::commands::walk) struct Visit {
    body: Rc<Compound>,
    arguments: Vec<Field>,
    place: Place,
    /// Variables that the body has read or set, with their values before.
    reads: Vec<(String, Option<Variable>)>,
    /// Variables that the body has set, with their values after it.
    writes: Vec<(String, Variable)>,
    prints_text: bool,
}

/// The circumstances of a call, beside the variables.
#[derive(Debug, PartialEq)]
struct Place {
    state: State,
    input: Input,
    /// The command that runs the call, as in `Found::parent`.
    parent: Option<(usize, Option<usize>)>,
    /// The definition that is visited. Its commands may be left out at the end.
    definition: Option<usize>,
    is_guess: bool,
    is_repeated: bool,
    /// The numbers of attributes, traps and other things that a body may meet.
    counts: [usize; 4],
}

impl Place {
    /// Returns whether a visit here has found all that one at `other` would find.
    fn covers(&self, other: &Self) -> bool {
        self.state == other.state
            && self.input == other.input
            && self.parent == other.parent
            && (self.definition.is_none() || self.definition == other.definition)
            && (!self.is_guess || other.is_guess)
            && (!self.is_repeated || other.is_repeated)
            && self.counts[..3] == other.counts[..3]
    }
}

impl Walker {
    /// Visits the body of a function again, with the arguments of a call, unless the same visit has been made.
    pub(in crate::policy::commands::walk) fn visit_call(
        &mut self,
        name: &str,
        body: &Rc<Compound>,
        arguments: &[Field],
    ) {
        if self.calls.len() >= MAX_CALLS || self.calls.iter().any(|call| call == name) {
            self.definitions.note_call(name, false);
            self.note_unrepeatable();
            return;
        }
        if self.guess_of.is_none() {
            self.definitions.note_call(name, true);
        }
        let place = self.place();
        if self.repeat(body, arguments, &place) {
            return;
        }
        let printed_text = std::mem::replace(&mut self.prints_text, false);
        let before = self.scope.variables_before_call();
        self.calls.push(name.to_owned());
        let positional = self.scope.positional.take();
        self.scope.set_positional(arguments);
        self.in_branch(|walker| {
            walker.is_certain_in_call = true;
            walker.visit_compound(body);
        });
        self.scope.positional = positional;
        self.calls.pop();
        self.remember(body, arguments, place, &before);
        self.prints_text |= printed_text;
    }

    /// Notes that the result of a visit depends on the calls or the loops around it.
    pub(in crate::policy::commands::walk) fn note_unrepeatable(&self) {
        self.unrepeatable.set(self.unrepeatable.get() + 1);
    }

    fn place(&self) -> Place {
        Place {
            state: self.scope.state(),
            input: self.input.clone(),
            parent: self.parent(),
            definition: self.definitions.current(),
            is_guess: self.guess_of.is_some(),
            is_repeated: self.is_repeated,
            counts: [self.integers.len(), self.associative.len(), self.traps.len(), self.unrepeatable.get()],
        }
    }

    /// Takes the result of an earlier visit, if there was the same one.
    fn repeat(&mut self, body: &Rc<Compound>, arguments: &[Field], place: &Place) -> bool {
        self.scope.spend(COMPARE_WORK + self.visits.len() / 4);
        let visits = self.visits.iter().filter(|visit| Rc::ptr_eq(&visit.body, body));
        let is_same = |visit: &&Visit| {
            visit.arguments == arguments
                && visit.place.covers(place)
                && visit.reads.iter().all(|(name, value)| self.scope.get(name) == *value)
        };
        let Some(visit) = visits.into_iter().find(is_same) else { return false };
        self.prints_text |= visit.prints_text;
        for (name, value) in &visit.writes {
            self.scope.set(name, value.clone(), true);
        }
        true
    }

    /// Remembers the visit of a body, unless it changed more than variables.
    fn remember(
        &mut self,
        body: &Rc<Compound>,
        arguments: &[Field],
        place: Place,
        before: &HashMap<String, Variable>,
    ) {
        let (read, written) = self.scope.end_of_call();
        let count = self.visits.iter().filter(|visit| Rc::ptr_eq(&visit.body, body)).count();
        if count >= MAX_VISITS || self.has_given_up() || self.place() != place {
            return;
        }
        let value_before = |name: &String| before.get(name).cloned().or_else(|| self.scope.outer_value(name));
        let reads = read.union(&written).map(|name| (name.clone(), value_before(name))).collect();
        let writes = written.iter().filter_map(|name| Some((name.clone(), self.scope.get(name)?))).collect();
        let prints_text = self.prints_text;
        let visit =
            Visit { body: Rc::clone(body), arguments: arguments.to_vec(), place, reads, writes, prints_text };
        self.visits.push(visit);
    }
}
