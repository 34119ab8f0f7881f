//! The paths of listeners on this machine. They are removed with their listeners, and when their owner ends:
//! then the process may exit before the I/O thread has dropped the listeners.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::process::registry::Owner;
use crate::process::sockets::SocketFile;

static OPEN: Mutex<Vec<(Owner, Arc<SocketFile>)>> = Mutex::new(Vec::new());

/// The path of a listener. Dropping it removes the path.
#[derive(Debug)]
pub(super) struct OwnedPath(Arc<SocketFile>);

impl OwnedPath {
    pub(super) fn new(owner: Owner, file: SocketFile) -> Self {
        let file = Arc::new(file);
        open().push((owner, Arc::clone(&file)));
        Self(file)
    }
}

impl Drop for OwnedPath {
    fn drop(&mut self) {
        open().retain(|(_, file)| !Arc::ptr_eq(file, &self.0));
        self.0.remove();
    }
}

/// Removes the paths of an owner that closes.
pub fn remove_paths(owner: &Owner) {
    open().iter().filter(|(of, _)| of == owner).for_each(|(_, file)| file.remove());
}

fn open() -> MutexGuard<'static, Vec<(Owner, Arc<SocketFile>)>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}
