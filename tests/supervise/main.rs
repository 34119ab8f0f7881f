//! Tests of the supervisor over a pair of pipes, with real commands.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "nobody changes the environment of a test")]

#[path = "../support/mod.rs"]
mod support;

mod client;
mod ends;
mod hostile;
mod input;
mod kills;
mod results;
mod shell;
