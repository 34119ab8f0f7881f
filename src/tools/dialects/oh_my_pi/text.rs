//! The answers of `bash` and `job`.

use serde::Serialize;

use super::Time;
use crate::tools::dialect::Answer;
use crate::tools::outcome::{Outcome, Status};
use crate::tools::path::absolute;

/// Returns the answer to a command.
pub(super) fn command(outcome: &Outcome, time: Time, limit: u64) -> Answer {
    if outcome.has_not_run() {
        return error(&match outcome.error_code.as_deref() {
            Some("CWD_MISSING" | "ROOT_MISSING") => {
                format!("Working directory does not exist: {}", absolute(&outcome.cwd))
            }
            Some("CWD_NOT_DIRECTORY") => {
                format!("Working directory is not a directory: {}", absolute(&outcome.cwd))
            }
            Some("JOB_LIMIT") => outcome.reason().replace("or kill one.", "or cancel one."),
            _ if outcome.status == Status::Aborted => "Command aborted".to_owned(),
            _ => outcome.reason().to_owned(),
        });
    }
    let clamp = clamp_notice(time);
    let output = without_end(&outcome.stdout);
    if outcome.status == Status::Background {
        return background(outcome, &output, clamp, time);
    }
    let shown = if output.is_empty() { "(no output)".to_owned() } else { output.clone() };
    let cut = cut_notice(outcome, limit);
    let (text, is_error) = match outcome.status {
        Status::Aborted if output.is_empty() => ("Command aborted".to_owned(), true),
        Status::Aborted => (format!("{output}{cut}\n\n[Command aborted]"), true),
        Status::Timeout | Status::IdleTimeout => {
            let notices = notices(outcome, clamp.as_deref());
            (format!("{shown}{cut}\n{notices}\n\n[Command timed out after {} seconds]", time.effective), true)
        }
        _ => {
            let notices = notices(outcome, clamp.as_deref());
            match outcome.shell_code() {
                Some(0) => (format!("{shown}{cut}\n{notices}"), false),
                Some(code) => (format!("{shown}{cut}\n{notices}\n\nCommand exited with code {code}"), true),
                None => (format!("{shown}{cut}\n\nCommand failed: missing exit status"), true),
            }
        }
    };
    let data = Data {
        output: &output,
        exit_code: outcome.shell_code().filter(|code| *code != 0),
        wall_time_ms: Some(outcome.duration_ms),
        timed_out: (outcome.status == Status::Timeout).then_some(true),
        aborted: (outcome.status == Status::Aborted).then_some(true),
        truncated: outcome.truncated,
        artifact: outcome.spill_path.as_deref(),
        background_pids: &outcome.background_pids,
        ..times(time)
    };
    Answer::new(text, is_error, &data)
}

fn notices(outcome: &Outcome, clamp: Option<&str>) -> String {
    let wall = format!("\nWall time: {:.2} seconds", outcome.duration_ms / 1000.0);
    clamp.map_or(wall.clone(), |clamp| format!("{wall}\n{clamp}"))
}

fn clamp_notice(Time { requested, effective }: Time) -> Option<String> {
    #[allow(clippy::float_cmp, reason = "it is the same number unless it was clamped")]
    let requested = requested.filter(|requested| *requested != effective)?;
    Some(format!("Timeout clamped to {effective}s (requested {requested}s; allowed range 1-3600s)."))
}

/// The marker of omitted lines. The engine fills `{lines}` in.
pub(super) const MARKER: &str = "\n[... {lines} lines left out ...]\n";

/// Returns the notice that names the lines shown and the file with all output.
fn cut_notice(outcome: &Outcome, limit: u64) -> String {
    if !outcome.truncated {
        return String::new();
    }
    let place = outcome.spill_path.as_deref().map_or_else(
        || "; the rest was not kept".to_owned(),
        |path| format!(". Read {path} for full output"),
    );
    let kilobytes = limit / 1024;
    match shown_lines(&outcome.stdout) {
        Some((head, tail, total)) => {
            format!("\n[Showing lines 1-{head} and {tail}-{total} of {total} ({kilobytes}KB limit){place}]")
        }
        None => format!("\n[Showing a part of the output ({kilobytes}KB limit){place}]"),
    }
}

/// Returns three line numbers: of the last line before the marker, the first one after it, and the last line of all.
fn shown_lines(output: &str) -> Option<(usize, usize, usize)> {
    let (start, end) = MARKER.split_once("{lines}")?;
    let (head, rest) = output.split_once(start)?;
    let (count, tail) = rest.split_once(end)?;
    let head = head.lines().count();
    let left_out: usize = count.parse().ok()?;
    Some((head, head + left_out + 1, head + left_out + tail.lines().count()))
}

fn background(outcome: &Outcome, output: &str, clamp: Option<String>, time: Time) -> Answer {
    let id = outcome.job.as_deref().unwrap_or("unknown");
    let label = outcome.label.as_deref().unwrap_or(&outcome.command);
    let mut lines = Vec::new();
    if !output.trim().is_empty() {
        lines.extend([output.to_owned(), String::new()]);
    }
    if let Some(clamp) = clamp {
        lines.extend([clamp, String::new()]);
    }
    lines.push(format!("Background job {id} started: {label}"));
    lines.push(format!("Use `job` with `poll: [\"{id}\"]` to wait for it, or `list: true` to see all jobs."));
    let data =
        Data { output, r#async: Some(Async { state: "running", job_id: id, r#type: "bash" }), ..times(time) };
    Answer::new(lines.join("\n"), false, &data)
}

/// Returns the answer of `job`.
pub(super) fn jobs(outcome: &Outcome) -> Answer {
    let cancelled = outcome.cancelled.iter().map(|item| {
        let id = item.job.as_deref().unwrap_or_default();
        match item.status {
            Status::Unknown => format!("Background job not found: {id}"),
            _ if item.was_over => format!("Background job {id} is not running."),
            _ => format!("Cancelled background job {id}."),
        }
    });
    let listed = outcome.items.iter().map(|item| {
        let id = item.job.as_deref().unwrap_or_default();
        if item.status == Status::Unknown {
            return format!("Background job not found: {id}");
        }
        let label = item.label.as_deref().unwrap_or(&item.command);
        let mut lines = vec![format!("{id} [{}] {label}", state(item))];
        lines.extend(Some(without_end(&item.stdout)).filter(|output| !output.is_empty()));
        if let (Some(code), "failed") = (item.shell_code(), state(item)) {
            lines.push(format!("Command exited with code {code}"));
        }
        lines.join("\n")
    });
    let lines: Vec<_> = cancelled.chain(listed).collect();
    let is_unknown = |item: &Outcome| item.status == Status::Unknown;
    let is_error = outcome.items.iter().chain(&outcome.cancelled).any(is_unknown) || outcome.error.is_some();
    let text = match &outcome.error {
        Some(error) => error.clone(),
        None if lines.is_empty() => "No background jobs.".to_owned(),
        None => lines.join("\n"),
    };
    let jobs = outcome.items.iter().chain(&outcome.cancelled).map(|item| JobState {
        job_id: item.job.as_deref().unwrap_or_default(),
        state: state(item),
        label: item.label.as_deref().unwrap_or(&item.command),
        exit_code: item.shell_code(),
        output: &item.stdout,
    });
    Answer::new(text, is_error, &JobStates { jobs: jobs.collect() })
}

fn state(item: &Outcome) -> &'static str {
    match item.status {
        Status::Background => "running",
        Status::Unknown => "unknown",
        _ if item.killed => "cancelled",
        _ if item.is_success() => "completed",
        _ => "failed",
    }
}

fn without_end(text: &str) -> String {
    text.trim_end().to_owned()
}

/// Returns the answer to a call that has run no command.
pub(super) fn error(message: &str) -> Answer {
    Answer::new(message.to_owned(), true, &Data { error: Some(message), ..Data::default() })
}

fn times<'a>(Time { requested, effective }: Time) -> Data<'a> {
    #[allow(clippy::float_cmp, reason = "it is the same number unless it was clamped")]
    let requested = requested.filter(|requested| *requested != effective);
    Data { timeout_seconds: Some(effective), requested_timeout_seconds: requested, ..Data::default() }
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    output: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    requested_timeout_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wall_time_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timed_out: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    aborted: Option<bool>,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#async: Option<Async<'a>>,
    background_pids: &'a [i64],
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Async<'a> {
    state: &'static str,
    job_id: &'a str,
    r#type: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JobState<'a> {
    job_id: &'a str,
    state: &'static str,
    label: &'a str,
    exit_code: Option<i32>,
    output: &'a str,
}

#[derive(Serialize)]
struct JobStates<'a> {
    jobs: Vec<JobState<'a>>,
}

pub(super) const OUTPUT: &str = r#"{"type":"object","properties":{"output":{"type":"string"},"timeoutSeconds":{"type":"number"},"requestedTimeoutSeconds":{"type":"number"},"wallTimeMs":{"type":"number"},"exitCode":{"type":"integer"},"timedOut":{"type":"boolean"},"aborted":{"type":"boolean"},"truncated":{"type":"boolean"},"artifact":{"type":"string"},"async":{"type":"object","properties":{"state":{"enum":["running","completed","failed"]},"jobId":{"type":"string"},"type":{"type":"string"}},"required":["state","jobId","type"],"additionalProperties":false},"backgroundPids":{"type":"array","items":{"type":"integer"}},"error":{"type":"string"}},"required":["output"],"additionalProperties":false}"#;
pub(super) const JOB_INPUT: &str = r#"{"type":"object","properties":{"list":{"type":"boolean","description":"Whether to list all jobs."},"poll":{"type":"array","items":{"type":"string"},"description":"The ids of jobs to wait for; with an empty list, all that run."},"cancel":{"type":"array","items":{"type":"string"},"description":"The ids of jobs to cancel."}},"additionalProperties":false}"#;
pub(super) const JOB_OUTPUT: &str = r#"{"type":"object","properties":{"jobs":{"type":"array","items":{"type":"object","properties":{"jobId":{"type":"string"},"state":{"enum":["running","completed","failed","cancelled","unknown"]},"label":{"type":"string"},"exitCode":{"type":["integer","null"]},"output":{"type":"string"}},"required":["jobId","state"],"additionalProperties":false}}},"required":["jobs"],"additionalProperties":false}"#;

#[cfg(test)]
mod tests {
    use super::super::Time;
    use super::{command, jobs};
    use crate::tools::outcome::{Outcome, Status};

    fn text(requested: Option<f64>, effective: f64, outcome: Outcome) -> String {
        let outcome = Outcome { pid: Some(7), duration_ms: 1234.0, ..outcome };
        command(&outcome, Time { requested, effective }, 51_200).text
    }

    #[test]
    fn a_command_is_answered_with_its_output_and_notices() {
        let outcome = || Outcome { exit_code: Some(0), ..Outcome::default() };
        assert_eq!(text(None, 300.0, outcome()), "(no output)\n\nWall time: 1.23 seconds");
        let failed = Outcome { exit_code: Some(3), stdout: "hi\n".into(), ..Outcome::default() };
        assert_eq!(
            text(Some(9999.0), 3600.0, failed),
            "hi\n\nWall time: 1.23 seconds\nTimeout clamped to 3600s (requested 9999s; allowed range 1-3600s).\n\n\
             Command exited with code 3"
        );
    }

    #[test]
    fn a_command_that_was_ended_keeps_its_output() {
        let ended = |status| Outcome { status, stdout: "part\n".into(), ..Outcome::default() };
        assert_eq!(
            text(None, 5.0, ended(Status::Timeout)),
            "part\n\nWall time: 1.23 seconds\n\n[Command timed out after 5 seconds]"
        );
        assert_eq!(text(None, 5.0, ended(Status::Aborted)), "part\n\n[Command aborted]");
        assert_eq!(
            text(None, 5.0, Outcome { status: Status::Aborted, ..Outcome::default() }),
            "Command aborted"
        );
    }

    #[test]
    fn a_cut_says_which_lines_are_shown() {
        assert_eq!(super::shown_lines("1\n2\n[... 5 lines left out ...]\n8\n9\n"), Some((2, 8, 9)));
        assert_eq!(super::shown_lines("1\n2\n"), None);
    }

    #[test]
    fn a_job_is_told_by_its_id_and_label() {
        let outcome = Outcome {
            status: Status::Background,
            job: Some("job-1".into()),
            label: Some("make".into()),
            ..Outcome::default()
        };
        assert!(text(None, 5.0, outcome).starts_with("Background job job-1 started: make\n"));
    }

    #[test]
    fn a_full_table_has_the_words_of_the_original() {
        let outcome = Outcome {
            status: Status::Failed,
            error_code: Some("JOB_LIMIT".into()),
            error: Some(
                "Background job limit reached (15). Wait for running jobs to finish or kill one.".into(),
            ),
            ..Outcome::default()
        };
        assert_eq!(
            command(&outcome, Time { requested: None, effective: 300.0 }, 51_200).text,
            "Background job limit reached (15). Wait for running jobs to finish or cancel one."
        );
    }

    #[test]
    fn a_failed_job_says_its_exit_code() {
        let job = Outcome {
            job: Some("job-1".into()),
            command: "make".into(),
            exit_code: Some(2),
            stdout: "bad\n".into(),
            ..Outcome::default()
        };
        let outcome = Outcome { items: vec![job], ..Outcome::default() };
        assert_eq!(jobs(&outcome).text, "job-1 [failed] make\nbad\nCommand exited with code 2");
    }

    #[test]
    fn jobs_are_listed_and_cancelled_in_the_words_of_the_original() {
        let job = |status| Outcome { status, job: Some("job-1".into()), ..Outcome::default() };
        let text = |outcome: &Outcome| jobs(outcome).text;
        assert_eq!(text(&Outcome::default()), "No background jobs.");
        let cancelled =
            Outcome { cancelled: vec![job(Status::Signaled), job(Status::Unknown)], ..Outcome::default() };
        assert_eq!(text(&cancelled), "Cancelled background job job-1.\nBackground job not found: job-1");
    }
}
