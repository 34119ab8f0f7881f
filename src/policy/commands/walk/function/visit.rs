//! Earlier visits of a function's body, and all that their results depend on.

use std::rc::Rc;

use crate::policy::commands::field::Field;
use crate::policy::commands::found::Input;
use crate::policy::commands::scope::{State, Variable};
use crate::policy::syntax::tree::Compound;

/// An earlier visit of a body, with all that its result depends on.
#[derive(Debug)]
pub(in crate::policy::commands::walk) struct Visit {
    pub(super) body: Rc<Compound>,
    pub(super) arguments: Vec<Field>,
    pub(super) context: CallContext,
    /// Variables that the body has read or set, with their values before.
    pub(super) reads: Vec<(String, Option<Variable>)>,
    /// Variables that the body has set, with their values after it.
    pub(super) writes: Vec<(String, Variable)>,
    pub(super) prints_text: bool,
}

/// The circumstances of a call, beside the variables.
#[derive(Debug, PartialEq)]
pub(super) struct CallContext {
    pub(super) state: State,
    pub(super) input: Input,
    /// The command that runs the call, as in `Found::parent`.
    pub(super) parent: Option<(usize, Option<usize>)>,
    /// The definition that is visited. Its commands may be left out at the end.
    pub(super) definition: Option<usize>,
    pub(super) is_guess: bool,
    pub(super) is_repeated: bool,
    /// The numbers of attributes, traps, writes and other things that a body may meet.
    pub(super) counts: [usize; 5],
}

impl CallContext {
    /// Returns whether a visit in this context has found all that a visit in `other` would find.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.state == other.state
            && self.input == other.input
            && self.parent == other.parent
            && (self.definition.is_none() || self.definition == other.definition)
            && (!self.is_guess || other.is_guess)
            && (!self.is_repeated || other.is_repeated)
            && self.counts[..4] == other.counts[..4]
    }
}
