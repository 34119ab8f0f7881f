//! The line after a command, and the script that it reads, by which a shell writes the statuses of the last
//! pipeline: a live shell to its control pipe, any other shell to a file. Pure.

use crate::session::shell::flavor::SessionFlavor;

impl SessionFlavor {
    /// Returns whether the shell records the statuses of a pipeline.
    #[must_use]
    pub const fn records_statuses(self) -> bool {
        self.statuses().is_some()
    }

    /// Returns the words with the statuses of the last pipeline; `None` for a shell that does not record
    /// them.
    const fn statuses(self) -> Option<&'static str> {
        match self {
            Self::Bash => Some("${PIPESTATUS[@]}"),
            Self::Zsh => Some("${pipestatus[@]}"),
            Self::Posix => None,
        }
    }

    /// Returns the line after a command by which the shell reads the script at a path; `None` for a shell
    /// that does not record the statuses. The script writes `words` before the statuses, and keeps `$?`.
    #[must_use]
    pub fn statuses_line(self, script: &str, words: &str) -> Option<String> {
        let statuses = self.statuses()?;
        Some(format!("\n{{ \\builtin . {script} \"$?\" {words} \"{statuses}\"; }} 2>/dev/null\n"))
    }
}

/// Returns the script, which writes a space before each word, and a NUL at the end.
#[must_use]
pub fn statuses_script(path: &str) -> String {
    format!(
        "\\builtin printf ' %s' \"${{@:2}}\" >{path}\n\\builtin printf '\\0' >>{path}\n\\builtin return \"$1\"\n"
    )
}

#[cfg(test)]
mod tests {
    use super::SessionFlavor;

    #[test]
    fn only_shells_with_statuses_of_a_pipeline_report_them() {
        assert!(SessionFlavor::Bash.statuses_line("/d/s", "").is_some());
        assert!(SessionFlavor::Posix.statuses_line("/d/s", "").is_none());
    }
}
