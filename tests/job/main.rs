//! Tests of `src/job` with real processes.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "nobody changes the environment of a test")]

#[path = "../support/mod.rs"]
mod support;

mod failure;
mod launch;
mod life;
mod output;
mod owner;
mod plan;
mod stop;

use std::time::Duration;

use agent_bash::job::Outcome;
use agent_bash::job::model::error::LaunchError;
use agent_bash::job::model::outcome::End;

const SHORT_TIMEOUT: Duration = Duration::from_millis(300);

/// Makes a shell, and the programs that it starts, ignore SIGTERM.
const IGNORE_SIGTERM: &str = "trap '' TERM";

fn launch_error(outcome: &Outcome) -> &LaunchError {
    match &outcome.end {
        End::NotStarted(error) => error,
        end => panic!("something was started: {end:?}"),
    }
}
