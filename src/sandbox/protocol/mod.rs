//! The protocol between the host and the helper: [`plan`] encodes a plan, [`report`] the messages of the
//! helper, [`inside`] has the addresses of a private network, and [`launch`] is the host's side.
//! [`intercept`] is the protocol between the host and the interceptor.

pub mod inside;
pub mod intercept;
#[cfg(target_os = "linux")]
pub mod launch;
pub mod plan;
pub mod report;
