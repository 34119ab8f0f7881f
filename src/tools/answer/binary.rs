//! Replaces binary output by a description: thousands of replacement characters tell a model nothing.

use std::mem::take;

use crate::tools::outcome::command::{CommandOutcome, OutputFile};

/// The shortest line amid binary data that counts as text (bytes): shorter ones come about by chance.
const MIN_LINE: usize = 10;

/// The replacement of bytes that are no UTF-8.
const DATA: char = '\u{fffd}';

/// Puts a description in place of each stream that is binary, and the lines in it that are text.
pub fn describe(command: &mut CommandOutcome) {
    let CommandOutcome { output, file, .. } = command;
    let is_merged = output.has_view;
    let bytes = if is_merged { output.stdout_bytes + output.stderr_bytes } else { output.stdout_bytes };
    let of = |text: &str, bytes: f64, kind: &Option<String>| {
        // A later answer may have no output of the command any more.
        let kind = kind.as_deref().filter(|_| !text.is_empty())?;
        Some(description(file.as_ref(), text, bytes, kind))
    };
    let stdout = of(&output.stdout, bytes, &output.binary_stdout);
    let stderr = of(&output.stderr, output.stderr_bytes, &output.binary_stderr);
    if stdout.is_some() || stderr.is_some() {
        // The description has the size and the file.
        (output.has_view, output.truncated) = (true, false);
    }
    output.stdout = stdout.unwrap_or_else(|| take(&mut output.stdout));
    output.stderr = stderr.unwrap_or_else(|| take(&mut output.stderr));
}

fn description(file: Option<&OutputFile>, text: &str, bytes: f64, kind: &str) -> String {
    let place = match file {
        Some(OutputFile { path, bytes, is_part: true }) => {
            format!("the first {bytes} bytes of the output are in {path}")
        }
        Some(OutputFile { path, .. }) => format!("all of the output is in {path}"),
        None => "not kept: redirect it to a file to keep it".to_owned(),
    };
    let first = format!("[binary output, {bytes} bytes: {kind}; {place}]");
    [first].into_iter().chain(lines_of_text(text).map(str::to_owned)).collect::<Vec<_>>().join("\n") + "\n"
}

/// Returns the lines of a command's text in and around binary data: neither data nor markers for what is left
/// out.
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
        (!is_marker && !has_data(line) && line.len() >= MIN_LINE).then_some(line)
    })
}

fn has_data(line: &str) -> bool {
    line.contains(DATA)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{CommandOutcome, describe};
    use crate::tools::outcome::command::CommandOutput;
    use crate::tools::outcome::testing::{outcome, with};

    fn described(value: Value) -> CommandOutput {
        let mut command: CommandOutcome = outcome(value);
        describe(&mut command);
        command.output
    }

    #[test]
    fn binary_output_is_described_and_text_among_it_stays() {
        let data = "\u{fffd}x\u{fffd}".repeat(99);
        let binary = json!({
            "stdout": format!("a\n{data}\n[lines 3-9 left out: 7 lines]\nb\nno such file\n{data}error: no disk\nend\n"),
            "stdoutBytes": 5000,
            "binaryStdout": "gzip data, first bytes 1f 8b",
            "file": { "path": "/f" },
            "truncated": true,
        });
        let shown = described(binary.clone());
        assert_eq!(
            shown.stdout,
            "[binary output, 5000 bytes: gzip data, first bytes 1f 8b; all of the output is in /f]\na\nno such file\nerror: no disk\nend\n"
        );
        assert!(!shown.truncated);
        let part = with(binary.clone(), json!({ "file": { "path": "/f", "bytes": 100, "isPart": true } }));
        assert!(described(part).stdout.contains("; the first 100 bytes of the output are in /f]"));
        let lost = with(binary, json!({ "file": null }));
        assert!(described(lost).stdout.contains("; not kept: redirect it to a file to keep it]"));
    }

    #[test]
    fn each_stream_is_described_by_itself() {
        let shown = described(json!({
            "stdout": "text\n",
            "stderr": "\u{fffd}".repeat(99),
            "stderrBytes": 99,
            "binaryStderr": "first bytes ff",
        }));
        assert_eq!(shown.stdout, "text\n");
        assert!(shown.stderr.starts_with("[binary output, 99 bytes: first bytes ff; "), "{}", shown.stderr);
    }
}
