//! `rye`: `rye/bash/bash` of rye-os. The answer is a JSON object.

use serde::Serialize;

use crate::text::path::normal;
use crate::tools::prelude::*;

/// The default timeout of a command (s).
const TIMEOUT_S: f64 = 120.0;
/// The time of a command that the original ends at once (ms): the engine takes 0 for no limit.
const MIN_TIMEOUT_MS: f64 = 1.0;
/// The most of each stream in the answer (bytes of UTF-8).
const MAX_BYTES: usize = 51_200;

/// The facts about the dialect.
pub const PROFILE: DialectProfile = DialectProfile {
    compat: Some(&["environment", "escapes", "json", "processes", "timeout"]),
    uses_bash: false,
    identity: Some(ToolIdentity { id: "rye/bash/bash", namespace: "rye/bash/", version: "1.0.0" }),
    ..DialectProfile::new("rye", |settings| Box::new(Rye { settings }))
};

/// The dialect.
#[derive(Debug)]
pub struct Rye {
    settings: ToolsetSettings,
}

impl Rye {
    /// Returns the timeout at or below zero (s), with which the original ends a command at once, if the host
    /// wants its text.
    fn no_time(&self, arguments: &Arguments) -> Option<f64> {
        arguments.number("timeout").filter(|seconds| *seconds <= 0.0 && self.settings.has_compat("timeout"))
    }

    fn timeout_ms(&self, arguments: &Arguments) -> Option<f64> {
        if self.no_time(arguments).is_some() {
            return Some(MIN_TIMEOUT_MS);
        }
        let asked = arguments.number("timeout").map(|seconds| seconds * 1000.0);
        self.settings.timeout(asked, Some(TIMEOUT_S * 1000.0), None)
    }

    /// Returns the schema of the arguments, with the default timeout that holds.
    fn input(&self) -> String {
        let default = self.settings.timeout(None, Some(TIMEOUT_S * 1000.0), None).map(|time| time / 1000.0);
        let whole = default.filter(|seconds| seconds.fract() == 0.0);
        INPUT
            .replace("{directory}", self.settings.session().directory("project root"))
            .replace("{default}", &default.map_or_else(|| "none".to_owned(), |seconds| seconds.to_string()))
            .replace(
                "{schema_default}",
                &whole.map_or_else(String::new, |seconds| format!(r#","default":{seconds}"#)),
            )
    }

    fn limit(&self) -> usize {
        self.settings.max_bytes.map_or(MAX_BYTES, |bytes| usize::try_from(bytes).unwrap_or(MAX_BYTES))
    }

    /// Returns the answer as compact JSON, or with the setting `json` in the original's spelling.
    fn answer_of(&self, data: &RyeResult) -> Answer {
        let answer = Answer::new(String::new(), !data.success, data);
        let text =
            if self.settings.has_compat("json") { python_json(&answer.data) } else { answer.data.clone() };
        Answer { text, ..answer }
    }

    fn error(&self, message: String) -> Answer {
        self.answer_of(&RyeResult { error: Some(message), ..RyeResult::default() })
    }

    fn timed_out(&self, seconds: f64, run: RyeResult) -> Answer {
        let error = Some(format!("Command timed out after {seconds} seconds"));
        if self.settings.has_compat("timeout") {
            return self.answer_of(&RyeResult {
                error,
                timeout: Some(Number(seconds)),
                ..RyeResult::default()
            });
        }
        let partial = RyeResult { exit_code: None, ..run };
        self.answer_of(&RyeResult { success: false, error, timeout: Some(Number(seconds)), ..partial })
    }
}

impl Dialect for Rye {
    fn tools(&self) -> Vec<Tool> {
        vec![Tool {
            name: "rye_bash",
            title: "Execute shell commands",
            description: "Execute a shell command in the project. The answer is JSON with the output of both streams, the exit \
                code and whether it succeeded."
                .into(),
            input_schema: Schema::new(&self.input()),
            output_schema: Schema::new(OUTPUT),
            read_only: false,
        }]
    }

    fn instructions(&self) -> Cow<'static, str> {
        "Run shell commands in the project with `rye_bash`. Each answer is a JSON object.".into()
    }

    fn plan(&self, _tool: &str, arguments: &Arguments) -> Result<Action, Answer> {
        let command = arguments
            .usable_text("command")
            .ok_or_else(|| self.error("Missing required parameter: command".to_owned()))?;
        let output = OutputOptions {
            max_bytes: self.limit() as u64 + 4,
            view_bytes: Some(self.limit() as u64),
            keep: Keep::Head,
            marker: Some(String::new()),
            strip_ansi: self.settings.strips_escapes(),
            ..OutputOptions::default()
        };
        Ok(RunAction {
            cwd: arguments.usable_text("working_dir").map(str::to_owned),
            is_contained: true,
            timeout_ms: self.timeout_ms(arguments),
            non_interactive: !self.settings.has_compat("environment"),
            ..RunAction::of_shell(command, &["/bin/sh", "-c"], output)
        }
        .into())
    }

    fn answer(&self, _tool: &str, arguments: &Arguments, outcome: &CallOutcome) -> Answer {
        let run = outcome.run();
        let outcome = &run.command;
        if outcome.has_not_run() {
            return self.error(match outcome.error_code.as_deref() {
                Some("CWD_OUTSIDE") => "Working directory is outside the project workspace".to_owned(),
                Some("CWD_MISSING" | "ROOT_MISSING") => {
                    format!("Working directory not found: {}", normal(&run.cwd))
                }
                Some("CWD_NOT_DIRECTORY") => {
                    format!("[Errno 20] Not a directory: '{}'", normal(&run.cwd))
                }
                _ => outcome.reason().to_owned(),
            });
        }
        let (stdout, stdout_cut) =
            truncated(&outcome.output.stdout, outcome.output.stdout_bytes, self.limit());
        let (stderr, stderr_cut) =
            truncated(&outcome.output.stderr, outcome.output.stderr_bytes, self.limit());
        let tagged = if stderr.is_empty() { String::new() } else { format!("[stderr]\n{stderr}") };
        let parts: Vec<_> = [stdout.as_str(), &tagged].into_iter().filter(|part| !part.is_empty()).collect();
        let run = RyeResult {
            success: outcome.is_success(),
            output: Some(parts.join("\n")),
            stdout: Some(stdout),
            stderr: Some(stderr),
            // As in Python, a death by signal is the negative number of the signal.
            exit_code: outcome.exit_code.or_else(|| outcome.signal_number().map(|signal| i64::from(-signal))),
            truncated: Some(stdout_cut || stderr_cut),
            notes: run.remarks(self.settings.names_processes()),
            ..RyeResult::default()
        };
        if let Some(seconds) = self.no_time(arguments) {
            return self.timed_out(seconds, run);
        }
        match outcome.status {
            CommandStatus::Timeout => self.timed_out(self.timeout_ms(arguments).unwrap_or(0.0) / 1000.0, run),
            CommandStatus::Background => self.answer_of(&RyeResult {
                error: Some(format!("Command is {}", outcome.still_running())),
                ..run
            }),
            CommandStatus::Aborted => {
                self.answer_of(&RyeResult { error: Some("Command was aborted".to_owned()), ..run })
            }
            _ => self.answer_of(&run),
        }
    }
}

/// Cuts a stream as the original does: at a byte of UTF-8, where an incomplete character becomes U+FFFD.
fn truncated(text: &str, total: f64, limit: usize) -> (String, bool) {
    if text.len() <= limit {
        return (text.to_owned(), false);
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a length of output")]
    let total = (total as usize).max(text.len());
    let kept = String::from_utf8_lossy(&text.as_bytes()[..limit]);
    (format!("{kept}\n... [output truncated, {total} bytes total]"), true)
}

/// Rewrites JSON as Python's `json.dumps` does: with a space after `:` and `,`, and in ASCII only.
fn python_json(json: &str) -> String {
    let mut text = String::with_capacity(json.len() + 32);
    let (mut is_quoted, mut is_escaped) = (false, false);
    for character in json.chars() {
        match character {
            ':' | ',' if !is_quoted => text.extend([character, ' ']),
            ' '..='~' => text.push(character),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    text.extend(["\\u", &format!("{unit:04x}")]);
                }
            }
        }
        if character == '"' && !is_escaped {
            is_quoted = !is_quoted;
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    text
}

/// A number that is written without needless digits: `120`, `0.3`.
#[derive(Clone, Copy, Debug, Default)]
struct Number(f64);

impl Serialize for Number {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[allow(clippy::cast_possible_truncation, reason = "it has no fraction, and a cast saturates")]
        if self.0.fract() == 0.0 {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

/// The answer's properties, in the order of the original's documentation.
#[derive(Debug, Default, Serialize)]
struct RyeResult {
    success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// Remarks for which the original has no words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

const INPUT: &str = r#"{"type":"object","properties":{"command":{"type":"string","description":"Shell command to execute"},"timeout":{"type":"integer","description":"Timeout in seconds (default: {default})"{schema_default}},"working_dir":{"type":"string","description":"Working directory (default: {directory})"}},"required":["command"],"additionalProperties":false}"#;
const OUTPUT: &str = r#"{"type":"object","properties":{"success":{"type":"boolean"},"error":{"type":"string"},"timeout":{"type":"number"},"output":{"type":"string"},"stdout":{"type":"string"},"stderr":{"type":"string"},"exit_code":{"type":"integer"},"truncated":{"type":"boolean"},"notes":{"type":"array","items":{"type":"string"}}},"required":["success"],"additionalProperties":false}"#;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Action, Rye, python_json, truncated};
    use crate::tools::call::arguments::Arguments;
    use crate::tools::dialect::Dialect;
    use crate::tools::outcome::testing::call;
    use crate::tools::settings::ToolsetSettings;

    fn text(arguments: &str, outcome: &Value) -> String {
        Rye { settings: ToolsetSettings::default() }
            .answer("rye_bash", &Arguments::from_json(arguments), &call("run", outcome.clone()))
            .text
    }

    #[test]
    fn a_result_has_the_fields_of_the_document_in_its_order() {
        let outcome = json!({ "exitCode": 3, "stdout": "out\n", "stderr": "err\n", "pid": 1 });
        assert_eq!(
            text("{}", &outcome),
            r#"{"success":false,"output":"out\n\n[stderr]\nerr\n","stdout":"out\n","stderr":"err\n","exit_code":3,"truncated":false}"#
        );
    }

    #[test]
    fn a_timeout_keeps_partial_output() {
        let outcome = json!({ "status": "timeout", "stdout": "part\n", "pid": 1 });
        assert_eq!(
            text(r#"{"timeout":0.5}"#, &outcome),
            r#"{"success":false,"error":"Command timed out after 0.5 seconds","timeout":0.5,"output":"part\n","stdout":"part\n","stderr":"","truncated":false}"#
        );
    }

    #[test]
    fn a_missing_directory_is_shown_as_an_absolute_path() {
        let outcome = json!({ "status": "failed", "errorCode": "CWD_MISSING", "cwd": "/project/a/../none" });
        assert_eq!(
            text("{}", &outcome),
            r#"{"success":false,"error":"Working directory not found: /project/none"}"#
        );
    }

    #[test]
    fn a_cut_stream_says_how_long_it_was() {
        assert_eq!(
            truncated("aä", 9.0, 2),
            ("a\u{fffd}\n... [output truncated, 9 bytes total]".to_owned(), true)
        );
        assert_eq!(truncated("aä", 3.0, 3), ("aä".to_owned(), false));
    }

    #[test]
    fn a_time_at_or_below_zero_is_over_at_once_for_compatibility() {
        let rye = Rye {
            settings: ToolsetSettings { compat: Some("timeout".into()), ..ToolsetSettings::default() },
        };
        let outcome = json!({ "status": "timeout", "pid": 1 });
        for seconds in ["0", "-1"] {
            let arguments = Arguments::from_json(&format!(r#"{{"command":"ls","timeout":{seconds}}}"#));
            let Ok(Action::Run(run)) = rye.plan("rye_bash", &arguments) else { panic!("not a run") };
            assert_eq!(run.timeout_ms, Some(1.0));
            assert_eq!(
                rye.answer("rye_bash", &arguments, &call("run", outcome.clone())).text,
                format!(
                    r#"{{"success":false,"error":"Command timed out after {seconds} seconds","timeout":{seconds}}}"#
                )
            );
        }
    }

    #[test]
    fn json_can_be_written_as_python_writes_it() {
        assert_eq!(python_json(r#"{"a":"x,\":ä😀","b":1}"#), r#"{"a": "x,\":\u00e4\ud83d\ude00", "b": 1}"#);
    }
}
