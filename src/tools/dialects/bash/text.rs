//! The answers of `bash` and its companions.

use crate::tools::prelude::*;
use crate::tools::text::cut::{Cut, by_bytes};
use crate::tools::text::phrases::{pids, seconds, status_name};

pub(in super::super) fn command(run: &RunOutcome, timeout_ms: Option<f64>) -> Answer {
    let outcome = &run.command;
    let data = object! {
        "status": status_name(outcome.status),
        "exit_code": outcome.exit_code,
        "signal": outcome.signal.as_deref(),
        "output": &outcome.output.stdout,
        "truncated": outcome.output.truncated,
        "total_bytes": outcome.output.stdout_bytes,
        "duration_ms": outcome.duration_ms,
        "cwd": Some(run.cwd.as_str()).filter(|cwd| !cwd.is_empty()),
        "job": outcome.job.as_deref(),
        "background_pids": &outcome.background_pids,
        "pipe_status": Some(outcome.pipe_status.as_slice()).filter(|codes| !codes.is_empty()),
        "spill_path": outcome.file_path(),
        "error": outcome.error.as_deref(),
    };
    Answer::of(command_text(run, timeout_ms), !is_fine(outcome), data)
}

fn command_text(run: &RunOutcome, timeout_ms: Option<f64>) -> String {
    let outcome = &run.command;
    let mut lines = Vec::new();
    match outcome.output.stdout.trim_end_matches('\n') {
        "" if outcome.has_not_run() => {}
        "" => lines.push("(no output)".to_owned()),
        output => lines.push(output.to_owned()),
    }
    // The last line of a view may name the file already.
    let is_named = |path: &str| outcome.output.has_view && outcome.output.stdout.contains(path);
    match &outcome.file {
        Some(OutputFile { path, .. }) if !outcome.output.truncated || is_named(path) => {}
        Some(OutputFile { path, bytes, is_part: true }) => {
            lines.push(format!("[the first {bytes} bytes of the output, the rest was not kept: {path}]"));
        }
        Some(OutputFile { path, .. }) => lines.push(format!("[all of the output: {path}]")),
        None => {}
    }
    lines.extend(run.notes(true));
    lines.push(end(outcome, timeout_ms));
    lines.join("\n")
}

/// Returns the line about the end of a command.
fn end(outcome: &CommandOutcome, timeout_ms: Option<f64>) -> String {
    let code = outcome.shell_code().map_or_else(|| "unknown".to_owned(), |code| code.to_string());
    match outcome.status {
        CommandStatus::Exited => format!("[exit code: {code}]"),
        CommandStatus::Signaled => {
            format!("[killed by {}; exit code: {code}]", outcome.signal.as_deref().unwrap_or("a signal"))
        }
        CommandStatus::Timeout => format!(
            "[timed out after {} and was ended; exit code: {code}]",
            seconds(timeout_ms.unwrap_or(0.0))
        ),
        CommandStatus::IdleTimeout => format!("[ended, as it wrote nothing for too long; exit code: {code}]"),
        CommandStatus::Aborted if outcome.is_aborted_before_start() => {
            "Error: aborted before it started".to_owned()
        }
        CommandStatus::Aborted => format!("[aborted; exit code: {code}]"),
        CommandStatus::Background => {
            let job = outcome.job.as_deref().unwrap_or("a job");
            format!(
                "[goes on as {job}, exit code not known yet: bash_read reads its output, bash_kill ends it]"
            )
        }
        CommandStatus::Denied => format!("Error: not allowed: {}", outcome.reason()),
        CommandStatus::Failed | CommandStatus::Unknown => format!("Error: {}", outcome.reason()),
    }
}

fn is_fine(outcome: &CommandOutcome) -> bool {
    outcome.is_success() || outcome.status == CommandStatus::Background
}

/// Returns the answer to a read or a write.
pub(super) fn read(arguments: &Arguments, outcome: &CallOutcome, max_bytes: u64) -> Answer {
    let job = outcome.job();
    let has_lost_input =
        matches!(outcome, CallOutcome::Write { took_input: false, .. }) && arguments.text("text").is_some();
    let outcome = &job.command;
    let output = bounded(&outcome.output.stdout, max_bytes);
    let data = job_data(&job, &output);
    if outcome.status == CommandStatus::Unknown {
        return unknown(arguments, data);
    }
    let mut lines = Vec::new();
    if let Some(note) = outcome.output.dropped_note() {
        lines.push(format!("[{note}]"));
    }
    match output.trim_end_matches('\n') {
        "" => lines.push("(no new output)".to_owned()),
        output => lines.push(output.to_owned()),
    }
    if has_lost_input {
        lines.push("[the text was not written: the job takes no input]".to_owned());
    }
    lines.push(job_end(&job));
    Answer::of(lines.join("\n"), has_lost_input, data)
}

/// Returns the beginning and the end of longer output.
fn bounded(output: &str, max_bytes: u64) -> Cow<'_, str> {
    let most = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    let Some(Cut { head, tail }) = by_bytes(output, most / 2, most - most / 2) else { return output.into() };
    let left_out = output.len() - head.len() - tail.len();
    format!("{head}\n[... {left_out} bytes left out ...]\n{tail}").into()
}

pub(super) fn killed(arguments: &Arguments, outcome: &CallOutcome) -> Answer {
    let job = outcome.job();
    let command = &job.command;
    let data = job_data(&job, &command.output.stdout);
    if command.status == CommandStatus::Unknown {
        return unknown(arguments, data);
    }
    let was = if outcome.was_over() { "was over already" } else { "was ended" };
    let text = format!("{} {was}\n{}", id(command), job_end(&job));
    Answer::of(text, outcome.was_over(), data)
}

pub(super) fn list(items: &[JobOutcome]) -> Answer {
    let line = |job: &JobOutcome| {
        let name = job.command.label.as_deref().unwrap_or(&job.command.command);
        let end = job_end(job).replace('\n', " ");
        format!("{}: {} {end}", id(&job.command), name.lines().next().unwrap_or_default())
    };
    let lines: Vec<_> = items.iter().map(line).collect();
    let text = if lines.is_empty() { "(no jobs)".to_owned() } else { lines.join("\n") };
    let jobs: Vec<_> = items.iter().map(|job| job_data(job, &job.command.output.stdout)).collect();
    Answer::of(text, false, object! { "jobs": jobs })
}

fn unknown(arguments: &Arguments, data: Object) -> Answer {
    let id = arguments.text("job").unwrap_or_default();
    Answer::of(format!("Error: there is no job {id}; bash_list shows all jobs"), true, data)
}

fn id(command: &CommandOutcome) -> &str {
    command.job.as_deref().unwrap_or_default()
}

pub(super) fn job_end(job: &JobOutcome) -> String {
    let outcome = &job.command;
    match outcome.status {
        CommandStatus::Background if job.is_starting => "[starting]".to_owned(),
        CommandStatus::Background => {
            let own = outcome.pid.filter(|_| !outcome.is_adopted);
            match own.map_or_else(|| pids(&outcome.background_pids), |pid| pid.to_string()).as_str() {
                "" => "[running]".to_owned(),
                pids => format!("[running, pid {pids}]"),
            }
        }
        _ => {
            let end = end(outcome, None).replace("timed out after 0 s", "timed out");
            outcome.notes(true).into_iter().chain([end]).collect::<Vec<_>>().join("\n")
        }
    }
}

fn job_data(job: &JobOutcome, output: &str) -> Object {
    let outcome = &job.command;
    let is_running = outcome.status == CommandStatus::Background;
    object! {
        "job": id(outcome),
        "status": if is_running { "running" } else { status_name(outcome.status) },
        "exit_code": outcome.exit_code,
        "signal": outcome.signal,
        "command": outcome.command,
        "description": outcome.label,
        "pid": outcome.pid,
        "output": output,
        "cursor": job.cursor,
        "dropped_bytes": outcome.output.dropped,
        "duration_ms": outcome.duration_ms,
        "background_pids": outcome.background_pids,
        "error": outcome.error,
    }
}
