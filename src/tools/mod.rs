//! What a model sees: the dialects of a shell tool.
//!
//! Read [`dialect`] first: the trait, with arguments to an [`action`] or a refusal, and an [`outcome`] to text and data.
//! [`arguments`], [`settings`] and [`words`] are what dialects share. Then each dialect is a room of its own: its schemas,
//! defaults, limits and texts stand together. [`registry`] finds them by name.
//!
//! [`run`] is the text of `run()`, which is no dialect.

pub mod action;
pub mod arguments;
pub mod bash;
pub mod dialect;
pub mod format;
pub mod lines;
pub mod outcome;
pub mod registry;
pub mod run;
pub mod settings;
pub mod view;
pub mod voice;
pub mod words;
