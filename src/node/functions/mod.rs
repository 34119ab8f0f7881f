//! The functions that need neither a host nor a job.
//!
//! * [`policy`] decides whether a command may run; [`tools`] has the dialects of a shell tool; [`shells`]
//!   knows shells; [`environment`] filters variables; [`sandbox`] says which sandboxes this machine has, and
//!   checks an option; [`tree_limits`] says whether it can limit all processes together.
//! * [`view`] makes the view of what exists and reads lines of files; [`plain_lines`] makes a stream plain
//!   text; [`visible`] escapes what a person can't see; [`comparison`] compares command lines;
//!   [`durable`] finds jobs that have outlived their hosts.

#[cfg(unix)]
pub mod comparison;
#[cfg(unix)]
pub mod durable;
#[cfg(unix)]
pub mod environment;
pub mod plain_lines;
#[cfg(unix)]
pub mod policy;
#[cfg(unix)]
pub mod sandbox;
#[cfg(unix)]
pub mod shells;
#[cfg(unix)]
pub mod tools;
#[cfg(unix)]
pub mod tree_limits;
#[cfg(unix)]
pub mod view;
pub mod visible;
