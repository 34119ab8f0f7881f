//! A copy-on-write mount that the engine keeps for many commands: that of an overlay, or of a private home.
//!
//! The helper makes the mount in namespaces that live as long as their descriptors, without a process. Each
//! sandbox enters them (an overlay) or copies the mount (a home). All mounts of this process have one user
//! namespace, so that a sandbox can use several.
//!
//! The kernel keeps names that were looked up, and does not notice when another program replaces the file of
//! a name in the directory below. [`KeptMount::refresh`] drops these names. What a running program keeps open
//! stays as it is.

pub mod table;

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rustix::mount::fsconfig_reconfigure;

use self::table::mounts_below;
use super::plan::OverlayMount;
use super::probe::{explained, start};
use super::protocol::launch::{Launch, prepare_mount};
use crate::process::errno::Errno;
use crate::process::wait::{await_exit, reap};

/// The user namespace of all kept mounts, while there is one.
static USERS: Mutex<Weak<OwnedFd>> = Mutex::new(Weak::new());

/// A copy-on-write mount and its namespaces. The kernel unmounts it when this is dropped and no sandbox uses it.
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
        // The lock is held until the namespace is known, so that there is one.
        let mut known = USERS.lock().unwrap_or_else(PoisonError::into_inner);
        let users = known.upgrade();
        let failed = |error: io::Error| error.to_string();
        let Launch { program, name, socket, control } =
            prepare_mount(helper, mount, users.as_ref().map(|users| users.as_fd())).map_err(failed)?;
        let child = start(&program, &name, socket.as_fd()).map_err(failed)?;
        drop(socket);
        let received = control.receive_mount();
        await_exit(child);
        reap(child);
        let [mounts, new, context, root] = received
            .map_err(|failure| refusal(failure.errno, mount).unwrap_or_else(|| explained(&failure)))?;
        let users = users.unwrap_or_else(|| Arc::new(new));
        *known = Arc::downgrade(&users);
        Ok(Self { mounts, users, context, root })
    }

    /// Makes the mount show the files that the directory below has now. Takes some microseconds, and more if
    /// many names were looked up.
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

    /// Returns the mount namespace.
    #[must_use]
    pub fn mounts(&self) -> BorrowedFd<'_> {
        self.mounts.as_fd()
    }

    /// Returns the root directory of the mount.
    #[must_use]
    pub fn root(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }
}

/// Returns why the kernel refuses a mount with `EINVAL`, if that can be found: it gives one number for all
/// reasons.
fn refusal(errno: Errno, mount: &OverlayMount) -> Option<String> {
    if errno.0 != libc::EINVAL {
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
