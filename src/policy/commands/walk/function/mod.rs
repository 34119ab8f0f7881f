//! Functions: [`definitions`] knows which bodies are judged by their calls alone, [`calls`] visits a body for a call, [`visit`] is
//! what an earlier visit depended on, and [`recursion`] recognizes functions whose calls multiply processes.

mod calls;
mod definitions;
mod recursion;
mod visit;

pub(super) use definitions::Definitions;
pub(super) use recursion::Call;
pub(super) use visit::Visit;
