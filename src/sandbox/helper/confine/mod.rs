//! What a process may do, apart from what it sees: its capabilities, Landlock, and a filter of system calls.

pub(super) mod capabilities;
pub(super) mod landlock;
pub(super) mod seccomp;
