//! The owner of jobs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The owner of jobs, such as a Node environment. Its jobs die with it.
#[derive(Clone, Debug, Default)]
pub struct Owner(Arc<AtomicBool>);

impl Owner {
    /// Returns whether the owner has closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Closes the owner, which can then start no more jobs. Its jobs are ended by the caller.
    pub fn close(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Returns whether both are the same owner.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl PartialEq for Owner {
    fn eq(&self, other: &Self) -> bool {
        self.is(other)
    }
}

impl Eq for Owner {}
