//! The facts about Linux in the shape of macOS: no process carries a tag.

#[path = "linux.rs"]
mod linux;

use rustix::process::Resource;

pub use self::linux::{CLOCK, NAME, RSS_UNIT};

/// No resource carries a tag, as on macOS.
pub const TAG_RESOURCE: Option<Resource> = None;
