//! Decides when a job is checked for a wait, and when findings make a wait. Pure: callers pass the time.

use std::time::Duration;

use tokio::time::Instant;

use super::InputWait;

/// The silence before the first check: a program that has just written usually goes on writing.
const FIRST_CHECK_SILENCE: Duration = Duration::from_millis(100);

/// The shortest time between the two checks that must both find a wait: a program may be in a read only for a
/// moment.
const CONFIRM_INTERVAL: Duration = Duration::from_millis(30);

/// The longest pause between two checks: one takes some 40 µs for each process.
const MAX_INTERVAL: Duration = Duration::from_secs(2);

/// The number of checks without a result, because the job goes on writing, after which a caller that asked
/// gets the answer that the job does not wait.
const MAX_TRIES: u32 = 10;

/// The schedule of the checks of one job, while a caller follows its waits or has asked.
#[derive(Debug, Default)]
pub struct WaitSchedule {
    /// Whether each wait is reported.
    is_followed: bool,
    /// The number of callers without an answer.
    asked: u32,
    tries: u32,
    next: Option<Instant>,
    pause: Duration,
    /// The finding of the last inspection since the last output and input, and its time.
    seen: Option<(Instant, InputWait)>,
    /// The wait that was reported last, until output or input ends it.
    reported: Option<InputWait>,
}

/// The events and answers that follow from an inspection.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// A wait that has begun.
    pub begun: Option<InputWait>,
    /// The answer to all callers that have asked, and their number.
    pub answer: Option<(Option<InputWait>, u32)>,
}

impl WaitSchedule {
    /// Starts or stops to report each wait.
    pub fn follow(&mut self, is_followed: bool, now: Instant) {
        self.is_followed = is_followed;
        self.reported = None;
        self.restart(now);
    }

    /// Notes a question whether the job waits now.
    pub fn ask(&mut self, now: Instant) {
        self.asked += 1;
        self.tries = 0;
        self.next = Some(now);
    }

    /// Returns the time of the next inspection; `None` while no caller follows waits or has asked.
    #[must_use]
    pub const fn next(&self) -> Option<Instant> {
        self.next
    }

    /// Notes output or input, which ends a wait.
    pub fn activity(&mut self, now: Instant) {
        self.seen = None;
        self.reported = None;
        self.restart(now);
    }

    fn restart(&mut self, now: Instant) {
        self.pause = CONFIRM_INTERVAL;
        let silence = if self.asked > 0 { CONFIRM_INTERVAL } else { FIRST_CHECK_SILENCE };
        self.next = (self.is_followed || self.asked > 0).then(|| now + silence);
    }

    /// Records the finding of a check. Output and input from before the check must be recorded before, by
    /// [`Self::activity`].
    pub fn record(&mut self, seen: Option<InputWait>, now: Instant) -> Findings {
        let before = self.seen.take();
        let Some(wait) = seen else {
            self.reported = None;
            self.tries += 1;
            return self.next_after(None, None, now);
        };
        let first = before.filter(|(_, before)| before.is_like(&wait)).map(|(time, _)| time);
        let since = first.unwrap_or(now);
        self.seen = Some((since, wait.clone()));
        if now < since + CONFIRM_INTERVAL {
            self.tries += 1;
            if self.tries > MAX_TRIES {
                return self.next_after(None, None, now);
            }
            self.next = Some(since + CONFIRM_INTERVAL);
            return Findings::default();
        }
        let is_new = self.reported.as_ref().is_none_or(|reported| !reported.is_like(&wait));
        // A server that also takes keys is busy with its clients, so its wait is not reported.
        let begun = (self.is_followed && is_new && !wait.is_listening).then(|| wait.clone());
        self.reported = Some(wait.clone());
        self.next_after(begun, Some(wait), now)
    }

    fn next_after(&mut self, begun: Option<InputWait>, wait: Option<InputWait>, now: Instant) -> Findings {
        self.next = self.is_followed.then(|| now + self.pause);
        self.pause = (self.pause * 2).min(MAX_INTERVAL);
        let asked = std::mem::take(&mut self.asked);
        Findings { begun, answer: (asked > 0).then_some((wait, asked)) }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::{Findings, InputWait, MAX_INTERVAL, WaitSchedule};
    use crate::job::waiting::{InputKind, WaitMethod};

    fn wait(pid: i32) -> InputWait {
        InputWait {
            kind: InputKind::Line,
            how: WaitMethod::Read,
            timeout: None,
            is_listening: false,
            is_certain: true,
            pid,
            program: "cat".to_owned(),
            prompt: String::new(),
        }
    }

    /// Records a finding at the time at which a check is due.
    fn check(schedule: &mut WaitSchedule, seen: Option<InputWait>) -> Findings {
        let due = schedule.next().expect("a check is due");
        schedule.record(seen, due)
    }

    fn followed() -> (WaitSchedule, Instant) {
        let (mut schedule, now) = (WaitSchedule::default(), Instant::now());
        schedule.follow(true, now);
        (schedule, now)
    }

    #[test]
    fn without_a_caller_no_check_is_due() {
        let mut schedule = WaitSchedule::default();
        schedule.activity(Instant::now());
        assert_eq!(schedule.next(), None);
    }

    #[test]
    fn a_wait_is_reported_once_when_two_checks_have_found_it() {
        let (mut schedule, now) = followed();
        assert_eq!(check(&mut schedule, Some(wait(7))).begun, None);
        assert_eq!(check(&mut schedule, Some(wait(7))).begun, Some(wait(7)));
        assert!(schedule.next().expect("it goes on") - now < Duration::from_millis(250));
        assert_eq!(check(&mut schedule, Some(wait(7))).begun, None);
    }

    #[test]
    fn two_checks_of_different_processes_make_no_wait() {
        let (mut schedule, _) = followed();
        for pid in 1..20 {
            assert_eq!(check(&mut schedule, Some(wait(pid))).begun, None);
        }
    }

    #[test]
    fn output_between_two_checks_makes_the_first_void() {
        let (mut schedule, _) = followed();
        check(&mut schedule, Some(wait(7)));
        schedule.activity(schedule.next().expect("due"));
        assert_eq!(check(&mut schedule, Some(wait(7))).begun, None);
        assert_eq!(check(&mut schedule, Some(wait(7))).begun, Some(wait(7)));
        schedule.activity(schedule.next().expect("due"));
        check(&mut schedule, Some(wait(7)));
        assert_eq!(check(&mut schedule, Some(wait(7))).begun, Some(wait(7)));
    }

    #[test]
    fn another_wait_without_output_is_reported_too() {
        let (mut schedule, _) = followed();
        check(&mut schedule, Some(wait(7)));
        check(&mut schedule, Some(wait(7)));
        check(&mut schedule, Some(wait(8)));
        assert_eq!(check(&mut schedule, Some(wait(8))).begun, Some(wait(8)));
    }

    #[test]
    fn checks_become_rare() {
        let (mut schedule, _) = followed();
        for _ in 0..20 {
            check(&mut schedule, None);
        }
        let before = schedule.next().expect("due");
        check(&mut schedule, None);
        assert_eq!(schedule.next().expect("due") - before, MAX_INTERVAL);
    }

    #[test]
    fn a_server_that_takes_keys_is_no_event_but_an_answer() {
        let server = InputWait { is_listening: true, ..wait(7) };
        let (mut schedule, now) = followed();
        check(&mut schedule, Some(server.clone()));
        assert_eq!(check(&mut schedule, Some(server.clone())), Findings::default());
        schedule.ask(now);
        let at = now + Duration::from_secs(10);
        assert_eq!(schedule.record(Some(server.clone()), at).answer, Some((Some(server), 1)));
    }

    #[test]
    fn a_caller_has_an_answer_after_one_check_without_a_wait_or_two_with_one() {
        let (mut schedule, now) = (WaitSchedule::default(), Instant::now());
        schedule.ask(now);
        schedule.ask(now);
        assert_eq!(check(&mut schedule, None).answer, Some((None, 2)));
        assert_eq!(schedule.next(), None);
        schedule.ask(now);
        assert_eq!(check(&mut schedule, Some(wait(7))).answer, None);
        assert_eq!(
            check(&mut schedule, Some(wait(7))),
            Findings { begun: None, answer: Some((Some(wait(7)), 1)) }
        );
        assert_eq!(schedule.next(), None);
    }

    #[test]
    fn a_caller_gets_an_answer_for_a_job_that_is_never_silent() {
        let (mut schedule, now) = (WaitSchedule::default(), Instant::now());
        schedule.ask(now);
        let answered = (0..50).any(|_| {
            schedule.activity(schedule.next().expect("due"));
            check(&mut schedule, Some(wait(7))).answer.is_some()
        });
        assert!(answered);
    }
}
