//! Tests of durable jobs: real supervisors, and hosts that are killed.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "nobody changes the environment of a test")]

#[path = "../support/mod.rs"]
mod support;

mod attach;
mod ends;
mod files;
mod full;
mod hosts;
mod jobs;
mod names;
mod versions;
