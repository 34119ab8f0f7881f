//! The dialects of a shell tool: the interface that a model sees.
//!
//! Read [`dialect`] first: its trait turns arguments into an [`action`](call::action) or a refusal, and an
//! [`outcome`] into text and data. A [`profile`] has the facts about a dialect that hold before one is
//! created. The dialects share [`call`], [`settings`] and [`text`], and [`dialects`] has a file or folder for
//! each.
//!
//! A dialect is pure and has no state: it gets the arguments again for the answer. Schemas are JSON text,
//! because code that builds them would cost time at run time. A dialect that counts what it omits captures up
//! to 16 MiB and cuts in Rust; for the others, the engine cuts with bounded memory.
//!
//! [`configured`] is a dialect with the host's settings: [`session`] says what a shell keeps between calls,
//! [`interception`] applies the host's interceptors, [`guidance`] names the agent's other tools, and
//! [`answer`] is what the answers of all dialects have in common.
//!
//! [`bash_function`] is the contract of `bash()`, and [`result`] makes the texts of `bash()` and `run()`.

pub mod answer;
pub mod bash_function;
pub mod call;
pub mod configured;
pub mod dialect;
pub mod dialects;
pub mod guidance;
pub mod interception;
pub mod object;
pub mod outcome;
pub mod prelude;
pub mod profile;
pub mod result;
pub mod session;
pub mod settings;
pub mod text;
