//! Wakes the I/O thread after a while, without waking it to say so.

#[cfg(target_os = "linux")]
mod timer;
#[cfg(target_os = "linux")]
pub use timer::Alarm;

#[cfg(any(not(target_os = "linux"), test))]
pub mod sleeper;
#[cfg(not(target_os = "linux"))]
pub use sleeper::Alarm;

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::sleeper;

    const WHILE: Duration = Duration::from_millis(20);

    async fn rings_once_each_time_and_not_too_early(set: impl Fn(), rung: impl AsyncFn()) {
        for _ in 0..3 {
            let set_at = Instant::now();
            set();
            rung().await;
            assert!(set_at.elapsed() >= WHILE);
        }
        assert!(tokio::time::timeout(3 * WHILE, rung()).await.is_err(), "it was not set again");
    }

    #[tokio::test]
    async fn a_timer_rings_once_and_not_too_early() {
        let alarm = super::Alarm::new(WHILE).expect("an alarm");
        rings_once_each_time_and_not_too_early(|| alarm.set(), async || alarm.rung().await).await;
    }

    #[tokio::test]
    async fn a_sleeper_rings_once_and_not_too_early() {
        let alarm = sleeper::Alarm::new(WHILE).expect("an alarm");
        rings_once_each_time_and_not_too_early(|| alarm.set(), async || alarm.rung().await).await;
    }

    #[tokio::test]
    async fn an_alarm_that_rang_before_it_was_waited_for_is_heard() {
        let alarm = super::Alarm::new(WHILE).expect("an alarm");
        alarm.set();
        std::thread::sleep(3 * WHILE);
        alarm.rung().await;
    }

    #[test]
    fn a_timer_is_set_by_any_thread() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let alarm = runtime.block_on(async { super::Alarm::new(WHILE) }).expect("an alarm");
        std::thread::scope(|scope| {
            scope.spawn(|| alarm.set());
            runtime.block_on(alarm.rung());
        });
    }
}
