//! Tests of the roles of the helper program, as their hosts start them: one folder for each. Those of
//! sandboxes are in `tests/sandbox`.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "nobody changes the environment of a test")]

#[path = "../support/mod.rs"]
mod support;

#[cfg(target_os = "linux")]
mod askpass;
mod guardian;
#[cfg(target_os = "linux")]
mod supervisor;
