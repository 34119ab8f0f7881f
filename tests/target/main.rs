//! Tests of commands on a target, over a transport that is a shell of this machine.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "nobody changes the environment of a test")]

#[path = "../support/mod.rs"]
mod support;

mod connecting;
mod copies;
mod ends;
mod place;
mod results;
