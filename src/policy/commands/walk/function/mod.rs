//! Functions: [`definitions`] knows which bodies are judged by their calls alone, [`calls`] visits a body for a call.

mod calls;
mod definitions;

pub(super) use calls::Visit;
pub(super) use definitions::Definitions;
