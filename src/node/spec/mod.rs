//! The objects that JavaScript passes, which it has checked, and their conversion to the engine's types.
//!
//! * [`run`] has the options of `run()`, [`bash`] the arguments of `bash()`, [`session`] those of a session.
//! * [`surroundings`], [`durable`], [`output`], [`pty`] and [`view`] are parts of them; a [`redactor`] and a
//!   [`code_page`] are made once for many commands.

pub mod bash;
pub mod code_page;
pub mod durable;
pub mod output;
pub mod pty;
pub mod redactor;
pub mod run;
pub mod session;
pub mod surroundings;
pub mod view;

use std::time::Duration;

use crate::process::signal::Signal;

use crate::process::signal;

/// Returns the signal of a name or number.
pub(super) fn signal_of(signal: &napi::Either<String, i32>) -> Option<Signal> {
    match signal {
        napi::Either::A(name) => signal::by_name(name),
        napi::Either::B(number) => signal::by_number(*number),
    }
}

/// Returns `None`, which is no limit, for infinity and all times that `Duration` can't hold.
pub(super) fn duration(ms: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(ms / 1000.0).ok()
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "JavaScript has checked that it is a positive number; the conversion saturates"
)]
pub(super) const fn whole(number: f64) -> u64 {
    number as u64
}
