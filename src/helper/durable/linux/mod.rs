//! The role itself, which only Linux has.

pub mod deadlines;
pub mod directory;
pub mod log;
pub mod plan;
pub(in crate::helper::durable) mod serve;
pub(in crate::helper::durable) mod start;

pub use start::run;
