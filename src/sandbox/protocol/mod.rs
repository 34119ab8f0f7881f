//! What the host and the helper say to each other: [`plan`] are the bytes of a plan, [`report`] what the
//! helper answers, [`inside`] the addresses of a private network, and [`launch`]
//! the host's side of all.

pub mod inside;
#[cfg(not(darwin))]
pub mod launch;
pub mod plan;
pub mod report;
