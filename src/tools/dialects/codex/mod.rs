//! The tools of Codex: [`shell`] (`shell`, `shell_command`), and [`exec`] (`exec_command`, `write_stdin`).

pub mod exec;
pub mod shell;

use crate::tools::action::Output;
use crate::tools::settings::Settings;
use crate::tools::text::cut::{BYTES_PER_TOKEN, by_tokens};

/// How many tokens of output the model reads when nobody says.
const MAX_TOKENS: usize = 10_000;
/// How much output is captured (bytes), so that what is left out can be counted.
const CAPTURE: u64 = 16 * 1024 * 1024;

/// How many tokens of output the model reads.
fn max_tokens(settings: &Settings) -> usize {
    settings.max_bytes.map_or(MAX_TOKENS, |bytes| usize::try_from(bytes / 4).unwrap_or(MAX_TOKENS))
}

fn output(settings: &Settings, most: usize) -> Output {
    Output {
        max_bytes: CAPTURE,
        view_bytes: Some(most.saturating_mul(BYTES_PER_TOKEN) as u64),
        merge: true,
        strip_ansi: settings.strip_ansi.unwrap_or(false),
        ..Output::default()
    }
}

/// Cuts the middle out of output with more tokens than allowed: the text, and whether it was cut.
fn fitted(text: &str, most: usize) -> (String, bool) {
    match by_tokens(text, most) {
        Some(cut) => (cut, true),
        None => (text.to_owned(), false),
    }
}
