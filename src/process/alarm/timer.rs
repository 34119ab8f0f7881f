//! A timer of the kernel's: who sets it makes one system call, and no thread wakes.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use tokio::io::unix::AsyncFd;

use crate::process::pipe::above_standard_streams;
use crate::process::readiness::watch_readable;

/// An alarm. It belongs to the runtime that it was made in.
#[derive(Debug)]
pub struct Alarm {
    timer: AsyncFd<OwnedFd>,
    pause: Timespec,
}

impl Alarm {
    /// One that rings so long after it was set.
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

    /// Sets it, from any thread. If it was set already, it rings later.
    pub fn set(&self) {
        let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: self.pause };
        // It can't fail: the descriptor is a timer, and the time is one.
        let _ = timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &once);
    }

    /// Waits until it rings.
    pub async fn rung(&self) {
        loop {
            let Ok(mut guard) = self.timer.readable().await else { return std::future::pending().await };
            let mut count = [0_u8; 8];
            let read = guard.try_io(|timer| Ok(rustix::io::read(timer, &mut count)?));
            // Not readable after all, if it was set anew meanwhile.
            if matches!(read, Ok(Ok(_))) {
                return;
            }
        }
    }
}
