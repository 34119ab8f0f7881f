//! Names of the files and named pipes in the directory of a shell.

/// The text of a command.
pub(crate) const COMMAND: &str = "command";
/// The script by which a shell reports. The name is short, because zsh reads the line with it byte by byte.
pub(crate) const REPORT: &str = "r";
/// The script that closes the standard descriptors of bash before a command.
pub(crate) const BEGIN: &str = "b";
/// The script by which a shell reports the statuses of a pipeline.
pub(crate) const STATUSES: &str = "statuses";
/// The named pipe on which a shell reports.
pub(crate) const CTL: &str = "ctl";
/// The named pipe of standard output.
pub(crate) const STDOUT: &str = "o";
/// The named pipe of standard error.
pub(crate) const STDERR: &str = "e";
/// The file of an input that is known from the beginning.
pub(crate) const INPUT: &str = "i";
/// The named pipe of an input that is written to while the command runs.
pub(crate) const INPUT_PIPE: &str = "p";
