//! The facts about Linux.

use rustix::process::Resource;
use rustix::time::ClockId;

/// The clock that goes on while the machine sleeps.
pub const CLOCK: ClockId = ClockId::Boottime;

/// The name that `uname -s` prints.
pub const NAME: &str = "Linux";

/// The unit of `ru_maxrss` (bytes).
pub const RSS_UNIT: u64 = 1024;

/// The resource whose soft limit carries a tag.
pub const TAG_RESOURCE: Option<Resource> = Some(Resource::Locks);
