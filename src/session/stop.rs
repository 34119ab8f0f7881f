//! Ends a command completely, while its shell keeps its state.
//!
//! The danger is the rest of the list: if only the `sleep` of `sleep 100; rm -r build` is ended, the shell goes on
//! with `rm`. So the shell is stopped first (SIGSTOP), and then the command's processes are ended. Before the shell
//! continues (SIGCONT), it is sent the signal of its *stop trap*, which gives up the list ([`super::flavor`]). The
//! next line that the shell reads asks for a report.

use std::collections::HashSet;
use std::time::Duration;

use rustix::process::Signal;
use tokio::time::Instant;

use super::report::Report;
use super::shell::Shell;
use crate::process::identity::Identity;
use crate::process::signal::by_number;

/// The longest time that a shell may take to stop: a system call that can't be interrupted may delay it.
const FREEZE: Duration = Duration::from_millis(100);

/// The first and the longest pause between two checks of a stop.
const FIRST_LOOK: Duration = Duration::from_millis(1);
const LAST_LOOK: Duration = Duration::from_millis(10);

/// The longest wait for the death of killed processes: one in an uninterruptible sleep may never die.
const DEATH: Duration = Duration::from_secs(1);

/// The time in which a shell must report after the stop trap. After that it is stopped again, and the next attempt
/// adds SIGINT: a shell that waits in `read`, or until it can open a named pipe, runs no trap, but reacts to SIGINT.
const WAKE: Duration = Duration::from_millis(20);

/// The number of attempts, and the shortest time for all of them, after which the shell is given up: it is busy with
/// something that no signal interrupts, such as the expansion of a million words. (At a load of 90 on 2 processors, 1
/// s was too short for 14 of 17,000 shells.)
const ATTEMPTS: u32 = 20;
const ATTEMPTS_FOR: Duration = Duration::from_secs(3);

/// The result of a check.
#[derive(Debug)]
pub(super) enum Look {
    /// The stop goes on.
    Wait,
    /// The shell has reported.
    Reported(Report),
    /// The processes are gone, and the shell ran no list.
    Gone,
    /// The shell does not react, and must be killed.
    Hopeless,
}

/// A stop of a command that is under way.
#[derive(Debug)]
pub(super) struct Stop {
    phase: Phase,
    signal: Signal,
    kill_at: Option<Instant>,
    signalled: HashSet<Identity>,
    attempt: u32,
    begun_at: Instant,
    pause: Duration,
    next_look: Instant,
    /// Whether the list has ended already, so that the shell itself needs no stop.
    is_listless: bool,
    /// Whether the shell would not give up its list for a signal.
    is_deaf: bool,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The shell was sent SIGSTOP; the time is the deadline.
    Freezing(Instant),
    /// The processes were sent the signal that ends them.
    Ending,
    /// The shell continues with the signal to give up its list. Without a report by this time, it is stopped again.
    Waking(Instant),
}

impl Stop {
    /// Starts to stop the list of a shell: by this signal, and by SIGKILL after the grace.
    pub(super) fn of_list(shell: &Shell, signal: Signal, grace: Option<Duration>) -> Self {
        let is_deaf = shell.is_deaf();
        shell.signal(Signal::STOP);
        Self { is_deaf, ..Self::new(Phase::Freezing(Instant::now() + FREEZE), signal, grace, false) }
    }

    /// Starts to end the processes that a finished command has left.
    pub(super) fn of_processes(signal: Signal, grace: Option<Duration>) -> Self {
        Self::new(Phase::Ending, signal, grace, true)
    }

    fn new(phase: Phase, signal: Signal, grace: Option<Duration>, is_listless: bool) -> Self {
        let now = Instant::now();
        let grace = if signal == Signal::KILL { Some(Duration::ZERO) } else { grace };
        Self {
            phase,
            signal,
            kill_at: grace.and_then(|grace| now.checked_add(grace)),
            signalled: HashSet::new(),
            attempt: 0,
            begun_at: now,
            pause: FIRST_LOOK,
            next_look: now,
            is_listless,
            is_deaf: false,
        }
    }

    /// Returns the time of the next check.
    pub(super) const fn next_look(&self) -> Instant {
        self.next_look
    }

    /// Returns whether the shell has been sent the signal to give up its list.
    pub(super) const fn is_waking(&self) -> bool {
        matches!(self.phase, Phase::Waking(_))
    }

    /// Returns whether no process has been signalled yet.
    pub(super) fn is_harmless(&self) -> bool {
        self.signalled.is_empty() && matches!(self.phase, Phase::Freezing(_)) && self.attempt == 0
    }

    /// Ends the grace: SIGKILL is sent at the next check.
    pub(super) fn hurry(&mut self) {
        self.signal = Signal::KILL;
        self.kill_at = Some(Instant::now());
        self.next_look = Instant::now();
    }

    /// Checks the progress of the stop, and takes the next step.
    pub(super) fn look(&mut self, shell: &mut Shell, token: &str) -> Look {
        if let Phase::Freezing(until) = self.phase {
            if !shell.is_stopped() && Instant::now() < until {
                return self.wait(FIRST_LOOK);
            }
            // The shell may have finished the list before it stopped.
            if self.attempt == 0
                && let Some(report) = shell.report(token)
            {
                return Look::Reported(report);
            }
            self.enter(Phase::Ending);
        }
        match self.phase {
            Phase::Ending => self.end_processes(shell),
            Phase::Waking(until) if Instant::now() >= until => self.try_again(shell),
            Phase::Freezing(_) | Phase::Waking(_) => {
                if shell.is_idle() {
                    // A report that is read here must be returned: the pipe does not become readable for it again.
                    if let Some(report) = shell.report(token) {
                        return Look::Reported(report);
                    }
                    shell.ask_for_report(token);
                }
                self.wait_longer()
            }
        }
    }

    fn end_processes(&mut self, shell: &Shell) -> Look {
        let processes = shell.processes();
        let now = Instant::now();
        let is_forced = self.kill_at.is_some_and(|time| time <= now);
        let is_too_long = self.kill_at.is_some_and(|time| now.duration_since(time) > DEATH);
        if processes.is_empty() || is_too_long {
            if self.is_listless {
                return Look::Gone;
            }
            if self.is_deaf || shell.ignores_stop() {
                return Look::Hopeless;
            }
            self.wake(shell);
            return self.wait(FIRST_LOOK);
        }
        for process in &processes {
            if is_forced {
                process.identity.send(Signal::KILL);
            } else if self.signalled.insert(process.identity) {
                process.identity.send(self.signal);
                // A stopped process handles the signal only when it continues.
                process.identity.send(Signal::CONT);
            }
        }
        self.wait_longer()
    }

    fn wake(&mut self, shell: &Shell) {
        self.attempt += 1;
        if let Some(signal) = by_number(shell.flavor.stop_signal()) {
            shell.signal(signal);
        }
        if self.attempt > 1 {
            shell.signal(Signal::INT);
        }
        shell.signal(Signal::CONT);
        self.enter(Phase::Waking(Instant::now() + WAKE));
    }

    fn try_again(&mut self, shell: &Shell) -> Look {
        if self.attempt >= ATTEMPTS && self.begun_at.elapsed() > ATTEMPTS_FOR {
            return Look::Hopeless;
        }
        self.is_deaf = shell.is_deaf();
        shell.signal(Signal::STOP);
        self.enter(Phase::Freezing(Instant::now() + FREEZE));
        self.wait(Duration::ZERO)
    }

    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.pause = FIRST_LOOK;
    }

    fn wait(&mut self, pause: Duration) -> Look {
        self.next_look = Instant::now() + pause;
        Look::Wait
    }

    fn wait_longer(&mut self) -> Look {
        let pause = self.pause;
        self.pause = (pause * 2).min(LAST_LOOK);
        self.wait(pause)
    }
}
