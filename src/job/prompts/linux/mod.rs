//! Prompts, which only Linux has.

mod open;
mod question;
mod server;

pub(crate) use open::OpenPrompts;
pub(crate) use question::Question;
pub(crate) use server::{PromptServer, PromptSocket};
