//! A one-shot timer that other threads can arm without waking the I/O thread.
//!
//! `timerfd` is the kernel's timer (Linux); `sleeper` is the runtime's, for systems without a timerfd.

#[cfg(all(unix, not(darwin)))]
mod timerfd;
#[cfg(all(unix, not(darwin)))]
pub use timerfd::Timer;

#[cfg(any(darwin, windows, test))]
pub mod sleeper;
#[cfg(any(darwin, windows))]
pub use sleeper::Timer;

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::sleeper;

    const DELAY: Duration = Duration::from_millis(20);

    async fn expires_once_each_time_and_not_too_early(arm: impl Fn(), expired: impl AsyncFn()) {
        for _ in 0..3 {
            let armed_at = Instant::now();
            arm();
            expired().await;
            assert!(armed_at.elapsed() >= DELAY);
        }
        assert!(tokio::time::timeout(3 * DELAY, expired()).await.is_err(), "it was not armed again");
    }

    #[tokio::test]
    async fn a_timer_expires_once_and_not_too_early() {
        let timer = super::Timer::new(DELAY).expect("a timer");
        expires_once_each_time_and_not_too_early(|| timer.arm(), async || timer.expired().await).await;
    }

    #[tokio::test]
    async fn a_sleeper_expires_once_and_not_too_early() {
        let timer = sleeper::Timer::new(DELAY).expect("a timer");
        expires_once_each_time_and_not_too_early(|| timer.arm(), async || timer.expired().await).await;
    }

    #[tokio::test]
    async fn a_wait_after_the_expiry_returns_at_once() {
        let timer = super::Timer::new(DELAY).expect("a timer");
        timer.arm();
        std::thread::sleep(3 * DELAY);
        timer.expired().await;
    }

    #[test]
    fn a_timer_is_armed_by_any_thread() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let timer = runtime.block_on(async { super::Timer::new(DELAY) }).expect("a timer");
        std::thread::scope(|scope| {
            scope.spawn(|| timer.arm());
            runtime.block_on(timer.expired());
        });
    }
}
