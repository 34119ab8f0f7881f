//! The dialects, each with its schemas, defaults, limits and texts together, and [`dialect`] to find one by its name.

pub mod agentrail;
pub mod anthropic_bash;
pub mod bash;
pub mod claude_code;
pub mod codex;
pub mod execute_bash_command;
pub mod gemini;
pub mod oh_my_pi;
pub mod openai;
pub mod rye;
pub mod voice;

use self::agentrail::AgentRail;
use self::anthropic_bash::AnthropicBash;
use self::bash::Bash;
use self::claude_code::ClaudeCode;
use self::codex::exec::CodexExec;
use self::codex::shell::CodexShell;
use self::execute_bash_command::ExecuteBashCommand;
use self::gemini::Gemini;
use self::oh_my_pi::OhMyPi;
use self::openai::local_shell::OpenAiLocalShell;
use self::openai::shell::OpenAiShell;
use self::rye::Rye;
use self::voice::dialect::Voice;
use crate::tools::dialect::Dialect;
use crate::tools::settings::Settings;

/// Returns the dialect of this name, with the host's settings.
#[must_use]
pub fn dialect(name: &str, settings: Settings) -> Option<Box<dyn Dialect>> {
    Some(match name {
        "bash" => Box::new(Bash::new(settings)),
        "voice" => Box::new(Voice::new(settings)),
        "rye" => Box::new(Rye::new(settings)),
        "agentrail" => Box::new(AgentRail::new(settings)),
        "execute_bash_command" => Box::new(ExecuteBashCommand::new(settings)),
        "oh-my-pi" => Box::new(OhMyPi::new(settings)),
        "anthropic-bash" => Box::new(AnthropicBash::new(settings)),
        "claude-code" => Box::new(ClaudeCode::new(settings)),
        "openai-shell" => Box::new(OpenAiShell::new(settings)),
        "openai-local-shell" => Box::new(OpenAiLocalShell::new(settings)),
        "codex-shell" => Box::new(CodexShell::new(settings)),
        "codex-exec" => Box::new(CodexExec::new(settings)),
        "gemini" => Box::new(Gemini::new(settings)),
        _ => return None,
    })
}
