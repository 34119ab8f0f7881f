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
fn max_tokens(settings: &ToolsetSettings) -> usize {
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

/// Returns what a call asks for beyond its sandbox.
///
/// # Errors
///
/// The original's answer: to every request where nobody is asked, and to one that names nothing. `words` are
/// those of the tool.
fn request(
    settings: &ToolsetSettings,
    arguments: &Arguments,
    words: &str,
) -> Result<Option<EscalationRequest>, String> {
    let permissions = arguments.text("sandbox_permissions");
    let has_more = permissions == Some("with_additional_permissions");
    let is_escalated =
        permissions == Some("require_escalated") || arguments.flag("with_escalated_permissions");
    if !settings.has_sandbox() || !(has_more || is_escalated) {
        return Ok(None);
    }
    if settings.is_confined() {
        let never = "approval policy is Never; reject command — you";
        return Err(if has_more {
            format!("{never} cannot request additional permissions unless the approval policy is OnRequest")
        } else {
            format!("{never} {words} ask for escalated permissions if the approval policy is Never")
        });
    }
    let reason = arguments.usable_text("justification");
    if !has_more {
        return Ok(Some(EscalationRequest::unsandboxed(reason)));
    }
    let asked = arguments.object("additional_permissions").ok_or(
        "missing `additional_permissions`; provide at least one of `network` or `file_system` when using \
         `with_additional_permissions`",
    )?;
    let [network, files] = ["network", "file_system"].map(|name| asked.object(name).unwrap_or_default());
    let request = EscalationRequest::additional(network.flag("enabled"), &files, reason);
    request.map(Some).ok_or_else(|| {
        "`additional_permissions` must include at least one requested permission in `network` or `file_system`"
            .to_owned()
    })
}

/// Returns the description of `sandbox_permissions`.
const fn permissions_description(settings: &ToolsetSettings) -> &'static str {
    match (settings.has_sandbox(), settings.escalates) {
        (false, _) => "Sandbox permissions for the command.",
        (true, false) => "Always use_default: nobody can be asked for more.",
        (true, true) => {
            "Sandbox permissions for the command. Use with_additional_permissions to ask for the network or for paths that \
             the sandbox does not give, and require_escalated to ask to run without the sandbox."
        }
    }
}

/// Returns the schema of `additional_permissions`, which the original has where it can ask.
const fn additional_schema(settings: &ToolsetSettings) -> &'static str {
    if settings.escalates { ADDITIONAL } else { "" }
}

const ADDITIONAL: &str = r#","additional_permissions":{"type":"object","properties":{"network":{"type":"object","properties":{"enabled":{"type":"boolean","description":"Whether the command needs the network."}},"additionalProperties":false},"file_system":{"type":"object","properties":{"read":{"type":"array","items":{"type":"string"},"description":"Paths that the command needs to read."},"write":{"type":"array","items":{"type":"string"},"description":"Paths below which the command needs to write."}},"additionalProperties":false}},"description":"Only with with_additional_permissions: what the command needs beyond its sandbox.","additionalProperties":false}"#;

/// Cuts the middle out of output above `most` tokens. Returns the text, and whether it was cut.
fn fitted(text: &str, most: usize) -> (String, bool) {
    match by_tokens(text, most) {
        Some(cut) => (cut, true),
        None => (text.to_owned(), false),
    }
}
