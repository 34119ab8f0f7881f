//! The note about a session whose shell has ended with a command.

use crate::tools::outcome::RunOutcome;
use crate::tools::outcome::command::{CommandOutput, CommandStatus};

/// The note where the session has the state before the command: the end of the shell looks like the success
/// of its command.
const KEPT: &str = "[The shell of this session ended with this command. The next command has a new shell, with \
                    the state before this one.]";

/// The note where the shell has taken its state along.
const LOST: &str = "[The shell of this session ended with this command. The next command has a new shell: the \
                    directory, variables, functions and jobs are lost.]";

/// Adds the note to the output of a command that has ended its shell.
///
/// An exit code other than 0 says by itself that the command may have changed nothing, where the session
/// keeps the state before it.
pub fn add_note(run: &mut RunOutcome) {
    let command = &mut run.command;
    let has_ended =
        run.shell_ended && matches!(command.status, CommandStatus::Exited | CommandStatus::Signaled);
    if !has_ended || (run.has_state && command.exit_code != Some(0)) {
        return;
    }
    let CommandOutput { stdout, stderr, .. } = &mut command.output;
    let stream = if run.is_merged { stdout } else { stderr };
    if !stream.is_empty() && !stream.ends_with('\n') {
        stream.push('\n');
    }
    stream.push_str(if run.has_state { KEPT } else { LOST });
    stream.push('\n');
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{KEPT, LOST, RunOutcome, add_note};
    use crate::tools::outcome::testing::{outcome, with};

    fn streams(more: Value) -> [String; 2] {
        let mut run: RunOutcome =
            outcome(with(json!({ "shellEnded": true, "exitCode": 0, "stdout": "a" }), more));
        add_note(&mut run);
        [run.command.output.stdout, run.command.output.stderr]
    }

    #[test]
    fn the_end_of_a_shell_is_a_line_of_the_stream_for_errors() {
        assert_eq!(streams(json!({})), ["a".to_owned(), format!("{LOST}\n")]);
        assert_eq!(streams(json!({ "isMerged": true })), [format!("a\n{LOST}\n"), String::new()]);
        assert_eq!(streams(json!({ "hasState": true })), ["a".to_owned(), format!("{KEPT}\n")]);
    }

    #[test]
    fn an_exit_code_or_a_timeout_says_it_by_itself() {
        let nothing = ["a", ""];
        assert_eq!(streams(json!({ "hasState": true, "exitCode": 3 })), nothing);
        assert_eq!(streams(json!({ "status": "timeout" })), nothing);
        assert_eq!(streams(json!({ "shellEnded": false })), nothing);
    }
}
