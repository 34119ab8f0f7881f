//! The answers of `bash` and `job`.

use super::{MIN_TIMEOUT_S, Time};
use crate::text::path::normal;
use crate::tools::prelude::*;
use crate::tools::text::cut::{Cut, by_bytes};
use crate::tools::text::phrases;

/// Returns the answer to a command: its limit (bytes), and whether it names the processes that are left.
/// `job` is the job that was the command, if it is over.
pub(super) fn command(
    run: &RunOutcome,
    time: Time,
    (limit, names_processes): (u64, bool),
    job: Option<&CommandOutcome>,
) -> Answer {
    let outcome = &run.command;
    let end = job.map(|job| of_job(job, if job.is_success() { "completed" } else { "failed" }));
    if outcome.has_not_run() {
        let message = match outcome.error_code.as_deref() {
            Some("CWD_MISSING") => {
                format!("Working directory does not exist: {}", normal(&run.cwd))
            }
            Some("CWD_NOT_DIRECTORY") => {
                format!("Working directory is not a directory: {}", normal(&run.cwd))
            }
            Some("JOB_LIMIT") => outcome.reason().replace("or kill one.", "or cancel one."),
            _ if outcome.status == CommandStatus::Aborted => "Command aborted".to_owned(),
            _ => outcome.reason().to_owned(),
        };
        return error_of(&message, end.as_ref(), outcome.terminal_id.as_deref());
    }
    let clamp = clamp_notice(time);
    let output = without_end(&with_cut_line(&outcome.output));
    if outcome.status == CommandStatus::Background {
        return background(run, &output, clamp, time);
    }
    let shown = if output.is_empty() { "(no output)".to_owned() } else { output.clone() };
    let cut = cut_notice(outcome, limit);
    let (text, is_error) = match outcome.status {
        CommandStatus::Aborted if output.is_empty() => ("Command aborted".to_owned(), true),
        CommandStatus::Aborted => (format!("{output}{cut}\n\n[Command aborted]"), true),
        CommandStatus::Timeout | CommandStatus::IdleTimeout => {
            let notices = notices(outcome, clamp.as_deref(), &run.notes(names_processes));
            (format!("{shown}{cut}\n{notices}\n\n[Command timed out after {} seconds]", time.effective), true)
        }
        _ => {
            let notices = notices(outcome, clamp.as_deref(), &run.notes(names_processes));
            match outcome.shell_code() {
                Some(0) => (format!("{shown}{cut}\n{notices}"), false),
                Some(code) => (format!("{shown}{cut}\n{notices}\n\nCommand exited with code {code}"), true),
                None => (format!("{shown}{cut}\n\nCommand failed: missing exit status"), true),
            }
        }
    };
    let data = object! {
        "output": output,
        "timeoutSeconds": time.effective,
        "requestedTimeoutSeconds"?: time.clamped(),
        "wallTimeMs": outcome.duration_ms,
        "exitCode"?: outcome.shell_code().filter(|code| *code != 0),
        "timedOut"?: (outcome.status == CommandStatus::Timeout).then_some(true),
        "aborted"?: (outcome.status == CommandStatus::Aborted).then_some(true),
        "truncated": outcome.output.truncated,
        "artifact"?: outcome.file_path(),
        "terminalId"?: outcome.terminal_id.as_deref(),
        "async"?: end,
        "backgroundPids": outcome.background_pids,
    };
    Answer::of(text, is_error, data)
}

/// Returns the structured form of a job in a state.
fn of_job(job: &CommandOutcome, state: &str) -> Object {
    object! { "state": state, "jobId": id(job), "type": "bash" }
}

fn notices(outcome: &CommandOutcome, clamp: Option<&str>, notes: &[String]) -> String {
    let wall = format!("\nWall time: {:.2} seconds", outcome.duration_ms / 1000.0);
    phrases::lines([&wall, clamp.unwrap_or_default(), &notes.join("\n")])
}

fn clamp_notice(time: Time) -> Option<String> {
    let (effective, most, requested) = (time.effective, time.most, time.clamped()?);
    Some(format!(
        "Timeout clamped to {effective}s (requested {requested}s; allowed range {MIN_TIMEOUT_S}-{most}s)."
    ))
}

/// The marker of omitted lines. The engine fills `{lines}` in.
pub(super) const MARKER: &str = "\n[... {lines} lines left out ...]\n";

/// Returns the notice that names the lines shown and the file with all output.
fn cut_notice(outcome: &CommandOutcome, limit: u64) -> String {
    if !outcome.output.truncated {
        return String::new();
    }
    let whole_output = match &outcome.file {
        None => "; the rest was not kept".to_owned(),
        Some(OutputFile { path, bytes, is_part: true }) => {
            format!(". Read {path} for its first {bytes} bytes; the rest was not kept")
        }
        Some(OutputFile { path, .. }) => format!(". Read {path} for full output"),
    };
    let kilobytes = limit / 1024;
    match shown_lines(&outcome.output.stdout) {
        // The cut is within a line: the last one of the head, and the first one of the tail.
        Some((line, tail, total)) if tail == line + 1 => {
            let total = total - 1;
            format!(
                "\n[Showing lines 1-{total} of {total}, without a part of line {line} ({kilobytes}KB limit){whole_output}]"
            )
        }
        Some((head, tail, total)) => {
            format!(
                "\n[Showing lines 1-{head} and {tail}-{total} of {total} ({kilobytes}KB limit){whole_output}]"
            )
        }
        None => format!("\n[Showing a part of the output ({kilobytes}KB limit){whole_output}]"),
    }
}

/// Returns the output with other words in the marker of no lines, as a line longer than the limit was cut,
/// and in that of one line.
fn with_cut_line(output: &CommandOutput) -> Cow<'_, str> {
    let replaced = [0, 1].into_iter().filter(|_| output.truncated).find_map(|count| {
        let engines = MARKER.replace("{lines}", &count.to_string());
        output.stdout.contains(&engines).then(|| output.stdout.replacen(&engines, &marker(count), 1))
    });
    replaced.map_or(Cow::Borrowed(&output.stdout), Cow::Owned)
}

/// Returns the marker of so many omitted lines.
fn marker(lines: usize) -> String {
    match lines {
        0 => MARKER.replace("{lines} lines", "a part of this line"),
        1 => MARKER.replace("{lines} lines", "1 line"),
        _ => MARKER.replace("{lines}", &lines.to_string()),
    }
}

/// Returns three line numbers: of the last line before the marker, the first one after it, and the last line
/// of all.
fn shown_lines(output: &str) -> Option<(usize, usize, usize)> {
    let (start, end) = MARKER.split_once("{lines}")?;
    let (head, rest) = output.split_once(start)?;
    let (count, tail) = rest.split_once(end)?;
    let head = head.lines().count();
    let left_out: usize = count.parse().ok()?;
    Some((head, head + left_out + 1, head + left_out + tail.lines().count()))
}

fn background(run: &RunOutcome, output: &str, clamp: Option<String>, time: Time) -> Answer {
    let outcome = &run.command;
    let id = outcome.job.as_deref().unwrap_or("unknown");
    let label = outcome.label.as_deref().unwrap_or(&outcome.command);
    let mut lines = Vec::new();
    if !output.trim().is_empty() {
        lines.extend([output.to_owned(), String::new()]);
    }
    if let Some(clamp) = clamp {
        lines.extend([clamp, String::new()]);
    }
    lines.extend(run.notes(false));
    lines.push(format!("Background job {id} started: {label}"));
    lines.push(format!("Use `job` with `poll: [\"{id}\"]` to wait for it, or `list: true` to see all jobs."));
    let data = object! {
        "output": output,
        "timeoutSeconds": time.effective,
        "requestedTimeoutSeconds"?: time.clamped(),
        "truncated": false,
        "async": of_job(outcome, "running"),
        "backgroundPids": [(); 0],
    };
    Answer::of(lines.join("\n"), false, data)
}

/// Returns the answer of `job`: what became of the jobs to end, and then the jobs that were polled, or all.
pub(super) fn jobs(outcome: &CallOutcome, is_polling: bool, limit: u64, names_processes: bool) -> Answer {
    let items = outcome.jobs();
    let cancelled = match outcome {
        CallOutcome::Manage { cancelled, .. } => cancelled.as_slice(),
        _ => &[],
    };
    let error = outcome.refusal().map(|refusal| refusal.error.as_str());
    let is_unknown = |item: &JobOutcome| item.command.status == CommandStatus::Unknown;
    let mut lines: Vec<_> = cancelled.iter().map(cancellation).collect();
    if is_polling {
        let (unknown, known): (Vec<_>, Vec<_>) = items.iter().partition(|item| is_unknown(item));
        let (running, over): (Vec<_>, Vec<_>) = known.into_iter().partition(|item| state(item) == "running");
        lines.extend(unknown.iter().map(|item| not_found(item)));
        if !over.is_empty() {
            lines.push(format!("## Completed ({})\n", over.len()));
            lines.extend(over.iter().map(|item| finished(item, limit, names_processes) + "\n"));
        }
        if !running.is_empty() {
            lines.push(format!("## Still Running ({})\n", running.len()));
            lines.extend(running.iter().map(|item| going_on(&item.command, limit)));
        }
    } else {
        lines.extend(items.iter().map(|item| {
            let notes = item.command.notes(names_processes).into_iter().map(|note| format!(" {note}"));
            let (id, label) = (id(&item.command), label(&item.command));
            format!("{id} [{}] {label}{}", state(item), notes.collect::<String>())
        }));
    }
    let all = || items.iter().chain(cancelled.iter().map(|kill| &kill.job));
    let text = match error {
        Some(error) => error.to_owned(),
        None if lines.is_empty() && is_polling => "No running background jobs to wait for.".to_owned(),
        None if lines.is_empty() => "No background jobs.".to_owned(),
        None => lines.join("\n").trim_end().to_owned(),
    };
    let jobs = all().map(|item| {
        object! {
            "jobId": id(&item.command),
            "state": state(item),
            "label": label(&item.command),
            "exitCode": item.command.shell_code(),
            "output": &item.command.output.stdout,
            "backgroundPids"?: &item.command.background_pids,
        }
    });
    Answer::of(text, error.is_some() || all().any(is_unknown), object! { "jobs": jobs.collect::<Vec<_>>() })
}

fn cancellation(kill: &KillOutcome) -> String {
    let id = id(&kill.job.command);
    match kill.job.command.status {
        CommandStatus::Unknown => not_found(&kill.job),
        _ if kill.was_over => format!("Background job {id} is already {}.", state(&kill.job)),
        _ => format!("Cancelled background job {id}."),
    }
}

fn not_found(item: &JobOutcome) -> String {
    format!("Background job not found: {}", id(&item.command))
}

fn id(item: &CommandOutcome) -> &str {
    item.job.as_deref().unwrap_or_default()
}

/// Returns a job that is over, with the text that a call in the foreground would have had.
fn finished(job: &JobOutcome, limit: u64, names_processes: bool) -> String {
    let item = &job.command;
    let mut lines =
        vec![format!("### {} [bash] — {}", id(item), state(job)), format!("Label: {}", label(item))];
    let output = shown(item, limit);
    let wall = notices(item, None, &item.notes(names_processes));
    // Output that an earlier answer had is not repeated.
    let output =
        if output.is_empty() && item.output.stdout_bytes == 0.0 { "(no output)".to_owned() } else { output };
    match (state(job), item.shell_code()) {
        ("completed" | "cancelled", _) if output.is_empty() => lines.extend(item.notes(names_processes)),
        ("completed" | "cancelled", _) => lines.push(format!("```\n{output}\n{wall}\n```")),
        (_, code) => {
            let end = match (item.status, code) {
                (CommandStatus::Timeout | CommandStatus::IdleTimeout, _) => {
                    format!("[Command timed out after {} seconds]", (item.duration_ms / 1000.0).round())
                }
                (CommandStatus::Exited | CommandStatus::Signaled, Some(code)) => {
                    format!("Command exited with code {code}")
                }
                _ if item.status == CommandStatus::Aborted => "Command aborted".to_owned(),
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
fn going_on(item: &CommandOutcome, limit: u64) -> String {
    let line = format!("- `{}` [bash] — {}", id(item), label(item));
    let output = shown(item, limit);
    if output.is_empty() { line } else { format!("{line}\n```\n{output}\n```") }
}

fn label(item: &CommandOutcome) -> &str {
    item.label.as_deref().unwrap_or(&item.command)
}

/// Returns the output of a job, with notes about what is left out.
fn shown(item: &CommandOutcome, limit: u64) -> String {
    let output = without_end(&with_cut_line(&item.output));
    let output = format!("{output}{}", cut_notice(item, limit));
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let output = match by_bytes(&output, limit * 2 / 5, limit - limit * 2 / 5) {
        // The engine has cut the output of a job that is over, with its notice behind it.
        Some(Cut { head, tail }) if !item.output.truncated => {
            // Cuts between lines, where there are lines.
            let head = head.rfind('\n').map_or(head, |end| &head[..end]);
            let tail = tail.find('\n').map_or(tail, |start| &tail[start + 1..]);
            let left_out = output.lines().count() - head.lines().count() - tail.lines().count();
            format!("{head}{}{tail}", marker(left_out))
        }
        _ => output,
    };
    match item.output.dropped_note() {
        Some(note) => format!("[{note}]\n{output}"),
        None => output,
    }
}

fn state(item: &JobOutcome) -> &'static str {
    match item.command.status {
        CommandStatus::Background => "running",
        CommandStatus::Unknown => "unknown",
        _ if item.killed => "cancelled",
        _ if item.command.is_success() => "completed",
        _ => "failed",
    }
}

fn without_end(text: &str) -> String {
    text.trim_end().to_owned()
}

/// Returns the answer to a call that has run no command.
pub(super) fn error(message: &str) -> Answer {
    error_of(message, None, None)
}

fn error_of(message: &str, end: Option<&Object>, terminal_id: Option<&str>) -> Answer {
    let data = object! {
        "output": "",
        "truncated": false,
        "terminalId"?: terminal_id,
        "async"?: end,
        "backgroundPids": [(); 0],
        "error": message,
    };
    Answer::of(message.to_owned(), true, data)
}

pub(super) const OUTPUT: &str = r#"{"type":"object","properties":{"output":{"type":"string"},"timeoutSeconds":{"type":"number"},"requestedTimeoutSeconds":{"type":"number"},"wallTimeMs":{"type":"number"},"exitCode":{"type":"integer"},"timedOut":{"type":"boolean"},"aborted":{"type":"boolean"},"truncated":{"type":"boolean"},"artifact":{"type":"string"},"terminalId":{"type":"string"},"async":{"type":"object","properties":{"state":{"enum":["running","completed","failed"]},"jobId":{"type":"string"},"type":{"type":"string"}},"required":["state","jobId","type"],"additionalProperties":false},"backgroundPids":{"type":"array","items":{"type":"integer"}},"error":{"type":"string"}},"required":["output"],"additionalProperties":false}"#;
pub(super) const JOB_INPUT: &str = r#"{"type":"object","properties":{"list":{"type":"boolean","description":"Whether to list all jobs."},"poll":{"type":"array","items":{"type":"string"},"description":"The ids of jobs to wait for; with an empty list, all that run."},"cancel":{"type":"array","items":{"type":"string"},"description":"The ids of jobs to cancel."}},"additionalProperties":false}"#;
pub(super) const JOB_OUTPUT: &str = r#"{"type":"object","properties":{"jobs":{"type":"array","items":{"type":"object","properties":{"jobId":{"type":"string"},"state":{"enum":["running","completed","failed","cancelled","unknown"]},"label":{"type":"string"},"exitCode":{"type":["integer","null"]},"output":{"type":"string"},"backgroundPids":{"type":"array","items":{"type":"integer"}}},"required":["jobId","state"],"additionalProperties":false}}},"required":["jobs"],"additionalProperties":false}"#;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::Time;
    use super::{command, jobs};
    use crate::tools::outcome::testing::{call, outcome as parsed, with};

    fn text(requested: Option<f64>, effective: f64, outcome: Value) -> String {
        let outcome = with(outcome, json!({ "pid": 7, "durationMs": 1234.0 }));
        command(&parsed(outcome), Time { requested, effective, most: 3600.0 }, (51_200, true), None).text
    }

    #[test]
    fn a_command_is_answered_with_its_output_and_notices() {
        let outcome = || json!({ "exitCode": 0 });
        assert_eq!(text(None, 300.0, outcome()), "(no output)\n\nWall time: 1.23 seconds");
        let failed = json!({ "exitCode": 3, "stdout": "hi\n" });
        assert_eq!(
            text(Some(9999.0), 3600.0, failed),
            "hi\n\nWall time: 1.23 seconds\nTimeout clamped to 3600s (requested 9999s; allowed range 1-3600s).\n\n\
             Command exited with code 3"
        );
    }

    #[test]
    fn a_command_that_was_ended_keeps_its_output() {
        let ended = |status| json!({ "status": status, "stdout": "part\n" });
        assert_eq!(
            text(None, 5.0, ended("timeout")),
            "part\n\nWall time: 1.23 seconds\n\n[Command timed out after 5 seconds]"
        );
        assert_eq!(text(None, 5.0, ended("aborted")), "part\n\n[Command aborted]");
        assert_eq!(text(None, 5.0, json!({ "status": "aborted" })), "Command aborted");
    }

    #[test]
    fn a_cut_says_which_lines_are_shown() {
        assert_eq!(super::shown_lines("1\n2\n[... 5 lines left out ...]\n8\n9\n"), Some((2, 8, 9)));
        assert_eq!(super::shown_lines("1\n2\n"), None);
    }

    #[test]
    fn a_job_is_named_by_its_id_and_label() {
        let outcome = json!({ "status": "background", "job": "job-1", "label": "make" });
        assert!(text(None, 5.0, outcome).starts_with("Background job job-1 started: make\n"));
    }

    #[test]
    fn a_full_table_has_the_words_of_the_original() {
        let error = "Background job limit reached (15). Wait for running jobs to finish or kill one.";
        let outcome = json!({ "status": "failed", "errorCode": "JOB_LIMIT", "error": error });
        assert_eq!(
            command(
                &parsed(outcome),
                Time { requested: None, effective: 300.0, most: 3600.0 },
                (51_200, true),
                None
            )
            .text,
            "Background job limit reached (15). Wait for running jobs to finish or cancel one."
        );
    }

    #[test]
    fn a_failed_job_says_its_exit_code() {
        let job = json!({ "job": "job-1", "command": "make", "exitCode": 2, "stdout": "bad\n" });
        let text = |item| jobs(&call("manage", json!({ "items": [item] })), true, 51_200, true).text;
        let failed = "## Completed (1)\n\n### job-1 [bash] — failed\nLabel: make\nError: ";
        assert_eq!(
            text(job.clone()),
            format!("{failed}bad\n\nWall time: 0.00 seconds\n\nCommand exited with code 2")
        );
        let again = with(job, json!({ "stdout": "", "stdoutBytes": 4.0 }));
        assert_eq!(text(again), format!("{failed}Command exited with code 2"));
    }

    #[test]
    fn a_poll_separates_finished_jobs_from_running_ones() {
        let job = |id: &str, status: &str, stdout: &str| {
            let exit_code = (status == "exited").then_some(0);
            json!({ "job": id, "label": "make", "status": status, "exitCode": exit_code, "stdout": stdout })
        };
        let items = vec![job("job-1", "background", "part\n"), job("job-2", "exited", "all\n")];
        assert_eq!(
            jobs(&call("manage", json!({ "items": items })), true, 51_200, true).text,
            "## Completed (1)\n\n### job-2 [bash] — completed\nLabel: make\n```\nall\n\nWall time: 0.00 seconds\n```\n\n\
             ## Still Running (1)\n\n- `job-1` [bash] — make\n```\npart\n```"
        );
        let none = jobs(&call("manage", json!({})), true, 51_200, true).text;
        assert_eq!(none, "No running background jobs to wait for.");
    }

    #[test]
    fn a_poll_shows_no_more_than_a_call_would() {
        let item = json!({ "job": "job-1", "status": "background", "stdout": "12345\n".repeat(10) });
        let outcome = json!({ "items": [item] });
        let text = jobs(&call("manage", outcome), true, 30, true).text;
        assert!(
            text.ends_with("```\n12345\n12345\n[... 5 lines left out ...]\n12345\n12345\n12345\n```"),
            "{text}"
        );
    }

    #[test]
    fn jobs_are_listed_and_cancelled_in_the_words_of_the_original() {
        let job = |status| json!({ "status": status, "job": "job-1" });
        let text = |outcome: Value| jobs(&call("manage", outcome), false, 51_200, true).text;
        assert_eq!(text(json!({})), "No background jobs.");
        let cancelled = json!({ "cancelled": [job("signaled"), job("unknown")] });
        assert_eq!(text(cancelled), "Cancelled background job job-1.\nBackground job not found: job-1");
        let over = with(job("exited"), json!({ "wasOver": true, "exitCode": 0 }));
        let again = json!({ "cancelled": [over] });
        assert_eq!(text(again), "Background job job-1 is already completed.");
    }
}
