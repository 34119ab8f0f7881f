//! Each state, each event, each way to end.

use proptest::prelude::*;

use super::{Cause, CommandForm, Event, LAST_ROUND, Leftovers, Life, Phase, Step, Terms};

fn steps(events: &[Event]) -> (Life, Vec<Step>) {
    steps_with(None, events)
}

/// Returns a life in which SIGKILL follows the kill signal, as by default.
fn life(leftovers: Option<Leftovers>) -> Life {
    Life::new(Terms { leftovers, is_forced: true, ..Terms::default() }, false)
}

/// Returns a life that moves to the background at its timeout.
fn patient_life() -> Life {
    Life::new(Terms { moves_to_background: true, ..Terms::default() }, false)
}

fn steps_with(leftovers: Option<Leftovers>, events: &[Event]) -> (Life, Vec<Step>) {
    let mut life = life(leftovers);
    let steps = events.iter().map(|&event| life.apply(event)).collect();
    (life, steps)
}

#[test]
fn settles_when_the_process_has_exited_and_the_output_has_ended() {
    let (life, steps) = steps(&[Event::OutputEnded, Event::LeaderExited]);
    assert_eq!(steps, [Step::Wait, Step::Settle]);
    assert_eq!(life.cause(), None);
}

#[test]
fn an_exit_with_held_output_drains() {
    let (life, steps) = steps(&[Event::LeaderExited]);
    assert_eq!((life.phase(), steps), (Phase::Draining, vec![Step::Wait]));
}

#[test]
fn a_drained_job_settles() {
    assert_eq!(steps(&[Event::LeaderExited, Event::OutputEnded]).1, [Step::Wait, Step::Settle]);
}

#[test]
fn a_stop_while_running_terminates() {
    let (life, steps) = steps(&[Event::StopGently(Cause::Timeout)]);
    assert_eq!((life.phase(), steps), (Phase::Terminating, vec![Step::Terminate]));
    assert_eq!(life.cause(), Some(Cause::Timeout));
}

#[test]
fn a_stop_while_draining_terminates_the_holders() {
    let (_, steps) = steps(&[Event::LeaderExited, Event::StopGently(Cause::Timeout)]);
    assert_eq!(steps, [Step::Wait, Step::Terminate]);
}

#[test]
fn a_terminated_job_settles_only_when_its_members_are_gone_too() {
    let (_, steps) = steps(&[
        Event::StopGently(Cause::Timeout),
        Event::LeaderExited,
        Event::OutputEnded,
        Event::MembersGone,
    ]);
    assert_eq!(steps, [Step::Terminate, Step::Wait, Step::Wait, Step::CountSurvivors]);
}

#[test]
fn holders_of_the_output_get_the_kill_signal_once_when_the_tree_is_gone() {
    let (_, steps) = steps(&[
        Event::StopGently(Cause::Timeout),
        Event::LeaderExited,
        Event::MembersGone,
        Event::MembersGone,
        Event::OutputEnded,
    ]);
    assert_eq!(steps, [Step::Terminate, Step::Wait, Step::Terminate, Step::Wait, Step::CountSurvivors]);
}

#[test]
fn holders_that_got_the_kill_signal_after_the_exit_do_not_get_it_again() {
    let (_, steps) = steps(&[Event::LeaderExited, Event::StopGently(Cause::Timeout), Event::MembersGone]);
    assert_eq!(steps, [Step::Wait, Step::Terminate, Step::Wait]);
}

#[test]
fn a_gentle_end_without_survivors_settles_and_is_known_to_have_none() {
    let mut life = steps(&[
        Event::StopGently(Cause::Timeout),
        Event::LeaderExited,
        Event::OutputEnded,
        Event::MembersGone,
    ])
    .0;
    assert!(!life.has_no_survivors());
    assert_eq!(life.apply(Event::Survivors(false)), Step::Settle);
    assert!(life.has_no_survivors());
}

#[test]
fn survivors_of_a_gentle_end_are_left_alone_where_sigkill_never_follows() {
    let mut life = Life::new(Terms::default(), false);
    life.apply(Event::StopGently(Cause::Timeout));
    life.apply(Event::LeaderExited);
    life.apply(Event::OutputEnded);
    assert_eq!(life.apply(Event::MembersGone), Step::Settle);
}

#[test]
fn a_timeout_stops_gently() {
    let (life, steps) = steps(&[Event::TimeUp]);
    assert_eq!(
        (life.phase(), life.cause(), steps),
        (Phase::Terminating, Some(Cause::Timeout), vec![Step::Terminate])
    );
}

#[test]
fn a_timeout_in_a_life_that_goes_on_moves_it_to_the_background_once() {
    let mut life = patient_life();
    assert_eq!(life.apply(Event::TimeUp), Step::MoveToBackground);
    assert!(life.is_in_background() && life.cause().is_none());
    assert_eq!(life.apply(Event::TimeUp), Step::Terminate, "the timeout of the background");
    assert_eq!(life.cause(), Some(Cause::Timeout));
}

#[test]
fn an_abort_reaches_no_job_that_has_answered() {
    let mut life = patient_life();
    life.apply(Event::TimeUp);
    assert_eq!(life.apply(Event::StopGently(Cause::Aborted)), Step::Wait);
    assert_eq!(life.apply(Event::StopGently(Cause::Killed)), Step::Terminate);
}

#[test]
fn a_timeout_while_the_job_is_being_ended_changes_nothing() {
    let (life, steps) = steps(&[Event::StopGently(Cause::Killed), Event::TimeUp]);
    assert_eq!((life.cause(), steps), (Some(Cause::Killed), vec![Step::Terminate, Step::Wait]));
}

#[test]
fn leftovers_of_a_job_in_the_background_are_adopted_without_another_answer() {
    let terms = Terms { leftovers: Some(Leftovers::Adopt), moves_to_background: true, ..Terms::default() };
    let mut life = Life::new(terms, true);
    life.apply(Event::LeaderExited);
    life.apply(Event::DrainOver);
    assert_eq!(life.apply(Event::Left(true)), Step::Wait);
    assert_eq!(life.phase(), Phase::Adopted);
}

#[test]
fn the_kill_follows_the_grace() {
    let (life, steps) = steps(&[Event::StopGently(Cause::Timeout), Event::GraceOver]);
    assert_eq!((life.phase(), steps), (Phase::Killing(0), vec![Step::Terminate, Step::Kill]));
}

#[test]
fn survivors_of_a_gentle_end_are_killed() {
    let (_, steps) = steps(&[Event::StopGently(Cause::Timeout), Event::Survivors(true)]);
    assert_eq!(steps, [Step::Terminate, Step::Kill]);
}

#[test]
fn a_stop_at_once_does_not_wait_for_the_grace() {
    let (life, steps) = steps(&[Event::StopGently(Cause::Timeout), Event::StopAtOnce(Cause::OwnerGone)]);
    assert_eq!(steps, [Step::Terminate, Step::Kill]);
    assert_eq!(life.cause(), Some(Cause::Timeout), "the first cause counts");
}

#[test]
fn a_second_gentle_stop_changes_nothing() {
    let (life, steps) = steps(&[Event::StopGently(Cause::Aborted), Event::StopGently(Cause::Timeout)]);
    assert_eq!(steps, [Step::Terminate, Step::Wait]);
    assert_eq!(life.cause(), Some(Cause::Aborted));
}

#[test]
fn a_signal_of_the_callers_choice_is_sent_again_while_the_job_is_being_ended() {
    let again = Event::StopBySignal(Cause::Killed);
    let (life, steps) = steps(&[Event::StopGently(Cause::Aborted), again, Event::GraceOver, again]);
    assert_eq!(steps, [Step::Terminate, Step::SignalAgain, Step::Kill, Step::SignalAgain]);
    assert_eq!(life.cause(), Some(Cause::Aborted));
}

#[test]
fn a_timeout_whose_signal_is_sigkill_kills() {
    let mut life = Life::new(Terms { kills_at_once: true, ..Terms::default() }, false);
    assert_eq!(life.apply(Event::TimeUp), Step::Kill);
}

#[test]
fn a_late_grace_changes_nothing() {
    assert_eq!(steps(&[Event::GraceOver]).1, [Step::Wait]);
}

#[test]
fn survivors_are_killed_again_and_the_last_round_settles() {
    let mut life = life(None);
    assert_eq!(life.apply(Event::StopAtOnce(Cause::Killed)), Step::Kill);
    for _ in 0..LAST_ROUND {
        assert_eq!(life.apply(Event::RecheckDue), Step::Kill);
    }
    assert_eq!(life.apply(Event::RecheckDue), Step::Settle);
}

const DRAINED: [Event; 2] = [Event::LeaderExited, Event::DrainOver];

#[test]
fn output_that_is_held_too_long_is_not_waited_for() {
    assert_eq!(steps(&DRAINED).1, [Step::Wait, Step::Settle]);
}

#[test]
fn leftovers_are_counted_after_the_drain_if_the_plan_asks_for_them() {
    for end in [Event::OutputEnded, Event::DrainOver] {
        let events = [Event::LeaderExited, end];
        assert_eq!(steps_with(Some(Leftovers::Kill), &events).1, [Step::Wait, Step::Count]);
    }
}

#[test]
fn nobody_left_settles_whatever_was_to_be_done() {
    for leftovers in [Leftovers::Keep, Leftovers::Kill, Leftovers::Adopt] {
        let mut life = steps_with(Some(leftovers), &DRAINED).0;
        assert_eq!(life.apply(Event::Left(false)), Step::Settle);
    }
}

#[test]
fn leftovers_that_are_kept_settle() {
    let mut life = steps_with(Some(Leftovers::Keep), &DRAINED).0;
    assert_eq!(life.apply(Event::Left(true)), Step::Settle);
}

#[test]
fn leftovers_that_are_killed_are_terminated_without_a_cause() {
    let mut life = steps_with(Some(Leftovers::Kill), &DRAINED).0;
    assert_eq!(life.apply(Event::Left(true)), Step::Terminate);
    assert_eq!((life.phase(), life.cause()), (Phase::Terminating, None));
}

#[test]
fn adopted_leftovers_run_until_all_processes_and_the_output_have_ended() {
    let mut life = steps_with(Some(Leftovers::Adopt), &DRAINED).0;
    assert_eq!(life.apply(Event::Left(true)), Step::Adopt);
    assert_eq!(life.phase(), Phase::Adopted);
    assert_eq!(life.apply(Event::OutputEnded), Step::Wait);
    assert_eq!(life.apply(Event::MembersGone), Step::Count);
    assert_eq!(life.apply(Event::Left(true)), Step::Wait, "a new process was found");
    assert_eq!(life.apply(Event::MembersGone), Step::Count);
    assert_eq!(life.apply(Event::Left(false)), Step::Settle);
}

#[test]
fn adopted_leftovers_can_be_stopped() {
    let mut life = steps_with(Some(Leftovers::Adopt), &DRAINED).0;
    life.apply(Event::Left(true));
    assert_eq!(life.apply(Event::StopGently(Cause::Killed)), Step::Terminate);
}

#[test]
fn a_drain_that_is_over_while_the_process_runs_changes_nothing() {
    let (life, steps) = steps(&[Event::DrainOver, Event::Left(false), Event::OutputEnded]);
    assert_eq!((life.phase(), steps), (Phase::Running, vec![Step::Wait; 3]));
}

fn list() -> Life {
    Life::new(Terms { runs: CommandForm::List, ..Terms::default() }, false)
}

#[test]
fn a_list_that_was_stopped_is_over_while_its_output_is_held() {
    let mut life = list();
    assert_eq!(life.apply(Event::StopGently(Cause::Timeout)), Step::Terminate);
    assert_eq!(life.apply(Event::MembersGone), Step::Wait);
    assert_eq!(life.apply(Event::LeaderExited), Step::CountSurvivors);
    assert_eq!(life.apply(Event::Survivors(false)), Step::Settle);
}

#[test]
fn a_list_that_ends_by_itself_drains_its_output() {
    let mut life = list();
    assert_eq!(life.apply(Event::LeaderExited), Step::Wait);
    assert_eq!((life.phase(), life.apply(Event::OutputEnded)), (Phase::Draining, Step::Settle));
}

#[test]
fn survivors_of_a_stopped_list_get_the_kill_signal_or_sigkill_if_that_was_sent() {
    let ended = [Event::MembersGone, Event::LeaderExited];
    for (stop, step) in
        [(Event::StopGently(Cause::Timeout), Step::Terminate), (Event::StopAtOnce(Cause::Killed), Step::Kill)]
    {
        let mut life = list();
        life.apply(stop);
        assert_eq!(ended.map(|event| life.apply(event)), [Step::Wait, Step::CountSurvivors]);
        assert_eq!(life.apply(Event::Survivors(true)), step);
    }
}

#[test]
fn a_stop_that_came_too_late_is_not_the_cause() {
    let mut life = list();
    life.apply(Event::StopGently(Cause::Timeout));
    life.apply(Event::ExitedBeforeStop);
    assert_eq!((life.phase(), life.cause()), (Phase::Running, None));
    assert_eq!(
        [Event::OutputEnded, Event::LeaderExited].map(|event| life.apply(event)),
        [Step::Wait, Step::Settle]
    );
}

fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        Just(Event::LeaderExited),
        Just(Event::ExitedBeforeStop),
        Just(Event::OutputEnded),
        Just(Event::MembersGone),
        Just(Event::StopGently(Cause::Timeout)),
        Just(Event::StopBySignal(Cause::Killed)),
        Just(Event::StopAtOnce(Cause::OwnerGone)),
        Just(Event::GraceOver),
        Just(Event::RecheckDue),
        any::<bool>().prop_map(Event::Survivors),
        Just(Event::TimeUp),
        Just(Event::DrainOver),
        any::<bool>().prop_map(Event::Left),
    ]
}

proptest! {
    /// After any events, a stop, the grace and all rounds of SIGKILL end the job.
    #[test]
    fn every_life_can_be_ended(
        leftovers in prop::option::of(prop_oneof![
            Just(Leftovers::Keep),
            Just(Leftovers::Kill),
            Just(Leftovers::Adopt)
        ]),
        events in prop::collection::vec(any_event(), 0..30),
    ) {
        let mut life = life(leftovers);
        if events.iter().any(|&event| life.apply(event) == Step::Settle) {
            return Ok(());
        }
        let end = [Event::StopGently(Cause::Timeout), Event::GraceOver];
        let rounds = std::iter::repeat_n(Event::RecheckDue, LAST_ROUND as usize + 1);
        prop_assert!(end.into_iter().chain(rounds).any(|event| life.apply(event) == Step::Settle));
    }
}
