//! Shells that were started ahead and wait for their one command.
//!
//! A shell reads its start files before it runs anything, and that can take longer than the command. A warm shell has done
//! so: it gets its command through a descriptor, runs it, and ends with it, like any other shell. The keeper starts another
//! one in its place, in the background. A warm shell fits a command only if all that a shell can see of its start is the same.
//!
//! * [`simple`] says which commands a warm shell can be given, [`flavor`] which shells can wait and what they are told, and
//!   [`key`] which of them fit a command.
//! * [`shells`] is the table of them; [`keeper`] starts, replaces and ends them.

pub mod flavor;
pub mod keeper;
pub mod key;
pub mod shells;
pub mod simple;
