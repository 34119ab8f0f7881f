//! What a model sees: the dialects of a shell tool.
//!
//! Read [`dialect`] first: the trait, with arguments to an [`action`] or a refusal, and an [`outcome`] to text and data.
//! [`arguments`], [`settings`], [`cut`], [`path`] and [`words`] are what dialects share. Then each dialect is a room of its own: its schemas,
//! defaults, limits and texts stand together. [`registry`] finds them by name.
//!
//! [`interception`] applies the host's interceptors to all of them. [`run`] is the text of `run()`, which is no dialect.

pub mod action;
pub mod agentrail;
pub mod anthropic_bash;
pub mod arguments;
pub mod bash;
pub mod claude_code;
pub mod codex;
pub mod cut;
pub mod dialect;
pub mod execute_bash_command;
pub mod format;
pub mod gemini;
pub mod interception;
pub mod lines;
pub mod oh_my_pi;
pub mod openai;
pub mod outcome;
pub mod path;
pub mod registry;
pub mod run;
pub mod rye;
pub mod settings;
pub mod view;
pub mod voice;
pub mod words;
