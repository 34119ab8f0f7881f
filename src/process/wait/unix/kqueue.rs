//! Waits by kqueue, which becomes readable when the process has exited (macOS).

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::Duration;

use rustix::process::Pid;
use tokio::io::unix::AsyncFd;
use tokio::time::sleep;

use crate::process::fd::above_standard_streams;
use crate::process::fd::readiness::register_readable;
use crate::process::identity::Identity;
use crate::process::table;

/// The time between two checks whether a process is a zombie: the kernel reports an exit just before that,
/// and tears down the memory in between.
const ZOMBIE_POLL: Duration = Duration::from_micros(500);

/// A watch for the exit of one process: a kqueue of its own, registered with the runtime of the I/O thread.
#[derive(Debug)]
pub struct ProcessWatch {
    /// `None` for a process that had exited before the watch began.
    kqueue: Option<AsyncFd<OwnedFd>>,
    process: Option<Identity>,
}

impl ProcessWatch {
    /// Watches the process that has this pid now, a child or any other.
    ///
    /// # Errors
    ///
    /// The system's error, such as `EMFILE`.
    pub fn open(pid: Pid) -> io::Result<Self> {
        let process = Identity::of(pid);
        match watch_exit(pid) {
            Ok(kqueue) => Ok(Self { kqueue: Some(register_readable(kqueue)?), process }),
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(Self { kqueue: None, process }),
            Err(error) => Err(error),
        }
    }

    /// Watches a child. The spawn returns no pidfd here.
    pub(super) fn of_child(pid: Pid, _pidfd: Option<OwnedFd>) -> io::Result<Self> {
        Self::open(pid)
    }

    /// Waits until the process has exited, and a child can be reaped. Cancel safe.
    pub async fn exited(&self) {
        if let Some(kqueue) = &self.kqueue
            && let Ok(mut guard) = kqueue.readable().await
        {
            // No one takes the event out of the kqueue, so it stays readable.
            guard.retain_ready();
        }
        while self.is_exiting() {
            sleep(ZOMBIE_POLL).await;
        }
    }

    /// Returns whether the process is not a zombie yet, or has not been found gone.
    fn is_exiting(&self) -> bool {
        let Some(process) = self.process else { return false };
        table::inspect(process.pid).is_some_and(|row| row.identity == process && !row.is_zombie)
    }
}

/// Creates a kqueue with one event: the exit of a process.
fn watch_exit(pid: Pid) -> io::Result<OwnedFd> {
    // SAFETY: the call takes no arguments and returns a new descriptor, or -1.
    let kqueue = unsafe { libc::kqueue() };
    if kqueue < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new, so nothing else owns it. A kqueue is not inherited by a fork, and
    // `posix_spawn` gives no child a descriptor that was not placed for it.
    let kqueue = above_standard_streams(unsafe { OwnedFd::from_raw_fd(kqueue) })?;
    let exit = libc::kevent {
        ident: usize::try_from(pid.as_raw_nonzero().get()).unwrap_or_default(),
        filter: libc::EVFILT_PROC,
        flags: libc::EV_ADD | libc::EV_RECEIPT,
        fflags: libc::NOTE_EXIT,
        data: 0,
        udata: std::ptr::null_mut(),
    };
    let mut receipt = exit;
    // SAFETY: both lists have one live event, and the time limit is absent. With EV_RECEIPT, the call only
    // registers, and reports the result in place of events.
    let count = unsafe {
        libc::kevent(kqueue.as_raw_fd(), &raw const exit, 1, &raw mut receipt, 1, std::ptr::null())
    };
    match (count, i32::try_from(receipt.data)) {
        (1, Ok(0)) => Ok(kqueue),
        (1, Ok(errno)) => Err(io::Error::from_raw_os_error(errno)),
        _ => Err(io::Error::last_os_error()),
    }
}
