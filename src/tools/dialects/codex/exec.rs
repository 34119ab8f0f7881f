//! `codex-exec`: Codex' unified exec: `exec_command` and `write_stdin`. Each command is a job.

use super::{additional_schema, fitted, forced_end, max_tokens, output, permissions_description, request};
use crate::tools::prelude::*;
use crate::tools::text::cut::{BYTES_PER_TOKEN, tokens};
use crate::tools::text::phrases::pids;

/// The default, the shortest and the longest wait of `exec_command` (ms).
const YIELD_MS: [f64; 3] = [10_000.0, 250.0, 30_000.0];
/// The default, the shortest and the longest wait of `write_stdin` after a write (ms).
const WRITE_MS: [f64; 3] = [250.0, 250.0, 30_000.0];
/// The default, the shortest and the longest wait of a `write_stdin` that writes nothing (ms).
const POLL_MS: [f64; 3] = [5_000.0, 5_000.0, 300_000.0];

const ENVIRONMENT: &[(&str, &str)] = &[
    ("NO_COLOR", "1"),
    ("TERM", "dumb"),
    ("LANG", "C.UTF-8"),
    ("LC_CTYPE", "C.UTF-8"),
    ("LC_ALL", "C.UTF-8"),
    ("COLORTERM", ""),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GH_PAGER", "cat"),
    ("CODEX_CI", "1"),
];

/// The facts about the dialect.
pub const PROFILE: DialectProfile = DialectProfile {
    options: &[OptionKind::Flag.named("listTool")],
    compat: Some(&["environment", "escapes", "processes"]),
    // Each command is a job, which has a shell of its own.
    session: |_| SessionMode::None,
    job_ids: "number",
    max_running: Some(64),
    has_answer_id: true,
    asks_for_more: true,
    ..DialectProfile::new("codex-exec", |settings| Box::new(CodexExec::new(settings)))
};

/// The dialect.
#[derive(Debug)]
pub struct CodexExec {
    settings: ToolsetSettings,
    has_list: bool,
}

impl CodexExec {
    /// Creates the dialect with the host's settings.
    #[must_use]
    pub fn new(settings: ToolsetSettings) -> Self {
        Self { has_list: settings.own().flag("listTool"), settings }
    }

    fn exec(&self, arguments: &Arguments) -> Result<Action, Answer> {
        let command = arguments
            .usable_text("cmd")
            .ok_or_else(|| failure("failed to parse function arguments: missing field `cmd`"))?;
        let asks = request(&self.settings, arguments, "cannot").map_err(|message| failure(&message))?;
        let is_login = arguments.get("login").is_none_or(|login| login != false && login != "false");
        let flag = if is_login { "-lc" } else { "-c" };
        let has_tty = arguments.flag("tty");
        Ok(RunAction {
            asks,
            command: Some(command.to_owned()),
            shell: Some(vec!["bash", flag]),
            asked_shell: arguments.usable_text("shell").map(|shell| vec![shell.to_owned(), flag.to_owned()]),
            cwd: arguments.usable_text("workdir").map(str::to_owned),
            dialect_env: ENVIRONMENT,
            non_interactive: !self.settings.has_compat("environment"),
            timeout_ms: self.settings.timeout(None, None, None),
            yield_ms: Some(clamped(arguments, YIELD_MS)),
            is_open: has_tty,
            pty: (has_tty && self.settings.has_terminals).then_some(TerminalSize::USUAL),
            is_job: true,
            // The engine holds an unfinished line back where it strips escape sequences, and a prompt is one.
            // The answer has none.
            output: OutputOptions {
                strip_ansi: self.settings.strip_ansi.unwrap_or(false),
                ..output(self.most(arguments))
            },
            ..RunAction::default()
        }
        .into())
    }

    fn write(&self, arguments: &Arguments) -> Result<Action, Answer> {
        let session = arguments
            .number("session_id")
            .ok_or_else(|| failure("failed to parse function arguments: missing field `session_id`"))?;
        let id = session.to_string();
        let chars = arguments.text("chars").unwrap_or_default();
        if chars.is_empty() {
            return Ok(Action::Read(ReadAction {
                id,
                wait_ms: clamped(arguments, POLL_MS),
                until_end: true,
                view_bytes: Some(self.view_bytes(arguments)),
                ..ReadAction::default()
            }));
        }
        let write = WriteAction {
            id,
            wait_ms: clamped(arguments, WRITE_MS),
            until_end: true,
            view_bytes: Some(self.view_bytes(arguments)),
            ..WriteAction::default()
        };
        // A control character alone acts as in a terminal, also on a job without one: Ctrl-C sends SIGINT.
        let write = WriteAction { key: is_control(chars).then(|| chars.to_owned()), ..write };
        Ok(Action::Write(match chars {
            "\u{3}" => WriteAction { signal: Some("SIGINT".to_owned()), ..write },
            "\u{1c}" => WriteAction { signal: Some("SIGQUIT".to_owned()), ..write },
            "\u{4}" => WriteAction { end: true, ..write },
            _ => WriteAction { text: Some(chars.to_owned()), ..write },
        }))
    }

    fn view_bytes(&self, arguments: &Arguments) -> u64 {
        self.most(arguments).saturating_mul(BYTES_PER_TOKEN) as u64
    }

    fn most(&self, arguments: &Arguments) -> usize {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast saturates")]
        arguments
            .positive("max_output_tokens")
            .map_or_else(|| max_tokens(&self.settings), |tokens| tokens as usize)
    }
}

fn clamped(arguments: &Arguments, [usual, least, most]: [f64; 3]) -> f64 {
    arguments.number("yield_time_ms").unwrap_or(usual).clamp(least, most)
}

impl Dialect for CodexExec {
    fn tools(&self) -> Vec<Tool> {
        let tokens = max_tokens(&self.settings).to_string();
        let mut tools = vec![
            Tool {
                name: "exec_command",
                title: "Run a command",
                description: "Runs a command, returning output or a session ID for ongoing interaction."
                    .into(),
                input_schema: Schema::new(
                    &EXEC_INPUT
                        .replace("{permissions}", permissions_description(&self.settings))
                        .replace("{additional}", additional_schema(&self.settings))
                        .replace("{tokens}", &tokens),
                ),
                output_schema: Schema::new(OUTPUT),
                read_only: false,
            },
            Tool {
                name: "write_stdin",
                title: "Write to a session",
                description: "Writes characters to an existing exec session and returns recent output."
                    .into(),
                input_schema: Schema::new(&WRITE_INPUT.replace("{tokens}", &tokens)),
                output_schema: Schema::new(OUTPUT),
                read_only: false,
            },
        ];
        if self.has_list {
            tools.push(Tool {
                name: "list_sessions",
                title: "List sessions",
                description: "Lists the sessions that run, and those that ended a short while ago.".into(),
                input_schema: Schema::new(
                    r#"{"type":"object","properties":{},"additionalProperties":false}"#,
                ),
                output_schema: Schema::new(LIST_OUTPUT),
                read_only: true,
            });
        }
        tools
    }

    fn instructions(&self) -> Cow<'static, str> {
        "Run commands with `exec_command`. One that takes longer than `yield_time_ms` goes on as a session: poll it, or write \
         to its input, with `write_stdin`. Use `tty: true` for commands that need input."
            .into()
    }

    fn plan(&self, tool: &str, arguments: &Arguments) -> Result<Action, Answer> {
        match tool {
            "exec_command" => self.exec(arguments),
            "write_stdin" => self.write(arguments),
            _ => Ok(Action::List),
        }
    }

    fn answer(&self, tool: &str, arguments: &Arguments, outcome: &CallOutcome) -> Answer {
        if tool == "list_sessions" {
            return list(outcome.jobs());
        }
        let has_closed_input =
            matches!(outcome, CallOutcome::Write { took_input: false, was_over: false, .. });
        let notes = outcome.notes(self.settings.names_processes());
        let outcome = outcome.command();
        let id = arguments.number("session_id").unwrap_or_default();
        let command = arguments.text("cmd").unwrap_or_default();
        match outcome.status {
            CommandStatus::Unknown => {
                return failure(&format!("write_stdin failed: Unknown process id {id}"));
            }
            CommandStatus::Denied if tool == "write_stdin" => {
                return failure(&format!("write_stdin failed: {}", outcome.reason()));
            }
            CommandStatus::Denied => {
                return failure(&format!(
                    "exec_command failed for `{command}`: rejected: {}",
                    outcome.reason()
                ));
            }
            _ if outcome.has_invalid_arguments() => {
                return failure(&format!("failed to parse function arguments: {}", outcome.reason()));
            }
            CommandStatus::Failed => {
                return failure(&format!("exec_command failed for `{command}`: {}", outcome.reason()));
            }
            CommandStatus::Aborted if outcome.is_aborted_before_start() => {
                return failure(&format!("exec_command failed for `{command}`: aborted before it started"));
            }
            _ => {}
        }
        let has_written =
            tool == "write_stdin" && arguments.text("chars").is_some_and(|chars| !is_control(chars));
        if has_written && has_closed_input {
            return failure(
                "write_stdin failed: stdin is closed for this session; rerun exec_command with tty=true to keep stdin open",
            );
        }
        response(&outcome, self.most(arguments), self.settings.timeout(None, None, None), &notes)
    }
}

fn is_control(chars: &str) -> bool {
    matches!(chars, "" | "\u{3}" | "\u{1c}" | "\u{4}")
}

fn response(outcome: &CommandOutcome, most: usize, limit_ms: Option<f64>, notes: &[String]) -> Answer {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast saturates")]
    let bytes = if outcome.output.has_view {
        outcome.output.stdout_bytes as usize
    } else {
        outcome.output.stdout.len()
    };
    let count = tokens(bytes);
    let (mut shown, is_cut) = fitted(&outcome.output.stdout, most);
    if is_cut {
        let lines = outcome.output.stdout.lines().count();
        shown = format!("Total output lines: {lines}\n\n{shown}");
    }
    if let Some(note) = outcome.output.dropped_note() {
        shown = format!("[{note}]\n{shown}");
    }
    if let Some(end) = forced_end(outcome.status, limit_ms) {
        shown = format!("{end}\n{shown}");
    }
    for note in notes {
        shown = format!("{note}\n{shown}");
    }
    let is_running = outcome.status == CommandStatus::Background;
    let session = outcome.job.as_deref().filter(|_| is_running);
    let exit_code = if is_running { None } else { Some(outcome.shell_code().unwrap_or(1)) };
    let seconds = outcome.duration_ms / 1000.0;
    let process = match (session, exit_code) {
        (Some(session), _) => format!("Process running with session ID {session}"),
        (None, code) => format!("Process exited with code {}", code.unwrap_or(1)),
    };
    let text = [
        format!("Chunk ID: {}", outcome.output.chunk_id),
        format!("Wall time: {seconds:.4} seconds"),
        process,
        format!("Original token count: {count}"),
        "Output:".to_owned(),
        shown.clone(),
    ]
    .join("\n");
    let data = object! {
        "chunk_id"?: Some(&outcome.output.chunk_id),
        "wall_time_seconds": seconds,
        "exit_code"?: exit_code,
        "session_id"?: session.and_then(|session| session.parse::<i64>().ok()),
        "original_token_count"?: Some(count),
        "output": &shown,
        "tty": outcome.is_terminal,
        "timed_out": outcome.status == CommandStatus::Timeout,
        "aborted": outcome.status == CommandStatus::Aborted,
        "signal"?: outcome.signal.as_deref(),
        "background_pids"?: &outcome.background_pids,
    };
    let is_error = matches!(outcome.status, CommandStatus::Aborted | CommandStatus::Timeout);
    Answer::of(text, is_error, data)
}

fn failure(message: &str) -> Answer {
    let data = object! {
        "wall_time_seconds": 0.0,
        "output": "",
        "tty": false,
        "timed_out": false,
        "aborted": false,
        "error"?: Some(message),
    };
    Answer::of(message.to_owned(), true, data)
}

fn list(jobs: &[JobOutcome]) -> Answer {
    let id =
        |item: &CommandOutcome| item.job.as_deref().and_then(|id| id.parse::<i64>().ok()).unwrap_or_default();
    let line = |JobOutcome { command: item, .. }: &JobOutcome| {
        let state = match (item.shell_code(), pids(&item.background_pids)) {
            (None, _) => "running".to_owned(),
            (Some(code), left) if left.is_empty() => format!("exited with code {code}"),
            (Some(code), left) => format!("exited with code {code}, still running: pid {left}"),
        };
        format!("Session ID {}: {state}: {}", id(item), item.command)
    };
    let session = |JobOutcome { command: item, .. }: &JobOutcome| {
        object! {
            "session_id": id(item),
            "running": item.status == CommandStatus::Background,
            "exit_code": item.shell_code(),
            "cmd": item.command,
            "background_pids"?: item.background_pids,
        }
    };
    let lines: Vec<_> = jobs.iter().map(line).collect();
    let text = if lines.is_empty() { "No sessions.".to_owned() } else { lines.join("\n") };
    Answer::of(text, false, object! { "sessions": jobs.iter().map(session).collect::<Vec<_>>() })
}

const EXEC_INPUT: &str = r#"{"type":"object","properties":{"cmd":{"type":"string","description":"Shell command to execute."},"workdir":{"type":"string","description":"Working directory to run the command in; defaults to the turn cwd."},"shell":{"type":"string","description":"Shell binary to launch. Defaults to the user's default shell."},"login":{"type":"boolean","description":"Whether to run the shell with -l semantics. Defaults to true."},"tty":{"type":"boolean","description":"Whether the command gets a terminal, and standard input stays open for write_stdin. Defaults to false."},"yield_time_ms":{"type":"number","description":"How long to wait (in milliseconds) for output before yielding. Default 10000, from 250 to 30000."},"max_output_tokens":{"type":"number","description":"Maximum number of tokens to return. Excess output will be truncated. Default {tokens}."},"sandbox_permissions":{"type":"string","enum":["use_default","require_escalated","with_additional_permissions"],"description":"{permissions}"},"justification":{"type":"string","description":"Only with require_escalated: a question for the user."},"prefix_rule":{"type":"array","items":{"type":"string"},"description":"Only with require_escalated: a prefix that the user may allow for the future."}{additional}},"required":["cmd"],"additionalProperties":false}"#;
const WRITE_INPUT: &str = r#"{"type":"object","properties":{"session_id":{"type":"number","description":"Identifier of the running exec session."},"chars":{"type":"string","description":"Characters to write to stdin (may be empty to poll)."},"yield_time_ms":{"type":"number","description":"How long to wait (in milliseconds) for output before yielding."},"max_output_tokens":{"type":"number","description":"Maximum number of tokens to return. Excess output will be truncated. Default {tokens}."}},"required":["session_id"],"additionalProperties":false}"#;
const OUTPUT: &str = r#"{"type":"object","properties":{"chunk_id":{"type":"string"},"wall_time_seconds":{"type":"number"},"exit_code":{"type":"integer"},"session_id":{"type":"integer"},"original_token_count":{"type":"integer"},"output":{"type":"string"},"tty":{"type":"boolean"},"timed_out":{"type":"boolean"},"aborted":{"type":"boolean"},"signal":{"type":"string"},"background_pids":{"type":"array","items":{"type":"integer"}},"error":{"type":"string"}},"required":["wall_time_seconds","output"],"additionalProperties":false}"#;
const LIST_OUTPUT: &str = r#"{"type":"object","properties":{"sessions":{"type":"array","items":{"type":"object","properties":{"session_id":{"type":"integer"},"running":{"type":"boolean"},"exit_code":{"type":["integer","null"]},"cmd":{"type":"string"},"background_pids":{"type":"array","items":{"type":"integer"}}},"required":["session_id","running","exit_code","cmd"],"additionalProperties":false}}},"required":["sessions"],"additionalProperties":false}"#;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Action, Arguments, CodexExec, Dialect, ToolsetSettings};
    use crate::tools::outcome::testing::{call, with};

    fn dialect() -> CodexExec {
        CodexExec::new(ToolsetSettings::default())
    }

    fn text(tool: &str, arguments: &str, outcome: Value) -> String {
        let outcome = with(outcome, json!({ "chunkId": "3f9a0c", "durationMs": 1001.7 }));
        let action = if tool == "exec_command" { "run" } else { "write" };
        dialect().answer(tool, &Arguments::from_json(arguments), &call(action, outcome)).text
    }

    fn yields(yield_time_ms: &str) -> Option<f64> {
        let arguments = Arguments::from_json(&format!(r#"{{"cmd":"ls","yield_time_ms":{yield_time_ms}}}"#));
        match dialect().plan("exec_command", &arguments) {
            Ok(Action::Run(run)) => run.yield_ms,
            other => panic!("not a run: {other:?}"),
        }
    }

    #[test]
    fn the_time_to_yield_is_clamped() {
        let times = ["0", "249", "250", "30000", "30001", "null"].map(yields);
        assert_eq!(times, [250.0, 250.0, 250.0, 30_000.0, 30_000.0, 10_000.0].map(Some));
    }

    #[test]
    fn a_timeout_and_an_abort_are_reported_before_the_output() {
        let ended = |status| {
            let outcome = json!({ "status": status, "pid": 7, "signal": "SIGTERM", "stdout": "part\n" });
            let settings: ToolsetSettings = serde_json::from_str(r#"{"timeoutMs":300}"#).expect("settings");
            CodexExec::new(settings).answer("exec_command", &Arguments::default(), &call("run", outcome)).text
        };
        let timeout = ended("timeout");
        assert!(timeout.ends_with("Output:\ncommand timed out after 300 milliseconds\npart\n"), "{timeout}");
        let aborted = ended("aborted");
        assert!(aborted.ends_with("Output:\ncommand was aborted\npart\n"), "{aborted}");
    }

    #[test]
    fn an_ended_process_has_its_code_and_a_running_one_its_session() {
        let outcome = || json!({ "pid": 7, "job": "1001", "stdout": "hi\n" });
        assert_eq!(
            text("exec_command", "{}", with(outcome(), json!({ "exitCode": 0 }))),
            "Chunk ID: 3f9a0c\nWall time: 1.0017 seconds\nProcess exited with code 0\nOriginal token count: 1\nOutput:\nhi\n"
        );
        assert_eq!(
            text("exec_command", "{}", with(outcome(), json!({ "status": "background" }))),
            "Chunk ID: 3f9a0c\nWall time: 1.0017 seconds\nProcess running with session ID 1001\nOriginal token count: 1\n\
             Output:\nhi\n"
        );
    }

    #[test]
    fn an_unknown_session_and_a_closed_input_have_the_words_of_the_original() {
        let unknown = json!({ "status": "unknown" });
        assert_eq!(
            text("write_stdin", r#"{"session_id":7}"#, unknown),
            "write_stdin failed: Unknown process id 7"
        );
        let closed = json!({ "status": "background" });
        assert_eq!(
            text("write_stdin", r#"{"session_id":7,"chars":"x"}"#, closed),
            "write_stdin failed: stdin is closed for this session; rerun exec_command with tty=true to keep stdin open"
        );
    }

    #[test]
    fn a_control_character_alone_is_a_signal() {
        let plan = |chars: &str| {
            let arguments = Arguments::from_json(&format!(r#"{{"session_id":7,"chars":"{chars}"}}"#));
            match dialect().plan("write_stdin", &arguments) {
                Ok(Action::Write(write)) => (write.signal, write.end, write.text),
                other => panic!("not a write: {other:?}"),
            }
        };
        assert_eq!(plan(r"\u0003"), (Some("SIGINT".to_owned()), false, None));
        assert_eq!(plan(r"\u0004"), (None, true, None));
        assert_eq!(plan(r"a\u0003"), (None, false, Some("a\u{3}".to_owned())));
    }

    #[test]
    fn one_token_leaves_the_marker() {
        let outcome = json!({ "pid": 7, "exitCode": 0, "stdout": "1234567890" });
        let text = text("exec_command", r#"{"max_output_tokens":1}"#, outcome);
        assert!(text.ends_with(
            "Original token count: 3\nOutput:\nTotal output lines: 1\n\n\
             12…2 tokens truncated…90"
        ));
    }
}
