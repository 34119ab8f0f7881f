//! A question of a program.

use napi_derive::napi;

use crate::job::prompts::{Prompt, PromptKind};

/// A question of a program of a job.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct PromptState {
    /// The number by which it is answered.
    pub number: u32,
    pub kind: PromptKindName,
    pub text: String,
    pub program: String,
    pub verified: bool,
}

/// The kind of answer that a program expects.
#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
pub enum PromptKindName {
    Password,
    Text,
    Confirm,
}

impl From<Prompt> for PromptState {
    fn from(prompt: Prompt) -> Self {
        let Prompt { number, kind, text, program, is_verified: verified } = prompt;
        let kind = match kind {
            PromptKind::Password => PromptKindName::Password,
            PromptKind::Text => PromptKindName::Text,
            PromptKind::Confirm => PromptKindName::Confirm,
        };
        Self { number, kind, text, program, verified }
    }
}
