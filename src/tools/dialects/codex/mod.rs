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

/// Cuts the middle out of output above `most` tokens. Returns the text, and whether it was cut.
fn fitted(text: &str, most: usize) -> (String, bool) {
    match by_tokens(text, most) {
        Some(cut) => (cut, true),
        None => (text.to_owned(), false),
    }
}
