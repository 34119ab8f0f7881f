//! The descriptions and schemas of `bash` and its companions.

use super::object;
use crate::tools::prelude::*;

pub(super) fn instructions(has_jobs: bool, session: SessionMode) -> String {
    let state = session.sentence().trim_end_matches('.');
    let own = format!(
        "Run shell commands with `bash`. {state}; standard input is empty unless `stdin` is given. The last line of an answer says \
         how the command ended."
    );
    if has_jobs { format!("{own} {JOBS}") } else { own }
}

const JOBS: &str = "Start servers and watchers with `background: true`; read their output with `bash_read`, write to their input \
with `bash_write`, end them with `bash_kill`; `bash_list` shows all jobs. Where an answer says that lines were left out, \
`bash_output` shows them.";

/// Returns the main tool.
pub(super) fn bash(settings: &ToolsetSettings, timeout_ms: Option<f64>) -> Tool {
    let (has_jobs, has_view) = (settings.has_companions, settings.has_view(true));
    let limit = timeout_ms.map_or_else(String::new, |time| format!(" Default {time}."));
    let directory = settings.session().directory("that of the project");
    let background = r#","background":{"type":"boolean","description":"Start the command as a job and answer at once. For servers, watchers and anything that takes long."}"#;
    let properties = format!(
        r#""command":{{"type":"string","description":"The command, for bash."}},"description":{{"type":"string","description":"What the command does, in a few words, for people."}},"cwd":{{"type":"string","description":"The working directory. Default: {directory}."}},"timeout_ms":{{"type":"number","minimum":0,"description":"How long the command may take, in milliseconds.{limit}"}}{},"stdin":{{"type":"string","description":"Text for the standard input, which is empty otherwise."}}{}"#,
        if has_jobs { background } else { "" },
        if settings.escalates { ESCALATION } else { "" }
    );
    Tool {
        name: "bash",
        title: "Run a shell command",
        description: format!(
            "Run a shell command. The answer has the output of both streams in order, {}, and ends with the exit code.",
            match (has_view, has_jobs) {
                (true, true) => VIEW_WITH_OUTPUT,
                (true, false) => VIEW,
                (false, _) => "with a marker where the middle of long output was left out",
            }
        )
        .into(),
        input_schema: object(&properties, r#""command""#),
        output_schema: object(COMMAND, r#""status","exit_code""#),
        read_only: false,
    }
}

/// Returns the companion tools, which control jobs.
pub(super) fn companions() -> [Tool; 5] {
    [
        output(),
        Tool {
            name: "bash_read",
            title: "Read the output of a job",
            description: "Read what a job has written since the last read, and how it ended. With `wait_ms`, wait for output or \
                the end first."
                .into(),
            input_schema: object(
                &format!(
                    r#"{JOB},"since":{{"type":"integer","minimum":0,"description":"Read from this cursor on; 0 is the job's start. Default: what was not read yet."}},"wait_ms":{{"type":"number","minimum":0,"maximum":45000,"description":"How long to wait for output or the end, in milliseconds. Default 0."}}"#
                ),
                r#""job""#,
            ),
            output_schema: object(READ, r#""status","exit_code""#),
            read_only: true,
        },
        Tool {
            name: "bash_write",
            title: "Write to the input of a job",
            description: "Write text to the standard input of a job, end its input, or send it a signal. The answer has what the \
                job wrote then."
                .into(),
            input_schema: object(
                &format!(
                    r#"{JOB},"text":{{"type":"string","description":"The text, written as it is: end lines with a line break."}},"end":{{"type":"boolean","description":"Whether the input ends after the text."}},"signal":{{"type":"string","description":"A signal to send first, such as SIGINT."}},"wait_ms":{{"type":"number","minimum":0,"maximum":45000,"description":"How long to wait for output, in milliseconds. Default 250."}}"#
                ),
                r#""job""#,
            ),
            output_schema: object(READ, r#""status","exit_code""#),
            read_only: false,
        },
        Tool {
            name: "bash_kill",
            title: "End a job",
            description: "End a job and everything that it has started.".into(),
            input_schema: object(JOB, r#""job""#),
            output_schema: object(READ, r#""status","exit_code""#),
            read_only: false,
        },
        Tool {
            name: "bash_list",
            title: "List jobs",
            description: "List the jobs that run and those that ended a short while ago.".into(),
            input_schema: object("", ""),
            output_schema: object(
                &format!(r#""jobs":{{"type":"array","items":{{"type":"object","properties":{{{READ}}},"required":["job","status","exit_code"],"additionalProperties":false}}}}"#),
                r#""jobs""#,
            ),
            read_only: true,
        },
    ]
}

/// Returns the tool that shows output that an answer has left out.
fn output() -> Tool {
    Tool {
        name: "bash_output",
        title: "Show output again",
        description: "Show what an earlier answer has left out: lines `from` to `to` by the numbers in its markers, or the lines \
            that contain the text `find`. Use it instead of running the command again. Without them, it shows a view of all \
            output."
            .into(),
        input_schema: object(
            r#""job":{"type":"string","description":"The id of a job, such as job-1. Give either this or path."},"path":{"type":"string","description":"The file with all of the output, as the last line of the output names it. No other file is read."},"from":{"type":"integer","minimum":1,"description":"The first line. Default 1."},"to":{"type":"integer","minimum":1,"description":"The last line. Default: as many lines as fit."},"find":{"type":"string","description":"A text, no pattern: only lines that contain it are shown, with their numbers."}"#,
            "",
        ),
        output_schema: object(OUTPUT, r#""job","path","output""#),
        read_only: true,
    }
}

const VIEW: &str = "of long output those lines that matter and numbered markers for the others";
const VIEW_WITH_OUTPUT: &str =
    "of long output those lines that matter and numbered markers for the others, which `bash_output` shows";

/// The arguments by which a command asks for more than its sandbox gives.
const ESCALATION: &str = r#","allow_hosts":{"type":"array","items":{"type":"string"},"description":"Hosts that the sandbox should let this command reach, such as registry.example:443. Somebody is asked; ask only after a command has failed without."},"allow_writes":{"type":"array","items":{"type":"string"},"description":"Existing paths below which the sandbox should let this command write. Somebody is asked."},"unsandboxed":{"type":"boolean","description":"Run this command without the sandbox. Somebody is asked; ask for hosts or paths instead if they are enough."},"reason":{"type":"string","description":"Why the command needs more than the sandbox gives, for the person who is asked. Required with the three before."}"#;

const OUTPUT: &str = r#""job":{"type":["string","null"]},"path":{"type":["string","null"]},"output":{"type":"string"},"from":{"type":["integer","null"]},"to":{"type":["integer","null"]},"found":{"type":["integer","null"]},"error":{"type":["string","null"]}"#;

const JOB: &str = r#""job":{"type":"string","description":"The id of the job, such as job-1."}"#;

const COMMAND: &str = r#""status":{"enum":["exited","signaled","timeout","idleTimeout","background","aborted","denied","failed"]},"exit_code":{"type":["integer","null"]},"signal":{"type":["string","null"]},"output":{"type":"string"},"truncated":{"type":"boolean"},"total_bytes":{"type":"integer"},"duration_ms":{"type":"number"},"cwd":{"type":["string","null"]},"job":{"type":["string","null"]},"background_pids":{"type":"array","items":{"type":"integer"}},"pipe_status":{"type":["array","null"],"items":{"type":"integer"}},"spill_path":{"type":["string","null"]},"error":{"type":["string","null"]}"#;

const READ: &str = r#""job":{"type":"string"},"status":{"enum":["running","exited","signaled","timeout","idleTimeout","aborted","failed","unknown"]},"exit_code":{"type":["integer","null"]},"signal":{"type":["string","null"]},"command":{"type":"string"},"description":{"type":["string","null"]},"pid":{"type":["integer","null"]},"output":{"type":"string"},"cursor":{"type":["integer","null"]},"dropped_bytes":{"type":"integer"},"duration_ms":{"type":"number"},"background_pids":{"type":"array","items":{"type":"integer"}},"error":{"type":["string","null"]}"#;
