//! A relay to an agent of ssh, for commands in a sandbox: they list its keys and sign with them, and change
//! nothing.
//!
//! [`message`] reads requests and decides about them (pure); [`relay`] serves the clients of one sandbox.

pub mod message;
#[cfg(not(darwin))]
pub mod relay;
