//! The dialects of a shell tool: the interface that a model sees.
//!
//! Read [`dialect`] first: the trait, with arguments to an [`action`] or a refusal, and an [`outcome`] to text and
//! data. [`arguments`], [`settings`], [`path`] and [`text`] are shared by the dialects, and [`dialects`] has a file
//! or folder for each.
//!
//! [`session`] says what a shell keeps between calls. [`interception`] applies the host's interceptors to all dialects, and [`control_characters`] cleans their answers. [`remarks`] is what
//! all of them say of processes that still run, of pipelines and of directories. [`run`] is the text of `run()`, which is no dialect;
//! [`mod@format`] chooses between both and [`view`] makes the view of an outcome.

pub mod action;
pub mod arguments;
pub mod binary;
pub mod control_characters;
pub mod dialect;
pub mod dialects;
pub mod format;
pub mod interception;
pub mod outcome;
pub mod path;
pub mod remarks;
pub mod run;
pub mod session;
pub mod settings;
pub mod text;
pub mod view;
