//! The files and named pipes in the directory of a shell: their names, and the files that stay the same.

use super::flavor::SessionFlavor;
use super::lines::own_streams::OwnStreams;
use super::lines::pipe_status::statuses_script;

pub(crate) use crate::helper::supervisor::protocol::pipes::{CTL, INPUT_PIPE, STDERR, STDOUT};

/// The text of a command.
pub(crate) const COMMAND: &str = "command";
/// The script by which a shell reports. The name is short, because zsh reads the line with it byte by byte.
pub(crate) const REPORT: &str = "r";
/// The script that closes the standard descriptors of bash before a command.
pub(crate) const BEGIN: &str = "b";
/// The script by which a shell reports the statuses of a pipeline.
pub(crate) const STATUSES: &str = "statuses";
/// The file of an input that is known from the beginning.
pub(crate) const INPUT: &str = "i";

impl SessionFlavor {
    /// Returns the names and the texts of the scripts that a shell reads for each command.
    #[must_use]
    pub fn scripts(self, directory: &str, own_streams: OwnStreams) -> Vec<(&'static str, String)> {
        if self == Self::Posix {
            return Vec::new();
        }
        vec![
            (REPORT, self.report_file(directory, own_streams)),
            (BEGIN, self.begin_file()),
            (STATUSES, statuses_script(&format!("{directory}/{CTL}"))),
        ]
    }
}
