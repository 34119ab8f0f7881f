//! Attempts that would take effect after their command: in git of the host, and in the next command.

mod git;
mod next;
