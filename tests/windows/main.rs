//! Commands on Windows, from the plan to the outcome (scripts/test-windows.sh).
//!
//! * `support` starts jobs and waits for them. `roles` are programs that this program plays.
//! * `results` has the ends of commands that end by themselves, `stop` those that are ended, `input` and
//!   `output` their streams, `start` how programs are found, `processes` what they leave behind.

#![cfg(windows)]

mod input;
mod output;
mod processes;
mod results;
mod roles;
mod start;
mod stop;
mod support;
