//! Shells that were started ahead and wait for their one command.
//!
//! A shell reads its start files before it runs anything, and that can take longer than the command. A warm
//! shell has read them: it reads its command from a descriptor, runs it, and then exits, like any other
//! shell. The keeper starts another one in its place, in the background. A warm shell fits a command only if
//! all that a shell can see of its start is the same.
//!
//! * [`simple`] decides which commands may run in a warm shell, [`flavor`] has the kinds of shells that can
//!   wait, and [`key`] decides which shell fits a command; [`sandbox_key`] is the part about its sandbox.
//! * [`shells`] is the table of warm shells; [`keeper`] starts, replaces and ends them.

pub mod flavor;
pub mod keeper;
pub mod key;
pub mod sandbox_key;
pub mod shells;
pub mod simple;
