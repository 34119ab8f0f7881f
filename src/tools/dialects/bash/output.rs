//! The answers of `bash_output`.

use serde::Serialize;

use super::text::job_end;
use crate::tools::arguments::Arguments;
use crate::tools::dialect::Answer;
use crate::tools::outcome::{Excerpt, Outcome, Status};

/// Returns the answer to a call with invalid arguments.
pub(super) fn refusal(message: &str) -> Answer {
    failure(message, &Arguments::default())
}

/// Returns the answer with the requested part of the output, and a last line that names the part.
pub(super) fn answer(arguments: &Arguments, outcome: &Outcome) -> Answer {
    if outcome.status == Status::Unknown {
        let id = arguments.text("job").unwrap_or_default();
        return failure(&format!("there is no job {id}; bash_list shows all jobs"), arguments);
    }
    if outcome.has_not_run() && outcome.pid.is_none() {
        return failure(outcome.reason(), arguments);
    }
    let mut lines = Vec::new();
    if outcome.dropped > 0.0 {
        lines.push(format!(
            "[{} earlier bytes are no longer kept; lines are counted from the first one that is]",
            outcome.dropped
        ));
    }
    match outcome.stdout.trim_end_matches('\n') {
        "" if outcome.excerpt.is_none() => lines.push("(no output)".to_owned()),
        "" if outcome.stdout.is_empty()
            && outcome.excerpt.as_ref().is_some_and(|part| part.to < part.from) => {}
        output => lines.push(output.to_owned()),
    }
    if let Some(part) = &outcome.excerpt {
        lines.push(part.found.map_or_else(|| range(part, outcome.spill_is_part), |found| hits(part, found)));
    }
    if outcome.spill_is_part {
        lines.push(format!("[only the first {} bytes of the output were kept]", outcome.spill_bytes));
    }
    if outcome.job.is_some() {
        lines.push(job_end(outcome));
    }
    Answer::new(lines.join("\n"), false, &data(outcome))
}

/// Returns the last line for a range of lines.
fn range(part: &Excerpt, is_of_part: bool) -> String {
    let Excerpt { from, to, is_last, is_cut, .. } = part;
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
fn hits(part: &Excerpt, found: u64) -> String {
    let Excerpt { from, to, shown, .. } = part;
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
    let data = Data {
        job: arguments.text("job"),
        path: arguments.text("path"),
        output: "",
        from: None,
        to: None,
        found: None,
        error: Some(message),
    };
    Answer::new(format!("Error: {message}"), true, &data)
}

fn data(outcome: &Outcome) -> Data<'_> {
    let part = outcome.excerpt.as_ref();
    Data {
        job: outcome.job.as_deref(),
        path: outcome.spill_path.as_deref(),
        output: &outcome.stdout,
        from: part.map(|part| part.from),
        to: part.map(|part| part.to),
        found: part.and_then(|part| part.found),
        error: None,
    }
}

#[derive(Serialize)]
struct Data<'a> {
    job: Option<&'a str>,
    path: Option<&'a str>,
    output: &'a str,
    from: Option<u64>,
    to: Option<u64>,
    found: Option<u64>,
    error: Option<&'a str>,
}
