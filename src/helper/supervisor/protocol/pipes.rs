//! Names of the named pipes in the directory of a session's shell. They are short, because zsh reads the
//! lines that name them byte by byte.

/// The pipe on which the shell reports.
pub const CTL: &str = "ctl";
/// Standard output of a command.
pub const STDOUT: &str = "o";
/// Standard error of a command.
pub const STDERR: &str = "e";
/// The input that is written to while a command runs.
pub const INPUT_PIPE: &str = "p";
