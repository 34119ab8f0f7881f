//! Facts about the kernel that are a value: one file for each system, with the same constants.
//!
//! `emulated` is Linux in the shape of macOS.

#[cfg_attr(not(darwin), path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(feature = "emulate-darwin", path = "emulated.rs")]
mod platform;

pub use platform::{CLOCK, NAME, RSS_UNIT, TAG_RESOURCE};
