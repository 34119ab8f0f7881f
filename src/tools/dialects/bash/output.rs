//! The answers of `bash_output`.

use super::text::job_end;
use crate::tools::prelude::*;

/// Returns the answer to a call with invalid arguments.
pub(super) fn refusal(message: &str) -> Answer {
    failure(message, &Arguments::default())
}

/// Returns the answer with the requested part of the output, and a last line that names the part.
pub(super) fn answer(arguments: &Arguments, outcome: &CallOutcome) -> Answer {
    let job = outcome.job();
    let command = &job.command;
    if command.status == CommandStatus::Unknown {
        let id = arguments.text("job").unwrap_or_default();
        return failure(&format!("there is no job {id}; bash_list shows all jobs"), arguments);
    }
    if command.has_not_run() && command.pid.is_none() {
        return failure(command.reason(), arguments);
    }
    let excerpt = match outcome {
        CallOutcome::Output { excerpt, .. } => excerpt.as_ref(),
        _ => None,
    };
    let stdout = &command.output.stdout;
    let mut lines = Vec::new();
    if let Some(note) = command.output.dropped_note() {
        lines.push(format!("[{note}; lines are counted from the first one that is]"));
    }
    match stdout.trim_end_matches('\n') {
        "" if excerpt.is_none() => lines.push("(no output)".to_owned()),
        "" if stdout.is_empty() && excerpt.is_some_and(|part| part.to < part.from) => {}
        output => lines.push(output.to_owned()),
    }
    let kept = command.file.as_ref().filter(|file| file.is_part).map(|file| file.bytes);
    if let Some(part) = excerpt {
        lines.push(part.found.map_or_else(|| range(part, kept.is_some()), |found| hits(part, found)));
    }
    if let Some(bytes) = kept {
        lines.push(format!("[only the first {bytes} bytes of the output were kept]"));
    }
    if command.job.is_some() {
        lines.push(job_end(&job));
    }
    let data = object! {
        "job": command.job.as_deref(),
        "path": command.file_path(),
        "output": stdout,
        "from": excerpt.map(|part| part.from),
        "to": excerpt.map(|part| part.to),
        "found": excerpt.and_then(|part| part.found),
        "error": (),
    };
    Answer::of(lines.join("\n"), false, data)
}

/// Returns the last line for a range of lines.
fn range(part: &LineExcerpt, is_of_part: bool) -> String {
    let LineExcerpt { from, to, is_last, is_cut, .. } = part;
    let whole = if is_of_part { "kept part" } else { "output" };
    if to < from {
        return format!("[there is no line {from}: the {whole} has fewer lines]");
    }
    let which = if from == to { format!("line {from}") } else { format!("lines {from} to {to}") };
    let cut = if *is_cut { ", of which only the beginning fits" } else { "" };
    let rest =
        if *is_last { format!("; the {whole} has no more") } else { format!("; from: {} goes on", to + 1) };
    format!("[{which}{cut}{rest}]")
}

/// Returns the last line for a search.
fn hits(part: &LineExcerpt, found: u64) -> String {
    let LineExcerpt { from, to, shown, .. } = part;
    let from_line = if *from > 1 { format!(" from line {from} on") } else { String::new() };
    match found {
        0 => format!("[no line has this text{from_line}]"),
        _ if found == *shown => {
            format!("[{found} {} this text{from_line}]", if found == 1 { "line has" } else { "lines have" })
        }
        _ => {
            format!("[{shown} of {found} lines that have this text{from_line}; from: {} shows more]", to + 1)
        }
    }
}

fn failure(message: &str, arguments: &Arguments) -> Answer {
    let data = object! {
        "job": arguments.text("job"),
        "path": arguments.text("path"),
        "output": "",
        "from": (),
        "to": (),
        "found": (),
        "error": Some(message),
    };
    Answer::of(format!("Error: {message}"), true, data)
}
