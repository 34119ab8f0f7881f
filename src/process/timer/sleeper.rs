//! A timer of the runtime, for systems without timerfd: arming it wakes the I/O thread.

use std::io;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::sleep;

/// An timer.
#[derive(Debug)]
pub struct Timer {
    armed: Notify,
    pause: Duration,
}

impl Timer {
    /// Makes a timer that expires `pause` after it is armed.
    ///
    /// # Errors
    ///
    /// None; other systems have some.
    #[allow(clippy::unnecessary_wraps, reason = "the same on all systems")]
    pub fn new(pause: Duration) -> io::Result<Self> {
        Ok(Self { armed: Notify::new(), pause })
    }

    /// Arms the timer, from any thread.
    pub fn arm(&self) {
        self.armed.notify_one();
    }

    /// Waits until the timer expires.
    pub async fn expired(&self) {
        self.armed.notified().await;
        sleep(self.pause).await;
    }
}
