//! The dialects of a shell tool: the interface that a model sees.
//!
//! Read [`dialect`] first: the trait, with arguments to an [`action`] or a refusal, and an [`outcome`] to text and
//! data. [`arguments`], [`settings`], [`path`] and [`text`] are shared by the dialects, and [`dialects`] has a file
//! or folder for each.
//!
//! A dialect is pure and has no state: it gets the arguments again for the answer. Schemas are JSON text,
//! because code that builds them would cost time at run time. A dialect that counts what it omits captures up
//! to 16 MiB and cuts in Rust; for the others, the engine cuts with bounded memory.
//!
//! [`session`] says what a shell keeps between calls.
//! [`interception`] applies the host's interceptors to all dialects, and [`answer`] is what their answers have in common.
//! [`run`] is the text of `run()`, which is no dialect; [`mod@format`] chooses between both and [`view`] makes the view of an
//! outcome.

pub mod action;
pub mod answer;
pub mod arguments;
pub mod dialect;
pub mod dialects;
pub mod format;
pub mod interception;
pub mod outcome;
pub mod path;
pub mod run;
pub mod session;
pub mod settings;
pub mod text;
pub mod view;
