//! The end of a durable job: stops, time limits, and what is stored.

use std::os::fd::AsFd;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, fstat, statat, unlinkat};
use rustix::process::{Signal, WaitOptions, wait};

use super::requests::are_served;
use super::{COMMAND, SupervisedJob};
use crate::helper::durable::deadlines::{DeadlineAction, GRACE_AT_DEADLINE};
use crate::helper::durable::protocol::JobEvent;
use crate::helper::durable::record::end::{EndCause, JobEnd, JobUsage, KILLED, LeaderExit, SYSTEM};
use crate::helper::durable::record::{limited, refused};
use crate::helper::durable::start::{SOCKET, listen};
use crate::helper::supervisor::protocol::enums::SignalScope;
use crate::helper::supervisor::protocol::message::{RemoteExit, ToSupervisor};
use crate::helper::supervisor::reaper::own_children;
use crate::process::cgroup::tree::scope_holder;
use crate::process::clock::since_boot;
use crate::process::identity::Identity;
use crate::process::tree::kill_escaped;

/// The longest time that hosts have to take the end. Others read it from its file.
const END_DELIVERY_DEADLINE: Duration = Duration::from_secs(1);

/// The longest time that orphans of a killed reaper have to die.
const ORPHANS_DEADLINE: Duration = Duration::from_secs(8);

/// The time between two checks of what is left at the end.
const END_CHECK_INTERVAL: Duration = Duration::from_millis(2);

impl SupervisedJob {
    /// Ends the job: this signal to all processes, and SIGKILL after the grace.
    pub(super) fn stop(&mut self, cause: EndCause, signal: i32, grace: Option<Duration>) {
        let is_kill = signal == Signal::KILL.as_raw();
        self.deadlines.stop(since_boot(), cause, if is_kill { Some(Duration::ZERO) } else { grace });
        if !is_kill {
            self.reaper.send(COMMAND, &ToSupervisor::Signal { number: signal, scope: SignalScope::End });
        }
        self.follow_deadlines(since_boot());
    }

    /// Ends the job as its plan says. A job whose directory is gone, or that the system ends, is killed after
    /// a grace in any case: nobody finds it any more.
    pub(super) fn stop_by_plan(&mut self, cause: EndCause) {
        let grace = self.plan.grace.map(Duration::from_millis);
        let is_forced = cause == EndCause::Kill;
        self.stop(cause, self.plan.signal, grace.or(is_forced.then_some(GRACE_AT_DEADLINE)));
    }

    /// Acts on the time limits.
    pub(super) fn follow_deadlines(&mut self, now: Duration) {
        match self.deadlines.take_due(now) {
            Some(DeadlineAction::Stop(cause)) => self.stop_by_plan(cause),
            Some(DeadlineAction::Kill) => self.kill(),
            None => {}
        }
    }

    /// Restores a socket that was removed, and ends a job whose directory was.
    pub(super) fn check_directory(&mut self) {
        if fstat(&self.job.directory).is_ok_and(|status| status.st_nlink == 0) {
            return self.stop_by_plan(EndCause::Kill);
        }
        let there = statat(&self.job.directory, SOCKET, AtFlags::SYMLINK_NOFOLLOW);
        if there.is_err()
            && let Ok(listener) = listen(&self.job.directory)
        {
            self.job.listener = listener;
        }
    }

    /// Notes the exit of the leader, behind what it has written. Other processes may go on with the job.
    pub(super) fn leader_exited(&mut self, exit: RemoteExit) {
        let now = since_boot();
        self.streams.leader_exited(now, &mut self.job.log);
        self.report_growth(now);
        self.exit = Some(exit);
        if !exit.is_alone {
            let lines = self.describe(Some(exit)).lines();
            self.send_to_all(&JobEvent::Exited(lines));
        }
    }

    /// Stores the end, and tells it to the hosts: no process is left.
    pub(super) fn end(mut self) -> u8 {
        self.end_orphans();
        let now = since_boot();
        self.streams.finish(now, &mut self.job.log);
        let (total, dropped) = self.job.log.finish();
        let end = JobEnd { total, dropped, ..self.describe(self.exit) };
        if let Some(sandbox) = &self.sandbox {
            let _ = self.job.directory.replace(refused::FILE, &sandbox.record_of_end().encode());
        }
        self.store_limits();
        // Readers have the end last.
        let _ = self.job.directory.store_end(&end);
        // From here on, hosts find the end in its file.
        let _ = unlinkat(self.job.directory.as_fd(), SOCKET, AtFlags::empty());
        self.send_to_all(&JobEvent::Ended(end.lines()));
        let until = Instant::now() + END_DELIVERY_DEADLINE;
        while !are_served(&self.clients) && Instant::now() < until {
            thread::sleep(END_CHECK_INTERVAL);
            self.clients.iter_mut().for_each(super::client::HostConnection::flush);
        }
        0
    }

    /// Stores which limits hold for all processes together, and what the kernel has counted.
    pub(super) fn store_limits(&self) {
        if let Some(tree) = &self.tree {
            let _ = self.job.directory.replace(limited::FILE, &limited::encode(&tree.report()));
        }
    }

    /// Waits for the death of what a killed reaper has left, which this process has got as its children.
    fn end_orphans(&self) {
        let until = Instant::now() + ORPHANS_DEADLINE;
        loop {
            while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
            if own_children().iter().all(|&child| Some(child) == scope_holder()) || Instant::now() > until {
                return;
            }
            self.orphans().into_iter().filter_map(Identity::of).for_each(kill_escaped);
            thread::sleep(END_CHECK_INTERVAL);
        }
    }

    /// Describes the end so far. Without an exit, the reaper was killed.
    pub(super) fn describe(&self, exit: Option<RemoteExit>) -> JobEnd {
        let cause = match exit {
            Some(_) => self.deadlines.cause().unwrap_or(EndCause::Exit),
            None => EndCause::Lost,
        };
        let leader = exit.map(|exit| match exit {
            RemoteExit { value, is_signal: false, .. } => LeaderExit::Code(value.cast_signed()),
            RemoteExit { value, .. } => LeaderExit::Signal(value.cast_signed()),
        });
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let reason = match cause {
            EndCause::Lost => Some(KILLED),
            EndCause::Kill if self.is_ended_by_system => Some(SYSTEM),
            _ => None,
        };
        JobEnd {
            cause,
            exit: leader,
            at: u64::try_from(at.as_millis()).unwrap_or(u64::MAX),
            total: self.job.log.cursor(),
            dropped: self.job.log.dropped(),
            usage: exit.map(|exit| JobUsage {
                user: exit.user,
                system: exit.system,
                peak_memory: exit.peak_memory,
                wall: exit.wall,
            }),
            reason: reason.map(str::to_owned),
        }
    }
}
