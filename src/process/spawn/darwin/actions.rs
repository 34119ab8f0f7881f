//! The file actions of `posix_spawn`: the child's directory and descriptors.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use rustix::io::fcntl_dupfd_cloexec;

use super::check;
use super::orders::STATUS_DESCRIPTOR;
use crate::process::spawn::{SpawnError, SpawnRequest, Step};

/// Enters the child's directory and places its descriptors.
pub(super) struct FileActions {
    actions: libc::posix_spawn_file_actions_t,
    /// Keeps the moved descriptors open until the spawn.
    _moved: Vec<OwnedFd>,
}

impl FileActions {
    /// Creates the actions of a request. `status` is the pipe to which the helper program reports a failure.
    pub(super) fn new(
        request: &SpawnRequest<'_>,
        status: Option<BorrowedFd<'_>>,
    ) -> Result<Self, SpawnError> {
        let mut moved = Vec::new();
        let mut extra = Vec::new();
        let placed = request.extra_fd.map(|extra| (extra.source, extra.target)).into_iter();
        for (source, target) in placed.chain(status.map(|status| (status, STATUS_DESCRIPTOR))) {
            // The numbers of the targets may be those of the sources: a descriptor that is duplicated onto
            // itself stays closed on exec, and one onto the source of the next replaces it.
            let source = fcntl_dupfd_cloexec(source, FIRST_ABOVE_TARGETS).map_err(io::Error::from);
            let source = source.map_err(SpawnError::at(Step::Descriptors))?;
            extra.push((source.as_raw_fd(), target));
            moved.push(source);
        }
        let mut actions = MaybeUninit::uninit();
        // SAFETY: the call initialises `actions`, or fails.
        check(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
        // SAFETY: initialised above.
        let mut actions = Self { actions: unsafe { actions.assume_init() }, _moved: moved };
        // SAFETY: the actions are initialised; the descriptors stay open until the spawn.
        check(unsafe {
            libc::posix_spawn_file_actions_addfchdir_np(
                &raw mut actions.actions,
                request.directory.as_raw_fd(),
            )
        })?;
        let streams = [(request.stdio.stdin, 0), (request.stdio.stdout, 1), (request.stdio.stderr, 2)];
        let streams = streams.map(|(source, target)| (source.as_raw_fd(), target));
        for (source, target) in streams.into_iter().chain(extra) {
            // SAFETY: as above.
            check(unsafe {
                libc::posix_spawn_file_actions_adddup2(&raw mut actions.actions, source, target)
            })?;
        }
        Ok(actions)
    }

    pub(super) const fn as_ptr(&self) -> *const libc::posix_spawn_file_actions_t {
        &raw const self.actions
    }
}

/// The first number above those at which a child gets a descriptor.
const FIRST_ABOVE_TARGETS: i32 = 10;

impl Drop for FileActions {
    fn drop(&mut self) {
        // SAFETY: initialised in `new`.
        unsafe {
            libc::posix_spawn_file_actions_destroy(&raw mut self.actions);
        }
    }
}
