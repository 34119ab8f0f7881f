//! The protocol between a host and the supervisor of its commands on another machine: pure, and shared by
//! both sides.
//!
//! One byte stream in each direction carries all commands. [`frame`] splits it into frames, and [`message`]
//! gives the frames their meaning, with the enums of [`enums`]; serde and [`crate::wire`] encode both.
//! [`plan`] describes a command, [`hello`] the two sides, [`shell_scan`] and [`pipes`] the shell of a
//! session, and [`credit`] bounds the bytes of a stream that are in flight. [`ports`] has the connections
//! that pass through the stream beside the commands.

pub mod credit;
pub mod enums;
pub mod frame;
pub mod hello;
#[cfg(unix)]
pub mod message;
pub mod pipes;
pub mod plan;
pub mod ports;
#[cfg(unix)]
pub mod shell_scan;

/// The version of the protocol, and the lowest one that this side speaks.
pub const VERSION: u16 = 4;
