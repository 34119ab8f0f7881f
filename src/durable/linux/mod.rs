//! Durable jobs, which only Linux has.

pub(in crate::durable) mod ask;
pub mod attach;
pub mod command;
pub(in crate::durable) mod socket;
pub mod start;
pub(in crate::durable) mod sweep;
