//! The companions of `Bash`, and their answers.

use super::filter;
use super::limit::Limit;
use crate::tools::prelude::*;

pub(super) fn classic() -> Vec<Tool> {
    vec![
        tool(
            "BashOutput",
            "Retrieves output from a running or completed background bash shell: only what is new since the last read.",
            BASH_OUTPUT,
            OUTPUT,
            true,
        ),
        tool("KillShell", "Kills a running background bash shell by its ID.", KILL_SHELL, KILLED, false),
    ]
}

pub(super) fn current() -> Vec<Tool> {
    vec![
        tool(
            "TaskOutput",
            "Retrieves the output of a background task; waits for its end unless `block` is false.",
            TASK_OUTPUT,
            OUTPUT,
            true,
        ),
        tool("TaskStop", "Stops a running background task by its ID.", TASK_STOP, KILLED, false),
    ]
}

pub(super) fn list_tool() -> Tool {
    tool(
        "BashList",
        "Lists the background shells with their IDs.",
        r#"{"type":"object","properties":{},"additionalProperties":false}"#,
        LIST,
        true,
    )
}

fn tool(name: &'static str, description: &'static str, input: &str, output: &str, read_only: bool) -> Tool {
    Tool {
        name,
        title: name,
        description: description.into(),
        input_schema: Schema::new(input),
        output_schema: Schema::new(output),
        read_only,
    }
}

/// Returns the answer of `BashOutput`.
pub(super) fn output(arguments: &Arguments, job: &JobOutcome, limit: Limit, names_processes: bool) -> Answer {
    let outcome = &job.command;
    if matches!(outcome.status, CommandStatus::Unknown | CommandStatus::Failed) && outcome.pid.is_none() {
        return unknown(job);
    }
    let pattern = arguments.usable_text("filter");
    let streams =
        [&outcome.output.stdout, &outcome.output.stderr].map(|text| filter::matching(text, pattern));
    let mut parts = vec![format!("<status>{}</status>", state(job))];
    if let Some(code) = outcome.shell_code() {
        parts.push(format!("<exit_code>{code}</exit_code>"));
    }
    parts.extend(notes(outcome, names_processes));
    parts.extend(dropped(outcome));
    for (name, text) in ["stdout", "stderr"].into_iter().zip(&streams) {
        if !text.trim().is_empty() {
            let text = limit.truncated(text.trim_end().to_owned());
            parts.push(format!("<{name}>\n{text}\n</{name}>"));
        }
    }
    parts.push(format!("<timestamp>{}</timestamp>", outcome.output.time));
    let [stdout, stderr] = streams.map(|text| limit.truncated(text));
    Answer::of(parts.join("\n\n"), false, data(job, &stdout, &stderr))
}

/// Returns the answer of `TaskOutput`.
pub(super) fn task_output(outcome: &CallOutcome, limit: Limit, names_processes: bool) -> Answer {
    let job = &*outcome.job();
    let has_waited = matches!(outcome, CallOutcome::Read { has_waited: true, .. });
    let outcome = &job.command;
    if matches!(outcome.status, CommandStatus::Unknown | CommandStatus::Failed) && outcome.pid.is_none() {
        return unknown(job);
    }
    let is_running = outcome.status == CommandStatus::Background;
    let retrieval = match (is_running, has_waited) {
        (false, _) => "success",
        (true, true) => "timeout",
        (true, false) => "not_ready",
    };
    let mut parts = vec![
        format!("<retrieval_status>{retrieval}</retrieval_status>"),
        format!("<task_id>{}</task_id>", outcome.job.as_deref().unwrap_or_default()),
        "<task_type>local_bash</task_type>".to_owned(),
        format!("<status>{}</status>", state(job)),
    ];
    if let Some(code) = outcome.shell_code() {
        parts.push(format!("<exit_code>{code}</exit_code>"));
    }
    parts.extend(notes(outcome, names_processes));
    parts.extend(dropped(outcome));
    let text = outcome.output.joined();
    if !text.trim().is_empty() {
        let is_long = outcome.output.dropped > 0.0 || limit.is_exceeded(text.trim_end());
        let text = match outcome.file_path().filter(|_| is_long) {
            Some(file) => limit.persisted(text.trim_end(), outcome, file),
            None => limit.truncated(text.trim_end().to_owned()),
        };
        parts.push(format!("<output>\n{text}\n</output>"));
    }
    let [stdout, stderr] =
        [&outcome.output.stdout, &outcome.output.stderr].map(|text| limit.truncated(text.clone()));
    Answer::of(parts.join("\n\n"), false, data(job, &stdout, &stderr))
}

/// Returns the notes about a command that is over.
fn notes(outcome: &CommandOutcome, names_processes: bool) -> Vec<String> {
    outcome.remarks(names_processes).into_iter().map(|note| format!("<system>{note}</system>")).collect()
}

/// Returns the note about output that the job no longer has.
fn dropped(outcome: &CommandOutcome) -> Option<String> {
    let note = outcome.output.dropped_note().filter(|_| outcome.file.is_none());
    note.map(|note| format!("<system>{note}</system>"))
}

/// Returns the answer of `KillShell` and `TaskStop`.
pub(super) fn killed(call: &CallOutcome, is_task: bool) -> Answer {
    let job = &*call.job();
    let outcome = &job.command;
    let id = outcome.job.as_deref().unwrap_or_default();
    if outcome.status == CommandStatus::Unknown {
        return unknown(job);
    }
    if call.was_over() {
        let kind = if is_task { "Task" } else { "Shell" };
        let message = format!("{kind} {id} is not running, so cannot be killed (status: {})", state(job));
        let data = object! {
            "message": &message,
            "shell_id": id,
            "task_id": id,
            "task_type": "local_bash",
            "command": &outcome.command,
        };
        return Answer::of(message.clone(), true, data);
    }
    let (verb, kind) = if is_task { ("stopped", "task") } else { ("killed", "shell") };
    let message = format!("Successfully {verb} {kind}: {id} ({})", outcome.command);
    let text = if is_task {
        let stopped = object! {
            "message": &message,
            "task_id": id,
            "task_type": "local_bash",
            "command": &outcome.command,
        };
        stopped.into_json()
    } else {
        object! { "message": &message, "shell_id": id }.into_json()
    };
    let data = object! {
        "message": &message,
        "shell_id": id,
        "task_id": id,
        "task_type": "local_bash",
        "command": &outcome.command,
    };
    Answer::of(text, false, data)
}

/// Returns the answer of `BashList`.
pub(super) fn list(jobs: &[JobOutcome], names_processes: bool) -> Answer {
    let id = |item: &CommandOutcome| item.job.clone().unwrap_or_default();
    let shell = |job: &JobOutcome| {
        object! {
            "id": id(&job.command),
            "status": state(job),
            "command": job.command.command,
            "exitCode": job.command.shell_code(),
            "backgroundPids"?: job.command.background_pids,
        }
    };
    let line = |job: &JobOutcome| {
        let notes = job.command.notes(names_processes).into_iter().map(|note| format!(" {note}"));
        let (id, command) = (id(&job.command), &job.command.command);
        format!("{id}: {} ({command}){}", state(job), notes.collect::<String>())
    };
    let lines: Vec<_> = jobs.iter().map(line).collect();
    let text = if lines.is_empty() { "No background shells.".to_owned() } else { lines.join("\n") };
    Answer::of(text, false, object! { "shells": jobs.iter().map(shell).collect::<Vec<_>>() })
}

/// Returns the answer to an invalid filter.
pub(super) fn refusal(message: &str) -> Answer {
    let refusal = Refusal { status: CommandStatus::Unknown, error: message.to_owned(), ..Refusal::default() };
    let job = JobOutcome { command: (&refusal).into(), ..JobOutcome::default() };
    Answer::of(format!("<tool_use_error>{message}</tool_use_error>"), true, data(&job, "", ""))
}

/// An answer to a call that names no shell.
pub(super) fn missing(tool: &str) -> Answer {
    let name = match tool {
        "BashOutput" => "bash_id",
        "KillShell" => "shell_id",
        _ => "task_id",
    };
    refusal(&format!("InputValidationError: {tool} failed: The required parameter `{name}` is missing"))
}

fn unknown(job: &JobOutcome) -> Answer {
    let id = job.command.job.as_deref().unwrap_or_default();
    refusal(&format!("No shell found with ID: {id}"))
}

/// Returns the status of a background command.
pub(super) fn state(job: &JobOutcome) -> &'static str {
    match job.command.status {
        CommandStatus::Background => "running",
        CommandStatus::Unknown => "unknown",
        _ if job.killed => "killed",
        _ if job.command.is_success() => "completed",
        _ => "failed",
    }
}

fn data<'a>(job: &'a JobOutcome, stdout: &'a str, stderr: &'a str) -> Object {
    let outcome = &job.command;
    object! {
        "bashId": outcome.job.as_deref().unwrap_or_default(),
        "status": state(job),
        "exitCode": outcome.shell_code(),
        "stdout": stdout,
        "stderr": stderr,
        "command": &outcome.command,
        "backgroundPids"?: &outcome.background_pids,
        "error"?: outcome.error.as_deref(),
    }
}

const BASH_OUTPUT: &str = r#"{"type":"object","properties":{"bash_id":{"type":"string","description":"The ID of the background shell to retrieve output from"},"filter":{"type":"string","description":"Optional regular expression to filter the output lines. Lines that do not match can no longer be read."}},"required":["bash_id"],"additionalProperties":false}"#;
const KILL_SHELL: &str = r#"{"type":"object","properties":{"shell_id":{"type":"string","description":"The ID of the background shell to kill"}},"required":["shell_id"],"additionalProperties":false}"#;
const TASK_OUTPUT: &str = r#"{"type":"object","properties":{"task_id":{"type":"string","description":"The task ID to get output from"},"block":{"type":"boolean","description":"Whether to wait for completion. Default true."},"timeout":{"type":"number","description":"Max wait time in ms. Default 30000."}},"required":["task_id"],"additionalProperties":false}"#;
const TASK_STOP: &str = r#"{"type":"object","properties":{"task_id":{"type":"string","description":"The ID of the background task to stop"},"shell_id":{"type":"string","description":"Deprecated: use task_id instead"}},"additionalProperties":false}"#;
const OUTPUT: &str = r#"{"type":"object","properties":{"bashId":{"type":"string"},"status":{"enum":["running","completed","failed","killed","unknown"]},"exitCode":{"type":["integer","null"]},"stdout":{"type":"string"},"stderr":{"type":"string"},"command":{"type":"string"},"backgroundPids":{"type":"array","items":{"type":"integer"}},"error":{"type":"string"}},"required":["status","exitCode"],"additionalProperties":false}"#;
const KILLED: &str = r#"{"type":"object","properties":{"message":{"type":"string"},"shell_id":{"type":"string"},"task_id":{"type":"string"},"task_type":{"type":"string"},"command":{"type":"string"},"bashId":{"type":"string"},"status":{"type":"string"},"exitCode":{"type":["integer","null"]},"stdout":{"type":"string"},"stderr":{"type":"string"},"backgroundPids":{"type":"array","items":{"type":"integer"}},"error":{"type":"string"}},"required":["command"],"additionalProperties":false}"#;
const LIST: &str = r#"{"type":"object","properties":{"shells":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"status":{"type":"string"},"command":{"type":"string"},"exitCode":{"type":["integer","null"]},"backgroundPids":{"type":"array","items":{"type":"integer"}}},"required":["id","status","command"],"additionalProperties":false}}},"required":["shells"],"additionalProperties":false}"#;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::limit::Limit;
    use super::{killed, output, task_output};
    use crate::tools::call::arguments::Arguments;
    use crate::tools::outcome::testing::{call, outcome as parsed, with};

    const LIMIT: Limit = Limit { max_chars: 10, is_beginning: true };

    fn job(outcome: Value) -> Value {
        with(outcome, json!({ "job": "bash_1", "pid": 7, "command": "make", "time": "T" }))
    }

    #[test]
    fn output_has_only_the_parts_that_there_are() {
        let outcome = job(json!({ "status": "background", "stdout": "hi\n" }));
        assert_eq!(
            output(&Arguments::default(), &parsed(outcome), LIMIT, true).text,
            "<status>running</status>\n\n<stdout>\nhi\n</stdout>\n\n<timestamp>T</timestamp>"
        );
        let outcome = job(json!({ "exitCode": 2 }));
        assert_eq!(
            output(&Arguments::default(), &parsed(outcome), LIMIT, true).text,
            "<status>failed</status>\n\n<exit_code>2</exit_code>\n\n<timestamp>T</timestamp>"
        );
    }

    #[test]
    fn long_output_of_a_task_is_in_the_file_that_is_named() {
        let running = |dropped| {
            job(json!({
                "status": "background",
                "stdout": "12345678901\n",
                "dropped": dropped,
                "file": { "path": "/f" },
            }))
        };
        let shown = |outcome: Value| task_output(&call("read", outcome), LIMIT, true).text;
        let text = shown(running(0.0));
        assert!(text.contains("being written to: /f\n\nPreview (first 2KB):\n12345678901\n...\n"), "{text}");
        let text = shown(running(1024.0));
        assert!(text.contains("(1.0KB). It is being written to: /f\n\nPreview (last 2KB):"), "{text}");
        let text = shown(with(running(7.0), json!({ "file": null })));
        assert!(text.contains("<system>7 earlier bytes are no longer kept</system>"), "{text}");
        assert!(text.ends_with("<output>\n1234567890\n\n... [1 lines truncated] ...\n</output>"), "{text}");
    }

    #[test]
    fn a_kill_is_reported_once() {
        let outcome = || job(json!({ "status": "signaled", "killed": true }));
        assert_eq!(
            killed(&call("kill", outcome()), false).text,
            r#"{"message":"Successfully killed shell: bash_1 (make)","shell_id":"bash_1"}"#
        );
        let again = killed(&call("kill", with(outcome(), json!({ "wasOver": true }))), false);
        assert_eq!(again.text, "Shell bash_1 is not running, so cannot be killed (status: killed)");
        assert!(again.is_error);
    }
}
