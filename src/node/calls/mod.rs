//! The calls of JavaScript on a [`Host`](super::host::Host), by subject.

pub mod control;
pub mod directories;
pub mod inspection;
#[cfg(not(darwin))]
pub mod overlay;
pub mod pipe_status;
pub mod reading;
pub mod session;
pub mod start;
pub mod target;
pub mod terminal;
