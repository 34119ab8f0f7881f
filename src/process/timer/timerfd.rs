//! A kernel timer (timerfd): arming it is one system call and wakes no thread.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use tokio::io::unix::AsyncFd;

use crate::process::fd::above_standard_streams;
use crate::process::fd::readiness::register_readable;

/// A one-shot timer, registered with the runtime in which it was created.
#[derive(Debug)]
pub struct Timer {
    timer: AsyncFd<OwnedFd>,
    delay: Timespec,
}

impl Timer {
    /// Creates a timer that expires `delay` after it is armed.
    ///
    /// # Errors
    ///
    /// The system's error, such as `EMFILE`.
    pub fn new(delay: Duration) -> io::Result<Self> {
        let timer =
            timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK)?;
        let delay = delay.try_into().map_err(|_| io::ErrorKind::InvalidInput)?;
        Ok(Self { timer: register_readable(above_standard_streams(timer)?)?, delay })
    }

    /// Arms the timer, from any thread. Arming it again restarts the delay.
    pub fn arm(&self) {
        let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: self.delay };
        // Setting the timer can't fail: the descriptor is a timer, and the time is valid.
        let _ = timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &once);
    }

    /// Waits until the timer expires.
    pub async fn expired(&self) {
        loop {
            let Ok(mut guard) = self.timer.readable().await else { return std::future::pending().await };
            let mut count = [0_u8; 8];
            let read = guard.try_io(|timer| Ok(rustix::io::read(timer, &mut count)?));
            // The read finds nothing if the timer was armed again after it became readable.
            if matches!(read, Ok(Ok(_))) {
                return;
            }
        }
    }
}
