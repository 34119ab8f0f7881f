//! No holes and no files without a name.

use std::os::fd::OwnedFd;

use rustix::fs::Mode;

use super::locate::Located;

/// Takes the rest as data: macOS makes holes in whole pages of zeros alone.
#[allow(clippy::unnecessary_wraps, reason = "as on Linux")]
pub(super) const fn next_range(_file: &OwnedFd, at: u64) -> Option<(u64, u64)> {
    Some((at, u64::MAX))
}

/// Returns `None`: every file has a name.
pub(super) const fn unnamed(_located: &Located, _permissions: Mode) -> Option<OwnedFd> {
    None
}
