//! Tests of `src/sandbox` with real commands in real sandboxes.

#![cfg(all(target_os = "linux", not(darwin)))]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "the number of attempts")]
#![allow(clippy::disallowed_methods, reason = "nobody changes the environment of a test")]

mod after;
mod attempts;
mod life;
mod machine;
mod overlay;
mod plans;
mod projects;
mod stubs;
mod support;
mod terminals;
mod views;
mod works;
