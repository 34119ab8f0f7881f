//! Replaces binary output by a description: thousands of replacement characters tell a model nothing.

use crate::tools::outcome::Outcome;

/// The shortest line amid binary data that counts as text (bytes): shorter ones come about by chance.
const SHORTEST: usize = 10;

/// The replacement of bytes that are no UTF-8.
const DATA: char = '\u{fffd}';

/// Returns the outcome with a description in place of each stream that is binary, and the lines in it that are text.
#[must_use]
pub fn described(outcome: Outcome) -> Outcome {
    let is_merged = outcome.has_view;
    let bytes = if is_merged { outcome.stdout_bytes + outcome.stderr_bytes } else { outcome.stdout_bytes };
    let of = |text: &str, bytes: f64, kind: &Option<String>| {
        // A later answer may have no output of the command any more.
        let kind = kind.as_deref().filter(|_| !text.is_empty())?;
        Some(description(&outcome, text, bytes, kind))
    };
    let stdout = of(&outcome.stdout, bytes, &outcome.binary_stdout);
    let stderr = of(&outcome.stderr, outcome.stderr_bytes, &outcome.binary_stderr);
    let is_binary = stdout.is_some() || stderr.is_some();
    Outcome {
        stdout: stdout.unwrap_or(outcome.stdout),
        stderr: stderr.unwrap_or(outcome.stderr),
        // The description has the size and the file.
        has_view: is_merged || is_binary,
        truncated: outcome.truncated && !is_binary,
        items: outcome.items.into_iter().map(described).collect(),
        ..outcome
    }
}

fn description(outcome: &Outcome, text: &str, bytes: f64, kind: &str) -> String {
    let place = match &outcome.spill_path {
        Some(path) if outcome.spill_is_part => {
            format!("the first {} bytes of the output are in {path}", outcome.spill_bytes)
        }
        Some(path) => format!("all of the output is in {path}"),
        None => "not kept: redirect it to a file to keep it".to_owned(),
    };
    let first = format!("[binary output, {bytes} bytes: {kind}; {place}]");
    [first].into_iter().chain(lines_of_text(text).map(str::to_owned)).collect::<Vec<_>>().join("\n") + "\n"
}

/// Returns the lines of a command's text in and around binary data: neither data nor markers for what is left out.
fn lines_of_text(text: &str) -> impl Iterator<Item = &str> {
    let lines: Vec<&str> = text.lines().collect();
    let before = lines.iter().take_while(|line| !has_data(line)).count();
    let after = lines.iter().skip(before).rev().take_while(|line| !has_data(line)).count();
    let count = lines.len();
    lines.into_iter().enumerate().filter_map(move |(index, line)| {
        let is_marker = line.starts_with('[') && line.ends_with(']');
        if index < before || index >= count - after {
            return (!is_marker).then_some(line);
        }
        // The data may end without a line break, before the text that follows.
        let line = if index + after + 1 == count { line.rsplit(DATA).next()? } else { line };
        (!is_marker && !has_data(line) && line.len() >= SHORTEST).then_some(line)
    })
}

fn has_data(line: &str) -> bool {
    line.contains(DATA)
}

#[cfg(test)]
mod tests {
    use super::described;
    use crate::tools::outcome::Outcome;

    #[test]
    fn binary_output_is_described_and_text_among_it_stays() {
        let outcome = Outcome {
            stdout: format!(
                "a\n{0}\n[lines 3-9 left out: 7 lines]\nb\nno such file\n{0}error: no disk\nend\n",
                "\u{fffd}x\u{fffd}".repeat(99)
            ),
            stdout_bytes: 5000.0,
            binary_stdout: Some("gzip data, first bytes 1f 8b".into()),
            spill_path: Some("/f".into()),
            truncated: true,
            ..Outcome::default()
        };
        let shown = described(outcome.clone());
        assert_eq!(
            shown.stdout,
            "[binary output, 5000 bytes: gzip data, first bytes 1f 8b; all of the output is in /f]\na\nno such file\nerror: no disk\nend\n"
        );
        assert!(!shown.truncated);
        let part = Outcome { spill_is_part: true, spill_bytes: 100.0, ..outcome.clone() };
        assert!(described(part).stdout.contains("; the first 100 bytes of the output are in /f]"));
        let lost = Outcome { spill_path: None, ..outcome };
        assert!(described(lost).stdout.contains("; not kept: redirect it to a file to keep it]"));
    }

    #[test]
    fn each_stream_is_described_by_itself() {
        let outcome = Outcome {
            stdout: "text\n".into(),
            stderr: "\u{fffd}".repeat(99),
            stderr_bytes: 99.0,
            binary_stderr: Some("first bytes ff".into()),
            ..Outcome::default()
        };
        let shown = described(outcome);
        assert_eq!(shown.stdout, "text\n");
        assert!(shown.stderr.starts_with("[binary output, 99 bytes: first bytes ff; "), "{}", shown.stderr);
    }
}
