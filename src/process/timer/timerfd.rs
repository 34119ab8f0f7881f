//! A timer of the kernel (timerfd): arming it is one system call and wakes no thread.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use tokio::io::unix::AsyncFd;

use crate::process::fd::above_standard_streams;
use crate::process::fd::readiness::watch_readable;

/// An timer. It belongs to the runtime that it was made in.
#[derive(Debug)]
pub struct Timer {
    timer: AsyncFd<OwnedFd>,
    pause: Timespec,
}

impl Timer {
    /// Makes a timer that expires `pause` after it is armed.
    ///
    /// # Errors
    ///
    /// The system's error, such as `EMFILE`.
    pub fn new(pause: Duration) -> io::Result<Self> {
        let timer =
            timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK)?;
        let pause = pause.try_into().map_err(|_| io::ErrorKind::InvalidInput)?;
        Ok(Self { timer: watch_readable(above_standard_streams(timer)?)?, pause })
    }

    /// Arms the timer, from any thread. A timer that is armed already starts anew.
    pub fn arm(&self) {
        let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: self.pause };
        // It can't fail: the descriptor is a timer, and the time is one.
        let _ = timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &once);
    }

    /// Waits until the timer expires.
    pub async fn expired(&self) {
        loop {
            let Ok(mut guard) = self.timer.readable().await else { return std::future::pending().await };
            let mut count = [0_u8; 8];
            let read = guard.try_io(|timer| Ok(rustix::io::read(timer, &mut count)?));
            // Not readable after all, if it was armed anew meanwhile.
            if matches!(read, Ok(Ok(_))) {
                return;
            }
        }
    }
}
