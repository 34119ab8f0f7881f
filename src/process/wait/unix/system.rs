//! The system call `waitid`.

use rustix::process::{Pid, WaitId, WaitIdOptions, WaitIdStatus, waitid};

use crate::process::wait::Exit;

/// Calls `waitid` for a child. Returns how it ended, or `None` while it lives.
pub(super) fn wait_id(pid: Pid, options: WaitIdOptions) -> rustix::io::Result<Option<Exit>> {
    let status = rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid), as_taken(options)))?;
    Ok(status.and_then(|status| Exit::from_report(status.raw_code(), number(&status))))
}

/// Blocks until a child has ended, which stays a zombie. An error means that other code has reaped the child.
pub(super) fn block_until_exit(pid: Pid) -> rustix::io::Result<Exit> {
    loop {
        if let Some(exit) = wait_id(pid, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)? {
            return Ok(exit);
        }
        // macOS reports a stopped child here. This call takes the report, so that the next one blocks.
        let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
        rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid), options))?;
    }
}

/// Returns the exit code or the signal (`si_status`) of a report.
fn number(status: &WaitIdStatus) -> i32 {
    status.exit_status().or_else(|| status.terminating_signal()).unwrap_or_default()
}

#[cfg(not(feature = "emulate-darwin"))]
const fn as_taken(options: WaitIdOptions) -> WaitIdOptions {
    options
}

/// Adds reports about stopped children to each wait for an exit, as the kernel of macOS does.
#[cfg(feature = "emulate-darwin")]
fn as_taken(options: WaitIdOptions) -> WaitIdOptions {
    if options.contains(WaitIdOptions::EXITED) { options | WaitIdOptions::STOPPED } else { options }
}
