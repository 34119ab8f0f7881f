//! The monitor of a sandbox: waits for the command and ends as it did.

use std::convert::Infallible;
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, WaitOptions, WaitStatus, pidfd_open, setrlimit, waitpid,
};

use super::confined_command::ConfinedChild;
use super::failure::failed;
use super::init::Init;
use super::input::send_running;
use super::mounts::protect::renew;
use super::mounts::{MountView, detach_all};
use super::process::{LifePipe, exit, release_standard_streams, set_signals};
use super::stub_remover::StubRemover;
use crate::sandbox::plan::SandboxPlan;
use crate::sandbox::protocol::report::{Running, SandboxFailure, SandboxStep};

/// The standard signals.
const SIGNALS: std::ops::Range<i32> = 1..32;

/// The state that the monitor maintains while the command runs.
pub(super) struct Guard<'a> {
    pub(super) plan: &'a SandboxPlan,
    pub(super) view: &'a MountView,
}

/// Waits for the command, lets the init exit, and exits with the command's status. Returns only if the
/// program was not executed.
pub(super) fn finish(
    control: &OwnedFd,
    (running, counters): (Running, Vec<OwnedFd>),
    mut child: ConfinedChild,
    init: &Init,
    life: &LifePipe,
    remover: Option<StubRemover>,
    guard: &Guard<'_>,
) -> Result<Infallible, SandboxFailure> {
    // Signals to the process group are for the command, also stops: the host sees a stopped command, and this
    // process must go on to report its end.
    set_signals(SIGNALS.filter(|&signal| signal != libc::SIGCHLD), libc::SIG_IGN);
    let executed = child.await_execution();
    if executed.is_ok() {
        send_running(control.as_fd(), running, &counters);
        drop(counters);
    }
    let _ = release_standard_streams();
    if executed.is_ok() {
        guard.watch_until_end(child.pid);
    }
    let status = rustix::io::retry_on_intr(|| waitpid(Some(child.pid), WaitOptions::empty()));
    executed?;
    let _ = rustix::io::write(&life.write, b"e");
    if init.await_end()
        && let Some(remover) = remover
    {
        detach_all();
        remover.finish();
    }
    match status {
        Ok(Some((_, status))) => end_as(status),
        _ => failed(SandboxStep::Fork, libc::ECHILD),
    }
}

impl Guard<'_> {
    /// Waits until the command has ended, and renews the protection of paths whenever a mount has changed. If
    /// that fails, exits, which ends everything in the sandbox.
    fn watch_until_end(&self, child: Pid) {
        let Ok(child) = pidfd_open(child, PidfdFlags::empty()) else { return };
        loop {
            let mut waited =
                [PollFd::new(&child, PollFlags::IN), PollFd::new(&self.view.changes, PollFlags::PRI)];
            let polled = poll(&mut waited, None);
            if !waited[0].revents().is_empty() {
                return;
            }
            match polled {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(_) => return,
            }
            if renew(self.plan, self.view.root.as_fd(), &self.view.blanks, &self.view.files).is_err() {
                exit(super::EXIT_FAILED);
            }
        }
    }
}

/// Ends this process as the command has ended: with its exit code, or by its signal, without a core dump.
fn end_as(status: WaitStatus) -> ! {
    if let Some(signal) = status.terminating_signal() {
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
        set_signals([signal].into_iter(), libc::SIG_DFL);
        // SAFETY: the call has no pointers, and this process is to end by it.
        unsafe {
            libc::raise(signal);
        }
        exit(128 + signal);
    }
    exit(status.exit_status().unwrap_or(super::EXIT_FAILED))
}
