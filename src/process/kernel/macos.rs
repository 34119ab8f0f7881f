//! The facts about macOS.

use rustix::process::Resource;
use rustix::time::ClockId;

/// The clock that goes on while the machine sleeps.
pub const CLOCK: ClockId = ClockId::Monotonic;

/// The name that `uname -s` prints.
pub const NAME: &str = "Darwin";

/// The unit of `ru_maxrss` (bytes).
pub const RSS_UNIT: u64 = 1;

/// No resource carries a tag: each has an effect on this system.
pub const TAG_RESOURCE: Option<Resource> = None;
