//! The answers of `bash` and `job`.

use serde::Serialize;

use super::Time;
use crate::tools::dialect::Answer;
use crate::tools::outcome::{Outcome, Status};
use crate::tools::path::absolute;
use crate::tools::text::cut::{Cut, by_bytes};
use crate::tools::text::words;

/// Returns the answer to a command.
pub(super) fn command(outcome: &Outcome, time: Time, limit: u64, names_processes: bool) -> Answer {
    if outcome.has_not_run() {
        return error(&match outcome.error_code.as_deref() {
            Some("CWD_MISSING") => {
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
            let notices = notices(outcome, clamp.as_deref(), names_processes);
            (format!("{shown}{cut}\n{notices}\n\n[Command timed out after {} seconds]", time.effective), true)
        }
        _ => {
            let notices = notices(outcome, clamp.as_deref(), names_processes);
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

fn notices(outcome: &Outcome, clamp: Option<&str>, names_processes: bool) -> String {
    let wall = format!("\nWall time: {:.2} seconds", outcome.duration_ms / 1000.0);
    let notes = outcome.notes(names_processes).join("\n");
    words::lines([&wall, clamp.unwrap_or_default(), &notes])
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
    let whole_output = outcome.spill_path.as_deref().map_or_else(
        || "; the rest was not kept".to_owned(),
        |path| {
            let bytes = outcome.spill_bytes;
            if outcome.spill_is_part {
                format!(". Read {path} for its first {bytes} bytes; the rest was not kept")
            } else {
                format!(". Read {path} for full output")
            }
        },
    );
    let kilobytes = limit / 1024;
    match shown_lines(&outcome.stdout) {
        Some((head, tail, total)) => {
            format!(
                "\n[Showing lines 1-{head} and {tail}-{total} of {total} ({kilobytes}KB limit){whole_output}]"
            )
        }
        None => format!("\n[Showing a part of the output ({kilobytes}KB limit){whole_output}]"),
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
    lines.extend(outcome.notes(false));
    lines.push(format!("Background job {id} started: {label}"));
    lines.push(format!("Use `job` with `poll: [\"{id}\"]` to wait for it, or `list: true` to see all jobs."));
    let data =
        Data { output, r#async: Some(Async { state: "running", job_id: id, r#type: "bash" }), ..times(time) };
    Answer::new(lines.join("\n"), false, &data)
}

/// Returns the answer of `job`: what became of the jobs to end, and then the jobs that were polled, or all.
pub(super) fn jobs(outcome: &Outcome, is_polling: bool, limit: u64, names_processes: bool) -> Answer {
    let mut lines: Vec<_> = outcome.cancelled.iter().map(cancelled).collect();
    let is_unknown = |item: &&Outcome| item.status == Status::Unknown;
    let id = |item: &Outcome| item.job.clone().unwrap_or_default();
    if is_polling {
        lines.extend(
            outcome
                .items
                .iter()
                .filter(is_unknown)
                .map(|item| format!("Background job not found: {}", id(item))),
        );
        let known = || outcome.items.iter().filter(|item| item.status != Status::Unknown);
        let over: Vec<_> = known().filter(|item| state(item) != "running").collect();
        let running: Vec<_> = known().filter(|item| state(item) == "running").collect();
        if !over.is_empty() {
            lines.push(format!("## Completed ({})\n", over.len()));
            lines.extend(over.iter().map(|item| finished(item, limit, names_processes) + "\n"));
        }
        if !running.is_empty() {
            lines.push(format!("## Still Running ({})\n", running.len()));
            lines.extend(running.iter().map(|item| going_on(item, limit)));
        }
    } else {
        lines.extend(outcome.items.iter().map(|item| {
            let notes = item.notes(names_processes).into_iter().map(|note| format!(" {note}"));
            format!("{} [{}] {}{}", id(item), state(item), label(item), notes.collect::<String>())
        }));
    }
    let is_error = outcome.items.iter().chain(&outcome.cancelled).any(|item| is_unknown(&item))
        || outcome.error.is_some();
    let text = match &outcome.error {
        Some(error) => error.clone(),
        None if lines.is_empty() && is_polling => "No running background jobs to wait for.".to_owned(),
        None if lines.is_empty() => "No background jobs.".to_owned(),
        None => lines.join("\n").trim_end().to_owned(),
    };
    let jobs = outcome.items.iter().chain(&outcome.cancelled).map(|item| JobState {
        job_id: item.job.as_deref().unwrap_or_default(),
        state: state(item),
        label: label(item),
        exit_code: item.shell_code(),
        output: &item.stdout,
        background_pids: &item.background_pids,
    });
    Answer::new(text, is_error, &JobStates { jobs: jobs.collect() })
}

fn cancelled(item: &Outcome) -> String {
    let id = item.job.as_deref().unwrap_or_default();
    match item.status {
        Status::Unknown => format!("Background job not found: {id}"),
        _ if item.was_over => format!("Background job {id} is already {}.", state(item)),
        _ => format!("Cancelled background job {id}."),
    }
}

/// Returns a job that is over, with the text that a call in the foreground would have had.
fn finished(item: &Outcome, limit: u64, names_processes: bool) -> String {
    let id = item.job.as_deref().unwrap_or_default();
    let mut lines = vec![format!("### {id} [bash] — {}", state(item)), format!("Label: {}", label(item))];
    let output = shown(item, limit);
    let wall = notices(item, None, names_processes);
    // Output that an earlier answer had is not repeated.
    let output =
        if output.is_empty() && item.stdout_bytes == 0.0 { "(no output)".to_owned() } else { output };
    match (state(item), item.shell_code()) {
        ("completed" | "cancelled", _) if output.is_empty() => lines.extend(item.notes(names_processes)),
        ("completed" | "cancelled", _) => lines.push(format!("```\n{output}\n{wall}\n```")),
        (_, code) => {
            let end = match (item.status, code) {
                (Status::Timeout | Status::IdleTimeout, _) => {
                    format!("[Command timed out after {} seconds]", (item.duration_ms / 1000.0).round())
                }
                (Status::Exited | Status::Signaled, Some(code)) => format!("Command exited with code {code}"),
                _ if item.status == Status::Aborted => "Command aborted".to_owned(),
                _ => item.error.clone().unwrap_or_else(|| "Command failed: missing exit status".to_owned()),
            };
            let parts = if output.is_empty() { end } else { format!("{output}\n{wall}\n\n{end}") };
            lines.push(format!("Error: {parts}"));
            if output.is_empty() {
                lines.extend(item.notes(names_processes));
            }
        }
    }
    lines.join("\n")
}

/// Returns a job that runs, with its output since the last answer.
fn going_on(item: &Outcome, limit: u64) -> String {
    let line = format!("- `{}` [bash] — {}", item.job.as_deref().unwrap_or_default(), label(item));
    let output = shown(item, limit);
    if output.is_empty() { line } else { format!("{line}\n```\n{output}\n```") }
}

fn label(item: &Outcome) -> &str {
    item.label.as_deref().unwrap_or(&item.command)
}

/// Returns the output of a job, with notes about what is left out.
fn shown(item: &Outcome, limit: u64) -> String {
    let output = without_end(&item.stdout);
    let output = format!("{output}{}", cut_notice(item, limit));
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let output = match by_bytes(&output, limit * 2 / 5, limit - limit * 2 / 5) {
        // The engine has cut the output of a job that is over, with its notice behind it.
        Some(Cut { head, tail }) if !item.truncated => {
            // Cuts between lines, where there are lines.
            let head = head.rfind('\n').map_or(head, |end| &head[..end]);
            let tail = tail.find('\n').map_or(tail, |start| &tail[start + 1..]);
            let left_out = output.lines().count() - head.lines().count() - tail.lines().count();
            format!("{head}{}{tail}", MARKER.replace("{lines}", &left_out.to_string()))
        }
        _ => output,
    };
    if item.dropped > 0.0 {
        return format!("[{} earlier bytes are no longer kept]\n{output}", item.dropped);
    }
    output
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
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    background_pids: &'a [i64],
}

#[derive(Serialize)]
struct JobStates<'a> {
    jobs: Vec<JobState<'a>>,
}

pub(super) const OUTPUT: &str = r#"{"type":"object","properties":{"output":{"type":"string"},"timeoutSeconds":{"type":"number"},"requestedTimeoutSeconds":{"type":"number"},"wallTimeMs":{"type":"number"},"exitCode":{"type":"integer"},"timedOut":{"type":"boolean"},"aborted":{"type":"boolean"},"truncated":{"type":"boolean"},"artifact":{"type":"string"},"async":{"type":"object","properties":{"state":{"enum":["running","completed","failed"]},"jobId":{"type":"string"},"type":{"type":"string"}},"required":["state","jobId","type"],"additionalProperties":false},"backgroundPids":{"type":"array","items":{"type":"integer"}},"error":{"type":"string"}},"required":["output"],"additionalProperties":false}"#;
pub(super) const JOB_INPUT: &str = r#"{"type":"object","properties":{"list":{"type":"boolean","description":"Whether to list all jobs."},"poll":{"type":"array","items":{"type":"string"},"description":"The ids of jobs to wait for; with an empty list, all that run."},"cancel":{"type":"array","items":{"type":"string"},"description":"The ids of jobs to cancel."}},"additionalProperties":false}"#;
pub(super) const JOB_OUTPUT: &str = r#"{"type":"object","properties":{"jobs":{"type":"array","items":{"type":"object","properties":{"jobId":{"type":"string"},"state":{"enum":["running","completed","failed","cancelled","unknown"]},"label":{"type":"string"},"exitCode":{"type":["integer","null"]},"output":{"type":"string"},"backgroundPids":{"type":"array","items":{"type":"integer"}}},"required":["jobId","state"],"additionalProperties":false}}},"required":["jobs"],"additionalProperties":false}"#;

#[cfg(test)]
mod tests {
    use super::super::Time;
    use super::{command, jobs};
    use crate::tools::outcome::{Outcome, Status};

    fn text(requested: Option<f64>, effective: f64, outcome: Outcome) -> String {
        let outcome = Outcome { pid: Some(7), duration_ms: 1234.0, ..outcome };
        command(&outcome, Time { requested, effective }, 51_200, true).text
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
    fn a_job_is_named_by_its_id_and_label() {
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
            command(&outcome, Time { requested: None, effective: 300.0 }, 51_200, true).text,
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
        let text = |item| jobs(&Outcome { items: vec![item], ..Outcome::default() }, true, 51_200, true).text;
        let failed = "## Completed (1)\n\n### job-1 [bash] — failed\nLabel: make\nError: ";
        assert_eq!(
            text(job.clone()),
            format!("{failed}bad\n\nWall time: 0.00 seconds\n\nCommand exited with code 2")
        );
        let again = Outcome { stdout: String::new(), stdout_bytes: 4.0, ..job };
        assert_eq!(text(again), format!("{failed}Command exited with code 2"));
    }

    #[test]
    fn a_poll_separates_finished_jobs_from_running_ones() {
        let job = |id: &str, status, stdout: &str| Outcome {
            job: Some(id.into()),
            label: Some("make".into()),
            status,
            exit_code: (status == Status::Exited).then_some(0),
            stdout: stdout.into(),
            ..Outcome::default()
        };
        let items = vec![job("job-1", Status::Background, "part\n"), job("job-2", Status::Exited, "all\n")];
        assert_eq!(
            jobs(&Outcome { items, ..Outcome::default() }, true, 51_200, true).text,
            "## Completed (1)\n\n### job-2 [bash] — completed\nLabel: make\n```\nall\n\nWall time: 0.00 seconds\n```\n\n\
             ## Still Running (1)\n\n- `job-1` [bash] — make\n```\npart\n```"
        );
        let none = jobs(&Outcome::default(), true, 51_200, true).text;
        assert_eq!(none, "No running background jobs to wait for.");
    }

    #[test]
    fn a_poll_shows_no_more_than_a_call_would() {
        let item = Outcome {
            job: Some("job-1".into()),
            status: Status::Background,
            stdout: "12345\n".repeat(10),
            ..Outcome::default()
        };
        let outcome = Outcome { items: vec![item], ..Outcome::default() };
        let text = jobs(&outcome, true, 30, true).text;
        assert!(
            text.ends_with("```\n12345\n12345\n[... 5 lines left out ...]\n12345\n12345\n12345\n```"),
            "{text}"
        );
    }

    #[test]
    fn jobs_are_listed_and_cancelled_in_the_words_of_the_original() {
        let job = |status| Outcome { status, job: Some("job-1".into()), ..Outcome::default() };
        let text = |outcome: &Outcome| jobs(outcome, false, 51_200, true).text;
        assert_eq!(text(&Outcome::default()), "No background jobs.");
        let cancelled =
            Outcome { cancelled: vec![job(Status::Signaled), job(Status::Unknown)], ..Outcome::default() };
        assert_eq!(text(&cancelled), "Cancelled background job job-1.\nBackground job not found: job-1");
        let over = Outcome { was_over: true, exit_code: Some(0), ..job(Status::Exited) };
        let again = Outcome { cancelled: vec![over], ..Outcome::default() };
        assert_eq!(text(&again), "Background job job-1 is already completed.");
    }
}
