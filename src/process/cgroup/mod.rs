//! Limits of all processes of a command together, by a cgroup of version 2.
//!
//! * [`limits`] has what a caller asks for, in plain data.
//! * [`tree`] is what a job has of it: the cgroup of its command, from before the start to the end. It has
//!   the limits before the command begins, and the kernel kills all of its processes at once.
//! * `systemd` asks for a scope where no directory is prepared.
//! * `base` opens the directory in which commands have a cgroup each, and enables its controllers; `leaf` is
//!   one such cgroup, which removes itself when it is dropped, `files` reads and writes what is in it.
//! * [`statistics`] parses what the kernel has counted, and [`report`] tells what that means for a caller.
//! * `sweep` removes the cgroups of hosts that have ended, with their processes.
//! * [`own`] reads the limits of this process's own cgroup, for the supervisor on a target.
//!
//! A system without cgroups has `none` in place of `tree`. On Windows, `windows` has the limits of a job
//! object.

pub mod limits;
#[cfg(unix)]
pub mod own;
pub mod report;
pub mod statistics;
#[cfg_attr(darwin, path = "none.rs")]
#[cfg_attr(windows, path = "windows.rs")]
pub mod tree;
