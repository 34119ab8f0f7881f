//! Tests of `src/process` with real processes: one file for each folder or file there.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "nobody changes the environment of a test")]

#[path = "../support/mod.rs"]
mod support;

mod spawn;
mod tree;
mod wait;
