//! Confines a process: by capabilities, Landlock, and a filter of system calls (seccomp).

pub(super) mod capabilities;
pub(super) mod landlock;
pub(super) mod seccomp;
pub mod service;
