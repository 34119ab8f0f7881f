//! Functions: [`definitions`] knows which bodies are judged by their calls alone, [`calls`] visits a body for a call, and
//! [`visit`] is what an earlier visit depended on.

mod calls;
mod definitions;
mod visit;

pub(super) use definitions::Definitions;
pub(super) use visit::Visit;
