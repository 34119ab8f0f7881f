//! The dialects, each with its schemas, defaults, limits and texts together, and [`ALL`], their list.
//!
//! A new dialect is a module here and an entry of the list; `lib/tools/api/dialects.ts` has its options and
//! `docs/dialects/` its page.

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

use super::profile::DialectProfile;

/// The facts about all dialects.
pub const ALL: &[&DialectProfile] = &[
    &bash::PROFILE,
    &voice::PROFILE,
    &rye::PROFILE,
    &agentrail::PROFILE,
    &execute_bash_command::PROFILE,
    &oh_my_pi::PROFILE,
    &anthropic_bash::PROFILE,
    &claude_code::PROFILE,
    &openai::shell::PROFILE,
    &openai::local_shell::PROFILE,
    &codex::shell::PROFILE,
    &codex::exec::PROFILE,
    &gemini::PROFILE,
];
