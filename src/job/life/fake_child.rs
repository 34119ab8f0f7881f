//! Property tests of [`Life`] with a simulated child, which behaves as a random script says.

use proptest::prelude::*;

use super::{Cause, Event, LAST_ROUND, Leftovers, Life, Phase, Step, Terms};

/// The behaviour of a child.
#[derive(Clone, Copy, Debug)]
struct FakeChild {
    /// The child exits by itself.
    exits: bool,
    /// The kill signal ends it.
    obeys: bool,
    /// SIGKILL ends the child; false for a process in an uninterruptible sleep.
    dies: bool,
    /// The child leaves a process, which behaves likewise.
    leaves: Option<Left>,
}

/// A process that the child leaves behind.
#[allow(clippy::struct_excessive_bools, reason = "four ways to behave, all independent")]
#[derive(Clone, Copy, Debug)]
struct Left {
    holds_output: bool,
    ends_alone: bool,
    obeys: bool,
    dies: bool,
}

const SIMPLE: FakeChild = FakeChild { exits: true, obeys: true, dies: true, leaves: None };
const SERVER: Left = Left { holds_output: false, ends_alone: false, obeys: true, dies: true };

/// A random case: the behaviour of the child, and the requests that arrive.
struct World {
    child: FakeChild,
    /// The number of events before the request, and the request.
    stop: Option<(usize, Event)>,
    drains: bool,
    has_grace: bool,
}

impl World {
    fn of(child: FakeChild) -> Self {
        Self { child, stop: None, drains: true, has_grace: true }
    }

    fn stopped_by(child: FakeChild, event: Event) -> Self {
        Self { stop: Some((0, event)), ..Self::of(child) }
    }

    /// Simulates the case to its end. Returns the states, the final life, and the processes that are still
    /// alive.
    fn live(&self, leftovers: Option<Leftovers>) -> SimulationEnd {
        let mut state =
            ChildState { child_runs: true, left_runs: self.child.leaves.is_some(), events: Vec::new() };
        let terms = Terms { leftovers, is_forced: self.has_grace, ..Terms::default() };
        let mut life = Life::new(terms, false);
        let mut phases = vec![life.phase()];
        for round in 0..200 {
            let event = match self.stop {
                Some((at, event)) if at == round => Some(event),
                _ => state.next_event(self, &life),
            };
            let Some(event) = event else { return SimulationEnd { life, phases, state, is_settled: false } };
            let mut step = life.apply(event);
            if step == Step::Count {
                phases.push(life.phase());
                step = life.apply(Event::Left(state.left_runs));
            } else if step == Step::CountSurvivors {
                step = life.apply(Event::Survivors(state.left_runs));
            }
            if phases.last() != Some(&life.phase()) {
                phases.push(life.phase());
            }
            match step {
                Step::Wait
                | Step::Count
                | Step::CountSurvivors
                | Step::MoveToBackground
                | Step::Adopt
                | Step::SignalAgain => {}
                Step::Terminate => state.signal(self.child, false),
                Step::Kill => state.signal(self.child, true),
                Step::Settle => return SimulationEnd { life, phases, state, is_settled: true },
            }
        }
        panic!("it has gone on for ever: {phases:?}");
    }
}

struct SimulationEnd {
    life: Life,
    phases: Vec<Phase>,
    state: ChildState,
    is_settled: bool,
}

struct ChildState {
    child_runs: bool,
    left_runs: bool,
    events: Vec<Event>,
}

impl ChildState {
    /// Returns the next event that the child or a timer causes; `None` when none will ever follow.
    fn next_event(&mut self, world: &World, life: &Life) -> Option<Event> {
        if world.child.exits && self.child_runs && self.events.is_empty() {
            self.child_runs = false;
        }
        let holds = world.child.leaves.is_some_and(|left| left.holds_output) && self.left_runs;
        let output_ended = !self.child_runs && !holds;
        let all_gone = !self.child_runs && !self.left_runs;
        let possible_events = [
            (Event::LeaderExited, !self.child_runs),
            (Event::OutputEnded, output_ended),
            (Event::MembersGone, all_gone && life.waits_for_members()),
        ];
        for (event, is_so) in possible_events {
            let is_new = event == Event::MembersGone || !self.events.contains(&event);
            if is_so && is_new {
                self.events.push(event);
                return Some(event);
            }
        }
        match life.phase() {
            Phase::Draining if world.drains => Some(Event::DrainOver),
            Phase::Terminating if world.has_grace => Some(Event::GraceOver),
            Phase::Killing(_) => Some(Event::RecheckDue),
            _ if self.left_runs && world.child.leaves.is_some_and(|left| left.ends_alone) => {
                self.left_runs = false;
                self.next_event(world, life)
            }
            _ => None,
        }
    }

    fn signal(&mut self, child: FakeChild, is_kill: bool) {
        self.child_runs &= if is_kill { !child.dies } else { !child.obeys };
        if let Some(left) = child.leaves {
            self.left_runs &= if is_kill { !left.dies } else { !left.obeys };
        }
    }
}

const STOP: Event = Event::StopGently(Cause::Timeout);

#[test]
fn a_child_that_exits_settles_without_a_signal() {
    let ending = World::of(SIMPLE).live(None);
    assert!(ending.is_settled);
    assert_eq!(ending.phases, [Phase::Running, Phase::Draining]);
}

#[test]
fn a_child_that_obeys_ends_by_the_kill_signal() {
    let ending = World::stopped_by(FakeChild { exits: false, ..SIMPLE }, STOP).live(None);
    assert_eq!((ending.is_settled, ending.life.cause()), (true, Some(Cause::Timeout)));
    assert_eq!(ending.phases, [Phase::Running, Phase::Terminating]);
}

#[test]
fn a_stubborn_child_ends_by_sigkill() {
    let stubborn = FakeChild { exits: false, obeys: false, ..SIMPLE };
    let ending = World::stopped_by(stubborn, STOP).live(None);
    assert!(ending.is_settled);
    assert_eq!(ending.phases, [Phase::Running, Phase::Terminating, Phase::Killing(0)]);
}

#[test]
fn a_stubborn_child_without_a_grace_is_waited_for() {
    let stubborn = FakeChild { exits: false, obeys: false, ..SIMPLE };
    let world = World { has_grace: false, ..World::stopped_by(stubborn, STOP) };
    assert!(!world.live(None).is_settled);
}

#[test]
fn a_child_in_the_kernels_hands_is_given_up_after_the_last_round() {
    let stuck = FakeChild { exits: false, obeys: false, dies: false, leaves: None };
    let ending = World::stopped_by(stuck, STOP).live(None);
    assert!(ending.is_settled && ending.state.child_runs);
    assert_eq!(ending.phases.last(), Some(&Phase::Killing(LAST_ROUND)));
}

#[test]
fn whoever_holds_the_output_is_waited_for_without_a_drain() {
    let holder = Left { holds_output: true, ends_alone: true, ..SERVER };
    let world = World { drains: false, ..World::of(FakeChild { leaves: Some(holder), ..SIMPLE }) };
    let ending = world.live(None);
    assert!(ending.is_settled && !ending.state.left_runs);
}

#[test]
fn a_server_that_is_kept_keeps_running() {
    let ending = World::of(FakeChild { leaves: Some(SERVER), ..SIMPLE }).live(Some(Leftovers::Keep));
    assert!(ending.is_settled && ending.state.left_runs);
}

#[test]
fn a_server_that_is_not_kept_is_killed_even_if_stubborn() {
    for obeys in [true, false] {
        let server = Left { obeys, ..SERVER };
        let ending = World::of(FakeChild { leaves: Some(server), ..SIMPLE }).live(Some(Leftovers::Kill));
        assert!(ending.is_settled && !ending.state.left_runs);
        assert_eq!(ending.life.cause(), None);
    }
}

#[test]
fn a_server_that_is_adopted_is_the_job_until_it_ends() {
    let server = Left { ends_alone: true, ..SERVER };
    let ending = World::of(FakeChild { leaves: Some(server), ..SIMPLE }).live(Some(Leftovers::Adopt));
    assert!(ending.is_settled && !ending.state.left_runs);
    assert_eq!(ending.phases.last(), Some(&Phase::Adopted));
}

fn any_left() -> impl Strategy<Value = Left> {
    any::<[bool; 4]>().prop_map(|[holds_output, ends_alone, obeys, dies]| Left {
        holds_output,
        ends_alone,
        obeys,
        dies,
    })
}

fn any_leftovers() -> impl Strategy<Value = Option<Leftovers>> {
    prop::option::of(prop::sample::select(vec![Leftovers::Keep, Leftovers::Kill, Leftovers::Adopt]))
}

proptest! {
    /// A job that was stopped with a grace settles, whatever its processes do, and every process that can die
    /// is dead then.
    #[test]
    fn a_stopped_life_settles_and_leaves_no_process_that_can_be_killed(
        [exits, obeys, dies] in any::<[bool; 3]>(),
        leaves in prop::option::of(any_left()),
        leftovers in any_leftovers(),
        at in 0..4_usize,
        is_gentle in any::<bool>(),
    ) {
        let stop = if is_gentle { STOP } else { Event::StopAtOnce(Cause::Killed) };
        let child = FakeChild { exits, obeys, dies, leaves };
        let world = World { stop: Some((at, stop)), ..World::of(child) };
        let ending = world.live(leftovers);
        // Without a stop, a life may wait for ever for a child that runs on.
        prop_assert!(ending.is_settled || ending.life.cause().is_none());
        if ending.life.cause().is_some() {
            prop_assert!(!(ending.state.child_runs && dies));
            prop_assert!(!(ending.state.left_runs && leaves.is_some_and(|left| left.dies)));
        }
    }

    /// Without a stop, only leftovers that the plan kills are signalled.
    #[test]
    fn a_life_without_a_stop_signals_only_leftovers_that_are_to_be_killed(
        leaves in prop::option::of(any_left()),
        leftovers in any_leftovers(),
    ) {
        let ending = World::of(FakeChild { leaves, ..SIMPLE }).live(leftovers);
        let was_signalled = ending.phases.contains(&Phase::Terminating);
        prop_assert_eq!(was_signalled, leftovers == Some(Leftovers::Kill) && leaves.is_some());
    }
}
