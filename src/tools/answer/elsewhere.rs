//! The answer about a command on a target. Files with its output are on the machine of the tool.

use crate::tools::dialect::Answer;
use crate::tools::outcome::command::{CommandOutcome, CommandOutput, OutputFile};

/// The part of a view's last line that reads its file.
const READER: &str = "; lines A to B: sed -n 'A,Bp' ";

/// Removes the command that reads the file of a view, since it would run on the target.
pub fn remove_reader(output: &mut CommandOutput) {
    if !output.has_view || !output.stdout.ends_with(']') {
        return;
    }
    let reader = output.stdout.rfind(READER).filter(|&at| !output.stdout[at..].contains('\n'));
    if let Some(at) = reader {
        output.stdout.truncate(at);
        output.stdout.push(']');
    }
}

/// Returns the reason of a command whose target was lost, with the output so far; `None` for any other
/// command, and if its answer has that output already. Most dialects give the reason of a failure alone.
#[must_use]
pub fn reason_with_output(command: &CommandOutcome, answer: &str) -> Option<String> {
    let CommandOutput { stdout, stderr, .. } = &command.output;
    let parts: Vec<_> =
        [stdout, stderr].into_iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()).collect();
    let is_in = |part: &&str| {
        let json = serde_json::to_string(part).unwrap_or_default();
        answer.contains(*part) || answer.contains(json.trim_matches('"'))
    };
    let is_told = parts.iter().all(is_in);
    (command.is_lost() && !is_told)
        .then(|| format!("{}\nThe output so far:\n{}", command.reason(), parts.join("\n")))
}

/// Adds a note on the file that an answer names. An answer in JSON has no place for one. `reader` is the tool
/// that reads the file.
#[must_use]
pub fn with_place(answer: Answer, file: Option<&OutputFile>, reader: Option<&str>) -> Answer {
    let Some(OutputFile { path, .. }) = file.filter(|file| answer.text.contains(&file.path)) else {
        return answer;
    };
    if answer.text.starts_with('{') {
        return answer;
    }
    let reader = reader.map_or_else(String::new, |tool| format!("; {tool} reads it"));
    let note = format!("[{path} is on the machine of this tool, where no command runs{reader}]");
    Answer { text: format!("{}\n{note}", answer.text), ..answer }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Answer, CommandOutcome, OutputFile, reason_with_output, remove_reader, with_place};
    use crate::tools::outcome::testing::outcome;

    fn command(value: Value) -> CommandOutcome {
        outcome(value)
    }

    #[test]
    fn a_view_names_its_file_without_a_command() {
        let text = "1\n[output: 9 lines, 1 line shown; whole: /f; lines A to B: sed -n 'A,Bp' /f]";
        for (has_view, expected) in [(true, "1\n[output: 9 lines, 1 line shown; whole: /f]"), (false, text)] {
            let mut output = command(json!({ "stdout": text, "hasView": has_view })).output;
            remove_reader(&mut output);
            assert_eq!(output.stdout, expected);
        }
    }

    #[test]
    fn the_reason_of_a_lost_command_has_its_output_unless_the_answer_has_it() {
        let lost = json!({ "errorCode": "TARGET_LOST", "error": "lost", "stdout": "a\"b\n", "stderr": "c" });
        let reason = reason_with_output(&command(lost.clone()), "Error: lost");
        assert_eq!(reason.as_deref(), Some("lost\nThe output so far:\na\"b\nc"));
        assert_eq!(reason_with_output(&command(lost), r#"{"stdout":"a\"b\n","stderr":"c"}"#), None);
        let failed = json!({ "errorCode": "OTHER", "error": "lost", "stdout": "a" });
        assert_eq!(reason_with_output(&command(failed), ""), None);
    }

    #[test]
    fn a_file_that_is_named_is_on_the_machine_of_the_tool() {
        let file = OutputFile { path: "/f".to_owned(), ..OutputFile::default() };
        let text = |text: &str, reader| {
            with_place(Answer::new(text.to_owned(), false, &()), Some(&file), reader).text
        };
        assert_eq!(
            text("see /f", Some("bash_output")),
            "see /f\n[/f is on the machine of this tool, where no command runs; bash_output reads it]"
        );
        assert_eq!([text("see /g", None), text("{\"/f\":1}", None)], ["see /g", "{\"/f\":1}"]);
    }
}
