//! The processes of a command: found below the reaper, signalled and killed.

use std::time::Instant;

use rustix::process::{Pid, Signal, getpid};

use super::{KILL_DEADLINE, ReaperLoop};
use crate::helper::supervisor::confined::ConfinedLeader;
use crate::helper::supervisor::protocol::enums::{ProcessSelection, SignalScope};
use crate::helper::supervisor::protocol::message::MAX_PIDS;
use crate::process::identity::Identity;
use crate::process::signal::by_number;
use crate::process::table::row::Process;
use crate::process::table::{children_of, ignores, ignores_interrupts, snapshot};
use crate::process::tree::{descendants, repeat_until, sort_by_age};
use crate::process::unreaped;
use crate::process::wait::reap;

impl ReaperLoop<'_> {
    pub(super) fn signal(&self, number: i32, scope: SignalScope) {
        let Some(signal) = by_number(number) else { return };
        if let Some(command) = self.confined.as_ref().and_then(ConfinedLeader::command) {
            return self.signal_confined(command, signal, scope);
        }
        if scope == SignalScope::Leader {
            unreaped::signal(self.leader, signal);
            return;
        }
        let mut found = if scope == SignalScope::Group { Vec::new() } else { descendants(getpid()) };
        sort_by_age(&mut found);
        unreaped::signal_group(self.leader, signal);
        let group = self.leader.as_raw_nonzero().get();
        for process in found.iter().filter(|process| process.group != group) {
            process.identity.send(signal);
        }
        if scope == SignalScope::End {
            unreaped::signal_group(self.leader, Signal::CONT);
            self.wake(&found, signal);
        }
    }

    /// Sends a signal to a command in a sandbox, whose own processes get none: the monitor and the group that
    /// it leads are not the command's.
    fn signal_confined(&self, command: Identity, signal: Signal, scope: SignalScope) {
        let mut found = self.below();
        let leader = command.pid.as_raw_nonzero().get();
        match scope {
            SignalScope::Leader => found.retain(|process| process.identity == command),
            SignalScope::Group => found.retain(|process| process.group == leader),
            SignalScope::Tree | SignalScope::End => sort_by_age(&mut found),
        }
        for process in &found {
            process.identity.send(signal);
        }
        if scope == SignalScope::End {
            self.wake(&found, signal);
        }
    }

    /// Continues stopped processes, which handle a signal only when they run again. In a terminal, sends
    /// SIGHUP to processes that ignore the signal, as a closed terminal does: interactive shells ignore
    /// SIGTERM.
    fn wake(&self, found: &[Process], signal: Signal) {
        for process in found {
            process.identity.send(Signal::CONT);
            if self.has_terminal && ignores(process.identity.pid, signal) {
                process.identity.send(Signal::HUP);
            }
        }
    }

    pub(super) fn list(&self, listed: ProcessSelection) -> Vec<u32> {
        let command = self.command_pid();
        let session = command.as_raw_nonzero().get();
        self.below()
            .iter()
            .filter(|process| process.identity.pid != command && !process.is_exiting)
            .filter(|process| {
                listed == ProcessSelection::All
                    || process.session != session
                    || ignores_interrupts(process.identity.pid)
            })
            .map(|process| process.pid().unsigned_abs())
            .take(MAX_PIDS)
            .collect()
    }

    /// Returns the pid of the command, which is the leader without a sandbox.
    pub(super) fn command_pid(&self) -> Pid {
        self.confined.as_ref().and_then(ConfinedLeader::command).map_or(self.leader, |command| command.pid)
    }

    /// Returns the processes of the command, without those of its sandbox.
    fn below(&self) -> Vec<Process> {
        let mut found = descendants(getpid());
        if let Some(confined) = &self.confined {
            found.retain(|process| !confined.has(process, self.leader));
        }
        found
    }

    pub(super) fn remover(&self) -> Option<Pid> {
        self.confined.as_ref().and_then(ConfinedLeader::remover)
    }
}

/// Kills all descendants of this process but one, repeatedly until none is left. The leader stays a zombie.
pub(super) fn kill_below(leader: Option<Pid>, spared: Option<Pid>) {
    repeat_until(Instant::now() + KILL_DEADLINE, || {
        if let Some(leader) = leader {
            unreaped::signal_group(leader, Signal::KILL);
        }
        let mut below = descendants(getpid());
        below.retain(|process| Some(process.identity.pid) != spared);
        for process in &below {
            process.identity.send(Signal::KILL);
        }
        let mut is_alone = below.is_empty();
        for child in own_children() {
            is_alone &= [leader, spared].contains(&Some(child)) || reap(child).is_some();
        }
        is_alone
    });
}

/// Returns the children of this process, zombies too.
pub(in crate::helper) fn own_children() -> Vec<Pid> {
    let own = getpid();
    children_of(own).unwrap_or_else(|| {
        let table = snapshot().into_iter().filter(|row| row.parent == own.as_raw_nonzero().get());
        table.map(|row| row.identity.pid).collect()
    })
}
