//! A timer of the runtime's, for systems without descriptors that are timers: whoever sets it wakes the thread.

use std::io;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::sleep;

/// An alarm.
#[derive(Debug)]
pub struct Alarm {
    was_set: Notify,
    pause: Duration,
}

impl Alarm {
    /// One that rings so long after it was set.
    ///
    /// # Errors
    ///
    /// None; other systems have some.
    #[allow(clippy::unnecessary_wraps, reason = "the same on all systems")]
    pub fn new(pause: Duration) -> io::Result<Self> {
        Ok(Self { was_set: Notify::new(), pause })
    }

    /// Sets it, from any thread.
    pub fn set(&self) {
        self.was_set.notify_one();
    }

    /// Waits until it rings.
    pub async fn rung(&self) {
        self.was_set.notified().await;
        sleep(self.pause).await;
    }
}
