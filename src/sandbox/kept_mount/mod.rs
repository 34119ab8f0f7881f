//! A copy-on-write mount that the engine keeps for many commands: that of an overlay, or of a private home.
//!
//! The helper makes the mount in namespaces that live as long as their descriptors, without a process. Each
//! sandbox enters them (an overlay) or copies the mount (a home). All mounts of this process have one user
//! namespace, so that a sandbox can use several.
//!
//! The kernel keeps names that were looked up, and does not notice when another program replaces the file of
//! a name in the directory below. [`KeptMount::refresh`] drops these names. What a running program keeps open
//! stays as it is. For the home of a command, the helper does the same while it builds the sandbox, because
//! the kernel waits for all processors meanwhile (0.2 ms).

pub mod table;

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::mount::fsconfig_reconfigure;

use self::table::mounts_below;
use super::plan::OverlayMount;
use super::probe::{explained, start};
use super::protocol::launch::{HomeDescriptors, Launch, prepare_mount};
use crate::process::wait::kill_and_reap;

/// The user namespace of all kept mounts, while there is one.
static USERS: Mutex<Weak<OwnedFd>> = Mutex::new(Weak::new());

/// A copy-on-write mount and its namespaces. The kernel unmounts it when this is dropped and no sandbox uses
/// it.
#[derive(Debug)]
pub struct KeptMount {
    mounts: OwnedFd,
    users: Arc<OwnedFd>,
    /// The context of the file system, by which it is reconfigured.
    context: OwnedFd,
    root: OwnedFd,
}

impl KeptMount {
    /// Mounts a layer over its root.
    ///
    /// # Errors
    ///
    /// The reason, and what to do, without a full stop.
    pub fn create(helper: &Path, mount: &OverlayMount) -> Result<Self, String> {
        let mut known = USERS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(users) = known.upgrade() {
            drop(known);
            return Self::make(helper, mount, Some(users), HELPER_DEADLINE);
        }
        // The lock is held until the namespace is known, so that there is one.
        let made = Self::make(helper, mount, None, HELPER_DEADLINE)?;
        *known = Arc::downgrade(&made.users);
        Ok(made)
    }

    fn make(
        helper: &Path,
        mount: &OverlayMount,
        users: Option<Arc<OwnedFd>>,
        deadline: Duration,
    ) -> Result<Self, String> {
        let failed = |error: io::Error| error.to_string();
        let Launch { program, name, socket, control } =
            prepare_mount(helper, mount, users.as_ref().map(|users| users.as_fd())).map_err(failed)?;
        let child = start(&program, &name, socket.as_fd()).map_err(failed)?;
        drop(socket);
        let is_answered = await_answer(control.as_fd(), deadline);
        let received = if is_answered { Some(control.receive_mount()) } else { None };
        // The helper has nothing left to do. One that was stopped would not exit.
        kill_and_reap(child);
        let seconds = deadline.as_secs();
        let [mounts, new, context, root] = received
            .ok_or_else(|| format!("the helper program did not answer within {seconds} s"))?
            .map_err(|failure| refusal(failure.errno.0, mount).unwrap_or_else(|| explained(&failure)))?;
        let users = users.unwrap_or_else(|| Arc::new(new));
        Ok(Self { mounts, users, context, root })
    }

    /// Makes the mount show the files that the directory below has now. Takes 0.2 ms, and more if many names
    /// were looked up.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn refresh(&self) -> io::Result<()> {
        // A reconfiguration without a setting drops the names that no program uses. The owner of the user
        // namespace may do it from outside.
        Ok(fsconfig_reconfigure(self.context.as_fd())?)
    }

    /// Returns the user namespace.
    #[must_use]
    pub fn users(&self) -> BorrowedFd<'_> {
        self.users.as_fd()
    }

    /// Returns the descriptors by which a sandbox refreshes and copies the mount of a home.
    #[must_use]
    pub fn home(&self) -> HomeDescriptors<BorrowedFd<'_>> {
        let (mounts, root, context) = (self.mounts.as_fd(), self.root.as_fd(), self.context.as_fd());
        HomeDescriptors { mounts, root, context }
    }

    /// Returns the root directory of the mount.
    #[must_use]
    pub fn root(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }

    /// Returns the mount namespace.
    #[must_use]
    pub fn mounts(&self) -> BorrowedFd<'_> {
        self.mounts.as_fd()
    }
}

/// The longest time until the helper has made a mount. It takes some milliseconds, and seconds on a machine
/// that is out of memory. A helper that was stopped must not stop the commands of other overlays.
const HELPER_DEADLINE: Duration = Duration::from_secs(10);

/// Waits until a socket has a message or is closed. Returns whether that was before the deadline.
fn await_answer(socket: BorrowedFd<'_>, deadline: Duration) -> bool {
    let until = Instant::now() + deadline;
    loop {
        let left = Timespec::try_from(until.saturating_duration_since(Instant::now())).ok();
        match poll(&mut [PollFd::from_borrowed_fd(socket, PollFlags::IN)], left.as_ref()) {
            Err(Errno::INTR) => {}
            other => return other.is_ok_and(|ready| ready > 0),
        }
    }
}

/// Returns why the kernel refuses a mount with `EINVAL`, if that can be found: it gives one number for all
/// reasons.
fn refusal(errno: i32, mount: &OverlayMount) -> Option<String> {
    if errno != libc::EINVAL {
        return None;
    }
    let table = fs::read("/proc/self/mountinfo").unwrap_or_default();
    if let Some(point) = mounts_below(&table, &mount.root).first() {
        let point = point.display();
        return Some(format!(
            "'{point}' below the root is a mount, and the kernel shows an ordinary user no overlay of a directory that \
             contains one. Unmount it, or run as root"
        ));
    }
    // Also another file system may refuse the layer: the kernel names none of the reasons.
    let parent = mount.upper.parent().unwrap_or(&mount.upper).display();
    Some(format!(
        "the file system of '{parent}' can't hold a layer, as is so with that of a container. Set `directory` to a path \
         on ext4, xfs, btrfs or tmpfs, such as a volume"
    ))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, Instant};

    use super::{KeptMount, OverlayMount};

    #[test]
    fn a_helper_that_does_not_answer_is_killed() {
        let directory = tempfile::tempdir().expect("a directory");
        let helper = directory.path().join("helper");
        fs::write(&helper, "#!/bin/sh\nkill -STOP $$\n").expect("written");
        fs::set_permissions(&helper, Permissions::from_mode(0o755)).expect("changed");
        let path = || directory.path().to_owned();
        let mount =
            OverlayMount { root: path(), upper: path(), work: path(), is_alone: false, is_volatile: true };
        let began = Instant::now();
        let made = KeptMount::make(&helper, &mount, None, Duration::from_secs(1));
        assert_eq!(made.err().as_deref(), Some("the helper program did not answer within 1 s"));
        assert!(began.elapsed() < Duration::from_secs(60));
    }
}
