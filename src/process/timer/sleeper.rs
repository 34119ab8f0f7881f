//! A timer of the runtime, for systems without timerfd: arming it wakes the I/O thread.

use std::io;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::sleep;

#[derive(Debug)]
pub struct Timer {
    armed: Notify,
    delay: Duration,
}

impl Timer {
    /// Creates a timer that expires `delay` after it is armed.
    ///
    /// # Errors
    ///
    /// None here, unlike on Linux.
    #[allow(clippy::unnecessary_wraps, reason = "the same on all systems")]
    pub fn new(delay: Duration) -> io::Result<Self> {
        Ok(Self { armed: Notify::new(), delay })
    }

    /// Arms the timer, from any thread.
    pub fn arm(&self) {
        self.armed.notify_one();
    }

    /// Waits until the timer expires.
    pub async fn expired(&self) {
        self.armed.notified().await;
        sleep(self.delay).await;
    }
}
