//! The dialects by their names.

use super::agentrail::AgentRail;
use super::anthropic_bash::AnthropicBash;
use super::bash::Bash;
use super::claude_code::ClaudeCode;
use super::codex::exec::CodexExec;
use super::codex::shell::CodexShell;
use super::dialect::Dialect;
use super::execute_bash_command::ExecuteBashCommand;
use super::gemini::Gemini;
use super::oh_my_pi::OhMyPi;
use super::openai::local_shell::OpenAiLocalShell;
use super::openai::shell::OpenAiShell;
use super::rye::Rye;
use super::settings::Settings;
use super::voice::dialect::Voice;

/// Makes the dialect of this name, with what the host has set.
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
