//! Tricks that hide a command: each line runs `rm`, or may run it, and no line may be allowed.

mod constructs;
mod expansions;
mod files;
mod programs;

const RM: &[&str] = &["Bash(rm:*)"];
