//! What a model should know of a command besides its output and its end.

use crate::tools::outcome::{Outcome, Status};
use crate::tools::text::words::pids;

/// The exit code of a command that a closed pipe has ended, as in `seq 99999 | head -1`: no failure.
const CLOSED_PIPE: i32 = 128 + 13;

impl Outcome {
    /// Returns the remarks as sentences. `names_processes` tells whether those are among them that still run.
    #[must_use]
    pub fn remarks(&self, names_processes: bool) -> Vec<String> {
        let gone = self.gone.as_deref().filter(|_| !self.has_not_run());
        let gone = gone.map(|gone| {
            format!("the working directory {gone} no longer exists: the command ran in {}", self.cwd)
        });
        let reset = self
            .reset_to
            .as_deref()
            .zip(self.outside_of.as_deref())
            .map(|(to, bound)| format!("the directory is outside of {bound}, and was reset to {to}"));
        let processes = if names_processes { self.still_running_processes() } else { None };
        [gone, reset, self.failed_parts(), processes].into_iter().flatten().collect()
    }

    /// Returns the remarks as lines that stand out from output.
    #[must_use]
    pub fn notes(&self, names_processes: bool) -> Vec<String> {
        self.remarks(names_processes).into_iter().map(|remark| format!("[{remark}]")).collect()
    }

    /// Returns the remark about processes that still run after the end of their command.
    #[must_use]
    pub fn still_running_processes(&self) -> Option<String> {
        if self.status == Status::Background || self.background_pids.is_empty() {
            return None;
        }
        let job = self.job.as_deref().filter(|_| self.is_adopted);
        let job = job.map_or_else(String::new, |job| format!(" as {job}"));
        Some(format!("still running in the background{job}: pid {}", pids(&self.background_pids)))
    }

    /// Returns the remark about the parts of the last pipeline that have failed, except the last one, whose exit code is that of
    /// the command.
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
    use super::{Outcome, Status};

    #[test]
    fn a_command_that_leaves_nothing_has_no_remarks() {
        assert_eq!(Outcome::default().notes(true), [""; 0]);
    }

    #[test]
    fn processes_that_still_run_are_named_once_their_command_is_over() {
        let outcome = Outcome { background_pids: vec![7, 8], ..Outcome::default() };
        assert_eq!(outcome.notes(true), ["[still running in the background: pid 7, 8]"]);
        assert_eq!(outcome.notes(false), [""; 0]);
        let adopted = Outcome { job: Some("job-1".into()), is_adopted: true, ..outcome.clone() };
        assert_eq!(adopted.notes(true), ["[still running in the background as job-1: pid 7, 8]"]);
        let running = Outcome { status: Status::Background, ..outcome };
        assert_eq!(running.notes(true), [""; 0]);
    }

    #[test]
    fn the_parts_of_a_pipeline_that_failed_are_told_from_those_whose_reader_ended() {
        let notes = |pipe_status: &[i32]| {
            Outcome { pipe_status: pipe_status.to_vec(), ..Outcome::default() }.notes(true)
        };
        assert_eq!(notes(&[1, 0]), ["[of the pipeline with 2 parts, part 1 exited with 1]"]);
        assert_eq!(
            notes(&[2, 3, 4]),
            ["[of the pipeline with 3 parts, part 1 exited with 2, part 2 exited with 3]"]
        );
        assert_eq!([notes(&[0, 1]), notes(&[141, 0]), notes(&[])], [vec![], vec![], vec![] as Vec<String>]);
    }

    #[test]
    fn a_directory_that_was_removed_is_named_with_the_one_in_its_place() {
        let outcome = Outcome { gone: Some("/a/b".into()), cwd: "/a".into(), ..Outcome::default() };
        let note = "[the working directory /a/b no longer exists: the command ran in /a]";
        assert_eq!(outcome.notes(true), [note]);
        assert_eq!(Outcome { status: Status::Denied, ..outcome }.notes(true), [""; 0]);
    }

    #[test]
    fn a_directory_that_was_reset_is_told_to_dialects_without_words_for_it() {
        let outcome = Outcome { reset_to: Some("/a/b".into()), ..Outcome::default() };
        assert_eq!(outcome.notes(true), [""; 0]);
        let outcome = Outcome { outside_of: Some("/a".into()), ..outcome };
        assert_eq!(outcome.notes(true), ["[the directory is outside of /a, and was reset to /a/b]"]);
    }
}
