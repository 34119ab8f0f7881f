//! The lines and files by which a shell reports the end of a command. Pure.

use super::own_streams::OwnStreams;
use crate::session::shell::files::{CTL, REPORT};
use crate::session::shell::flavor::SessionFlavor;

/// The end of a file that keeps `$?`, except under errexit, where a failing status would end the shell.
pub(in crate::session::shell) const RETURN_STATUS: &str =
    "\\builtin [ \"${-##*e*}\" ] && \\builtin return \"$1\"\n\\builtin return 0\n";

impl SessionFlavor {
    /// Returns the lines by which the shell reports the status of the command before them, and its directory.
    #[must_use]
    pub fn report_line(self, directory: &str, token: &str, own_streams: OwnStreams) -> String {
        match self {
            // The last line is for a command that has removed the file, and for a stop before the file has
            // been read: without its standard input, bash would end.
            Self::Bash => {
                let restoring = own_streams.restoring("\\exec");
                format!("\\builtin . {directory}/{REPORT} {token} \"$?\"\n{restoring}\n")
            }
            Self::Zsh => format!("\\builtin . {directory}/{REPORT} {token} \"$?\"\n"),
            Self::Posix => format!("\\__agent_bash_report {token} \"$?\"\n"),
        }
    }

    /// Returns the text of the file that reports, for shells whose `.` passes arguments on. In bash, it opens
    /// the standard descriptors again, by another name where a function is called `exec`; a shell that has
    /// lost them ends with the status of its command. In zsh, the file keeps `$?`, except under errexit,
    /// where a failing status would end the shell.
    #[must_use]
    pub fn report_file(self, directory: &str, own_streams: OwnStreams) -> String {
        let options = if self == Self::Zsh { " $-" } else { "" }.to_owned() + &self.hidden_hooks();
        let report = format!(
            "{}\n\\builtin printf '%s %s\\0%s\\0' \"$1\" \"$2{options}\" \"$PWD\" >{directory}/{CTL}\n",
            self.hiding_hooks(),
        );
        if self != Self::Bash {
            return report + &RETURN_STATUS.replace("$1", "$2");
        }
        let has_input = own_streams.has_input();
        format!(
            "{}\n{has_input} || {{ {}; {has_input} || \\builtin exit \"$2\"; }}\n\
             {report}\\builtin return 0\n",
            own_streams.restoring("\\exec"),
            own_streams.restoring("\\command exec"),
        )
    }
}
