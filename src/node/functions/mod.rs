//! The functions that need neither a host nor a job.
//!
//! * [`policy`] decides whether a command may run; [`tools`] has the dialects of a shell tool; [`shells`]
//!   knows shells; [`environment`] filters variables; [`sandbox`] says which sandboxes this machine has, and
//!   checks an option; [`tree_limits`] says whether it can limit all processes together.
//! * [`view`] makes the view of what exists and reads lines of files; [`plain_lines`] makes a stream plain
//!   text; [`visible`] escapes what a person can't see; [`comparison`] compares command lines;
//!   [`durable`] finds jobs that have outlived their hosts.

pub mod comparison;
pub mod durable;
pub mod environment;
pub mod plain_lines;
pub mod policy;
pub mod sandbox;
pub mod shells;
pub mod tools;
pub mod tree_limits;
pub mod view;
pub mod visible;
