//! The tools of Codex: [`shell`] (`shell`, `shell_command`), and [`exec`] (`exec_command`, `write_stdin`).

pub mod exec;
pub mod shell;

use crate::tools::prelude::*;
use crate::tools::text::cut::{BYTES_PER_TOKEN, by_tokens};

/// The default of the most tokens of output that the model reads.
const MAX_TOKENS: usize = 10_000;
/// The most output that is captured (bytes), so that omitted tokens can be counted.
const CAPTURE: u64 = 16 * 1024 * 1024;

/// Returns the most tokens of output that the model reads.
fn max_tokens(settings: &Settings) -> usize {
    settings.max_bytes.map_or(MAX_TOKENS, |bytes| usize::try_from(bytes / 4).unwrap_or(MAX_TOKENS))
}

/// Returns the kept part of the output, merged. Escape sequences stay in it.
fn output(most: usize) -> OutputOptions {
    OutputOptions {
        max_bytes: CAPTURE,
        view_bytes: Some(most.saturating_mul(BYTES_PER_TOKEN) as u64),
        merge: true,
        ..OutputOptions::default()
    }
}

/// Returns the line about a command that was ended: its exit code alone does not tell this from a kill.
fn forced_end(status: CommandStatus, limit_ms: Option<f64>) -> Option<String> {
    match status {
        CommandStatus::Timeout => {
            Some(format!("command timed out after {} milliseconds", limit_ms.unwrap_or_default()))
        }
        CommandStatus::Aborted => Some("command was aborted".to_owned()),
        _ => None,
    }
}

/// Returns the original's answer to a request to leave the sandbox where nobody is asked; `None` without such a
/// request or without a sandbox. `words` are those of the tool.
fn refused_escalation(settings: &Settings, arguments: &Arguments, words: &str) -> Option<String> {
    let permissions = arguments.text("sandbox_permissions");
    let never = "approval policy is Never; reject command — you";
    if !settings.has_sandbox() {
        None
    } else if permissions == Some("with_additional_permissions") {
        Some(format!("{never} cannot request additional permissions unless the approval policy is OnRequest"))
    } else if permissions == Some("require_escalated") || arguments.flag("with_escalated_permissions") {
        Some(format!("{never} {words} ask for escalated permissions if the approval policy is Never"))
    } else {
        None
    }
}

/// Returns the description of `sandbox_permissions`.
const fn permissions_description(settings: &Settings) -> &'static str {
    if settings.has_sandbox() {
        "Always use_default: nobody can be asked for more."
    } else {
        "Sandbox permissions for the command."
    }
}

/// Cuts the middle out of output above `most` tokens. Returns the text, and whether it was cut.
fn fitted(text: &str, most: usize) -> (String, bool) {
    match by_tokens(text, most) {
        Some(cut) => (cut, true),
        None => (text.to_owned(), false),
    }
}
