//! Remarks for a model: facts about a command besides its output and its end.

use crate::process::wait::ntstatus::ntstatus;
use crate::sandbox::texts;
use crate::tools::outcome::command::{CommandOutcome, CommandStatus};
use crate::tools::outcome::{CallOutcome, DirectoryReset, RunOutcome};
use crate::tools::text::phrases::pids;

/// The exit code of a command that a closed pipe has ended, as in `seq 99999 | head -1`: no failure.
const CLOSED_PIPE: i32 = 128 + 13;

/// The remark about the first command after the loss of a container.
const NEW_CONTAINER: &str = "the container of the calls before was lost, and this is a new one: its /tmp is \
                             empty and nothing runs in it";

impl CallOutcome {
    /// Returns the remarks about the one command of a call as notes.
    #[must_use]
    pub fn notes(&self, names_processes: bool) -> Vec<String> {
        match self {
            Self::Run(run) => run.notes(names_processes),
            other => other.command().notes(names_processes),
        }
    }
}

impl RunOutcome {
    /// Returns the remarks as sentences. `names_processes` tells whether those are among them that still run.
    #[must_use]
    pub fn remarks(&self, names_processes: bool) -> Vec<String> {
        let reset = self.reset.as_ref().and_then(|DirectoryReset { to, outside_of }| {
            let bound = outside_of.as_deref()?;
            Some(format!("the directory is outside of {bound}, and was reset to {to}"))
        });
        self.remarks_with(reset, names_processes)
    }

    /// Returns the remarks as lines that stand out from output.
    #[must_use]
    pub fn notes(&self, names_processes: bool) -> Vec<String> {
        as_notes(self.remarks(names_processes))
    }

    /// Returns the notes without the one about a reset of the directory, for dialects with words of their
    /// own.
    #[must_use]
    pub fn notes_but_reset(&self, names_processes: bool) -> Vec<String> {
        as_notes(self.remarks_with(None, names_processes))
    }

    fn remarks_with(&self, reset: Option<String>, names_processes: bool) -> Vec<String> {
        let gone = self.gone.as_deref().filter(|_| !self.command.has_not_run());
        let gone = gone.map(|gone| {
            format!("the working directory {gone} no longer exists: the command ran in {}", self.cwd)
        });
        let granted = self.granted.as_ref().filter(|_| !self.command.has_not_run());
        let granted =
            granted.map(|granted| format!("of what it asked for, the command was granted {granted}"));
        let replaced =
            (self.has_new_container && !self.command.has_not_run()).then(|| NEW_CONTAINER.to_owned());
        [replaced, gone, reset, granted]
            .into_iter()
            .flatten()
            .chain(self.command.remarks(names_processes))
            .collect()
    }
}

fn as_notes(remarks: Vec<String>) -> Vec<String> {
    remarks.into_iter().map(|remark| format!("[{remark}]")).collect()
}

impl CommandOutcome {
    /// Returns the remarks as sentences, as [`RunOutcome::remarks`] does.
    #[must_use]
    pub fn remarks(&self, names_processes: bool) -> Vec<String> {
        let processes = if names_processes { self.still_running_processes() } else { None };
        let limits = self.limits.iter().cloned();
        let others = [self.system_code(), self.failed_parts(), processes, self.refusals()];
        limits.chain(others.into_iter().flatten()).collect()
    }

    /// Returns the remark about an exit code of Windows itself, whose number tells nothing.
    fn system_code(&self) -> Option<String> {
        let status = ntstatus(u32::try_from(self.exit_code?).ok()?)?;
        Some(format!("the exit code stands for {status}"))
    }

    /// Returns the remarks as lines that stand out from output.
    #[must_use]
    pub fn notes(&self, names_processes: bool) -> Vec<String> {
        as_notes(self.remarks(names_processes))
    }

    /// Returns the remark about processes that still run after the end of their command.
    #[must_use]
    pub fn still_running_processes(&self) -> Option<String> {
        if self.status == CommandStatus::Background || self.background_pids.is_empty() {
            return None;
        }
        let job = self.job.as_deref().filter(|_| self.is_adopted);
        let job = job.map_or_else(String::new, |job| format!(" as {job}"));
        Some(format!("still running in the background{job}: pid {}", pids(&self.background_pids)))
    }

    /// Returns the remark about what the sandbox of a failed command has refused. Without such evidence there
    /// is none: no text of the output tells why a command failed.
    fn refusals(&self) -> Option<String> {
        let has_failed = !self.is_success() && self.status != CommandStatus::Background;
        if has_failed { texts::refusals(&self.refused) } else { None }
    }

    /// Returns the remark about the parts of the last pipeline that have failed, except the last one, whose
    /// exit code is that of the command.
    fn failed_parts(&self) -> Option<String> {
        let (_, parts) = self.pipe_status.split_last()?;
        let failed: Vec<_> = (1..)
            .zip(parts)
            .filter(|(_, code)| ![0, CLOSED_PIPE].contains(code))
            .map(|(part, code)| format!("part {part} exited with {code}"))
            .collect();
        let count = self.pipe_status.len();
        (!failed.is_empty()).then(|| format!("of the pipeline with {count} parts, {}", failed.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::RunOutcome;
    use crate::tools::outcome::testing::{outcome, with};

    fn notes(value: Value, names_processes: bool) -> Vec<String> {
        outcome::<RunOutcome>(value).notes(names_processes)
    }

    #[test]
    fn a_command_that_leaves_nothing_has_no_remarks() {
        assert_eq!(notes(json!({}), true), [""; 0]);
    }

    #[test]
    fn processes_that_still_run_are_named_once_their_command_is_over() {
        let left = json!({ "backgroundPids": [7, 8] });
        assert_eq!(notes(left.clone(), true), ["[still running in the background: pid 7, 8]"]);
        assert_eq!(notes(left.clone(), false), [""; 0]);
        let adopted = with(left.clone(), json!({ "job": "job-1", "isAdopted": true }));
        assert_eq!(notes(adopted, true), ["[still running in the background as job-1: pid 7, 8]"]);
        assert_eq!(notes(with(left, json!({ "status": "background" })), true), [""; 0]);
    }

    #[test]
    fn an_exit_code_of_windows_itself_has_its_name() {
        let crash = json!({ "exitCode": 0xC000_0005_u32 });
        let note = "[the exit code stands for STATUS_ACCESS_VIOLATION: an invalid access to memory]";
        assert_eq!(notes(crash, true), [note]);
        assert_eq!(notes(json!({ "exitCode": 5 }), true), [""; 0]);
    }

    #[test]
    fn the_parts_of_a_pipeline_that_failed_are_told_from_those_whose_reader_ended() {
        let notes = |codes: &[i32]| notes(json!({ "pipeStatus": codes }), true);
        assert_eq!(notes(&[1, 0]), ["[of the pipeline with 2 parts, part 1 exited with 1]"]);
        assert_eq!(
            notes(&[2, 3, 4]),
            ["[of the pipeline with 3 parts, part 1 exited with 2, part 2 exited with 3]"]
        );
        assert_eq!([notes(&[0, 1]), notes(&[141, 0]), notes(&[])], [vec![], vec![], vec![] as Vec<String>]);
    }

    #[test]
    fn a_container_that_was_replaced_is_named_once_a_command_has_run_in_it() {
        let [note] = &notes(json!({ "hasNewContainer": true }), true)[..] else { panic!("expected a note") };
        assert!(note.contains("its /tmp is empty"), "{note}");
        assert_eq!(notes(json!({ "hasNewContainer": true, "status": "denied" }), true), [""; 0]);
    }

    #[test]
    fn a_directory_that_was_removed_is_named_with_the_one_in_its_place() {
        let moved = json!({ "gone": "/a/b", "cwd": "/a" });
        let note = "[the working directory /a/b no longer exists: the command ran in /a]";
        assert_eq!(notes(moved.clone(), true), [note]);
        assert_eq!(notes(with(moved, json!({ "status": "denied" })), true), [""; 0]);
    }

    #[test]
    fn what_the_sandbox_refused_is_a_remark_about_a_failure() {
        let refused = json!([
            { "kind": "socket", "path": "/run/docker.sock" },
            { "kind": "network", "host": "192.0.2.1", "port": 443, "reason": "not-loopback" },
        ]);
        let failed = json!({ "exitCode": 1, "refused": refused });
        let note = "[refused by the sandbox: /run/docker.sock (a socket outside of the writable paths), \
                    192.0.2.1:443 (not on this machine)]";
        assert_eq!(notes(failed.clone(), false), [note]);
        assert_eq!(notes(with(failed.clone(), json!({ "exitCode": 0 })), false), [""; 0]);
        assert_eq!(notes(with(failed.clone(), json!({ "status": "background" })), false), [""; 0]);
        assert_eq!(notes(with(failed, json!({ "refused": [] })), false), [""; 0]);
    }

    #[test]
    fn a_reached_limit_of_all_processes_comes_first() {
        let limits = json!({ "limits": ["the limit of 9 processes was reached; more were refused"] });
        let note = "[the limit of 9 processes was reached; more were refused]";
        assert_eq!(notes(limits.clone(), false), [note]);
        let left = with(limits, json!({ "backgroundPids": [7] }));
        assert_eq!(notes(left, true), [note, "[still running in the background: pid 7]"]);
    }

    #[test]
    fn a_reset_of_the_directory_is_a_remark_but_for_dialects_with_words_for_it() {
        assert_eq!(notes(json!({ "reset": { "to": "/a/b" } }), true), [""; 0]);
        let reset = json!({ "reset": { "to": "/a/b", "outsideOf": "/a" } });
        assert_eq!(notes(reset.clone(), true), ["[the directory is outside of /a, and was reset to /a/b]"]);
        assert_eq!(outcome::<RunOutcome>(reset).notes_but_reset(true), [""; 0]);
    }
}
