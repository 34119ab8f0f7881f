//! Calls of functions: the body is visited once for each set of arguments and of values that it reads.

use std::collections::HashMap;
use std::rc::Rc;

use crate::policy::commands::field::Field;
use crate::policy::commands::scope::Variable;
use crate::policy::commands::walk::walker::Walker;
use crate::policy::syntax::tree::Compound;

use super::visit::{CallContext, Visit};

/// The most functions that call each other.
const MAX_CALLS: usize = 6;

/// The most visits of one body that are remembered.
const MAX_VISITS: usize = 256;

/// The work of comparing a call with an earlier one, as counted by `Scope::spend`.
const COMPARE_WORK: usize = 4;

impl Walker {
    /// Visits the body of a function again, with the arguments of a call, unless the same visit has been made.
    pub(in crate::policy::commands::walk) fn visit_call(
        &mut self,
        name: &str,
        body: &Rc<Compound>,
        arguments: &[Field],
    ) {
        if self.calls.len() >= MAX_CALLS || self.calls.iter().any(|call| call.name == name) {
            self.definitions.note_call(name, false);
            self.note_unrepeatable();
            return;
        }
        if self.guess_of.is_none() {
            self.definitions.note_call(name, true);
        }
        let context = self.call_context();
        if self.repeat(body, arguments, &context) {
            return;
        }
        let printed_text = std::mem::replace(&mut self.prints_text, false);
        let before = self.scope.variables_before_call();
        self.enter_call(name);
        let positional = self.scope.positional.take();
        self.scope.set_positional(arguments);
        self.in_branch(|walker| {
            walker.is_certain_in_call = true;
            walker.visit_compound(body);
        });
        self.scope.positional = positional;
        self.leave_call();
        self.remember(body, arguments, context, &before);
        self.prints_text |= printed_text;
    }

    /// Notes that the result of a visit depends on the calls or the loops around it.
    pub(in crate::policy::commands::walk) fn note_unrepeatable(&self) {
        self.unrepeatable.set(self.unrepeatable.get() + 1);
    }

    fn call_context(&self) -> CallContext {
        CallContext {
            state: self.scope.state(),
            input: self.input.clone(),
            parent: self.parent(),
            definition: self.definitions.current(),
            is_guess: self.guess_of.is_some(),
            is_repeated: self.is_repeated,
            counts: [
                self.integers.len(),
                self.associative.len(),
                self.traps.len(),
                self.contents.writes() + self.descriptors.len(),
                self.unrepeatable.get(),
            ],
        }
    }

    /// Takes the result of an earlier visit, if there was the same one.
    fn repeat(&mut self, body: &Rc<Compound>, arguments: &[Field], context: &CallContext) -> bool {
        self.scope.spend(COMPARE_WORK + self.visits.len() / 4);
        let visits = self.visits.iter().filter(|visit| Rc::ptr_eq(&visit.body, body));
        let is_same = |visit: &&Visit| {
            visit.arguments == arguments
                && visit.context.covers(context)
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
        context: CallContext,
        before: &HashMap<String, Variable>,
    ) {
        let (read, written) = self.scope.end_of_call();
        let count = self.visits.iter().filter(|visit| Rc::ptr_eq(&visit.body, body)).count();
        if count >= MAX_VISITS || self.has_given_up() || self.call_context() != context {
            return;
        }
        let value_before = |name: &String| before.get(name).cloned().or_else(|| self.scope.outer_value(name));
        let reads = read.union(&written).map(|name| (name.clone(), value_before(name))).collect();
        let writes = written.iter().filter_map(|name| Some((name.clone(), self.scope.get(name)?))).collect();
        let prints_text = self.prints_text;
        let visit = Visit {
            body: Rc::clone(body),
            arguments: arguments.to_vec(),
            context,
            reads,
            writes,
            prints_text,
        };
        self.visits.push(visit);
    }
}
