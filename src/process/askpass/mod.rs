//! The questions of programs for passwords and names, which the helper in its role askpass passes on.
//!
//! * [`socket`] is the directory of one job with the link that programs execute and the socket to which it
//!   connects.
//! * [`asker`] finds out which program asks, and whether the answer can reach nobody else.
//!
//! [`crate::job::prompts`] has what becomes of a question.

pub mod asker;
pub mod socket;
