//! Decides when the sandbox init exits.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, read};
use rustix::net::{SendFlags, send};
use rustix::process::{WaitOptions, wait};

use super::super::failure::check;
use super::super::process::{WatchedProcesses, exit};
use super::listener::has_hung_up;
use super::orphans;

/// The init stays, because processes run in the background.
const STAYS: &[u8] = b"s";

/// How the init knows whether any process of the sandbox is left.
pub(super) enum Inside<'a> {
    /// All processes are descendants of the init. The descriptor is readable when a child has exited.
    Children(&'a OwnedFd),
    /// The process table is the host's. The descriptor for user notifications hangs up when no process with
    /// the filter is left.
    Callers(&'a OwnedFd),
}

impl Inside<'_> {
    fn is_empty(&self) -> bool {
        match self {
            Self::Children(_) => reap(),
            Self::Callers(listener) => has_hung_up(listener.as_fd()),
        }
    }

    fn change(&self) -> PollFd<'_> {
        match self {
            Self::Children(signals) => PollFd::from_borrowed_fd(signals.as_fd(), PollFlags::IN),
            Self::Callers(listener) => PollFd::from_borrowed_fd(listener.as_fd(), PollFlags::empty()),
        }
    }
}

/// Waits until the host or the monitor has exited, or the command and all other processes of the sandbox
/// have. Then exits, and with this process everything that is left in its PID namespace.
pub(super) fn watch(inside: &Inside<'_>, life: &WatchedProcesses, monitor: BorrowedFd<'_>) {
    await_command(inside, life.monitor.read.as_fd());
    if inside.is_empty() {
        exit(0);
    }
    let _ = send(monitor, STAYS, SendFlags::NOSIGNAL);
    loop {
        let mut waited = [PollFd::from_borrowed_fd(life.host.as_fd(), PollFlags::IN), inside.change()];
        await_change(&mut waited);
        if !waited[0].revents().is_empty() {
            end(inside);
        }
        drain(inside);
        if inside.is_empty() {
            exit(0);
        }
    }
}

/// Waits until the monitor reports that the command has ended. Exits if the monitor exits before that.
fn await_command(inside: &Inside<'_>, life: BorrowedFd<'_>) {
    loop {
        let reported = PollFd::from_borrowed_fd(life, PollFlags::IN);
        match inside {
            // Orphans are reaped in the meantime.
            Inside::Children(_) => {
                let mut waited = [reported, inside.change()];
                await_change(&mut waited);
                let is_reported = !waited[0].revents().is_empty();
                drain(inside);
                reap();
                if !is_reported {
                    continue;
                }
            }
            Inside::Callers(_) => await_change(&mut [reported]),
        }
        match read(life, &mut [0_u8; 1]) {
            Ok(1) => return,
            Err(Errno::INTR) => {}
            _ => end(inside),
        }
    }
}

/// Exits, and ends what is left in the sandbox. The kernel does that in a PID namespace.
fn end(inside: &Inside<'_>) -> ! {
    if matches!(inside, Inside::Callers(_)) {
        orphans::kill();
    }
    exit(1)
}

fn await_change(waited: &mut [PollFd<'_>]) {
    match poll(waited, None) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(_) => exit(1),
    }
}

/// Reads the pending signals without blocking.
fn drain(inside: &Inside<'_>) {
    if let Inside::Children(signals) = inside {
        let _ = read(signals, &mut [0_u8; 128]);
    }
}

/// Reaps orphans. Returns whether no process is left.
fn reap() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

/// Returns a descriptor that is readable when a child has ended. Blocks the signal in the threads that this
/// one starts later.
pub(super) fn signal_descriptor() -> io::Result<OwnedFd> {
    // SAFETY: the set is initialised by the first call; the descriptor is new and ours.
    unsafe {
        let mut set = MaybeUninit::uninit();
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
        libc::sigprocmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut());
        let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
        let descriptor = check(libc::signalfd(-1, set.as_ptr(), flags))?;
        Ok(OwnedFd::from_raw_fd(descriptor))
    }
}
