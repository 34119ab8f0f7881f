//! The loop of a durable job: one thread that polls the hosts, the command's streams and its reaper.
//! `launch` starts the command, `client` is the connection of a host, `requests` handles what hosts want,
//! `streams` has the pipes of the command, `sandbox` what its sandbox refuses, and `ending` everything from a
//! stop to the stored end.

mod client;
mod ending;
mod launch;
mod requests;
mod sandbox;
mod streams;

use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::event::PollFlags;
use rustix::fs::Mode;
use rustix::net::sockopt::socket_peercred;
use rustix::process::getuid;

use self::client::HostConnection;
use self::launch::{LaunchedCommand, launch};
use self::sandbox::SupervisedSandbox;
use self::streams::JobStreams;
use super::deadlines::Deadlines;
use super::directory::{JobDirectory, JobsDirectory};
use super::log::writer::LogWriter;
use super::plan::{DurablePlan, StartRefusal};
use crate::helper::durable::protocol::JobEvent;
use crate::helper::polled::ready;
use crate::helper::supervisor::protocol::message::RemoteExit;
use crate::helper::supervisor::reaper::Reaper;
use crate::process::cgroup::tree::LimitedTree;
use crate::process::clock::since_boot;
use crate::process::directory::private::SharedDirectory;
use crate::wire;

/// The most attached hosts at a time.
const MAX_ATTACHED: usize = 16;

/// The most connections at a time: those of the attached hosts, and others that list, extend or end the job.
const MAX_CONNECTIONS: usize = 64;

/// The time between two attempts to write to a full disk.
const WRITE_RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// The id of the command in the frames of its reaper.
const COMMAND: u32 = 1;

/// The directory, lock, log and socket of a job, which stay open while it runs.
pub(super) struct JobFiles {
    pub(super) id: String,
    pub(super) jobs: JobsDirectory,
    pub(super) directory: JobDirectory,
    pub(super) lock: OwnedFd,
    pub(super) log: LogWriter,
    pub(super) listener: UnixListener,
    /// The descriptors that came with the start.
    pub(super) received: Vec<OwnedFd>,
}

/// A job that runs.
struct SupervisedJob {
    job: JobFiles,
    plan: DurablePlan,
    signals: OwnedFd,
    reaper: Reaper,
    /// The pid of the leader; 0 before it has started.
    leader: u32,
    streams: JobStreams,
    deadlines: Deadlines,
    clients: Vec<HostConnection>,
    last_client: u32,
    /// The hosts that wait for a list of processes, in the order of their questions.
    lists: VecDeque<u32>,
    exit: Option<RemoteExit>,
    /// Whether a signal to this process has ended the job.
    is_ended_by_system: bool,
    sandbox: Option<SupervisedSandbox>,
    tree: Option<LimitedTree>,
    next_check: Duration,
    next_retry: Option<Duration>,
}

/// A descriptor that the supervisor polls, with the id of its host or the index of its output.
#[derive(Clone, Copy)]
enum PollSource {
    Signals,
    Reaper,
    Listener,
    HostConnection(u32),
    Output(usize),
    Input,
    /// The input, which is watched for its closing.
    IdleInput,
}

/// Runs the job until none of its processes is left, and returns the exit code of this process.
pub(super) fn serve(mut job: JobFiles, mut plan: DurablePlan, host: OwnedFd, mask: Mode) -> u8 {
    let mut received = std::mem::take(&mut job.received).into_iter();
    let shared = plan
        .sandbox
        .as_ref()
        .and_then(|sandbox| Some(SharedDirectory::new(sandbox.directory.clone(), received.next()?)));
    let mut host = HostConnection::new(0, host, since_boot());
    host.has_hello = true;
    host.attends = true;
    let LaunchedCommand { reaper, signals, streams, tree } =
        match launch(&job, &mut plan, received.as_slice(), mask) {
            Ok(launched) => launched,
            Err(failure) => return not_started(&job, Some(&mut host), &failure),
        };
    // From here on, the sandbox has its mounts.
    drop(received);
    let now = since_boot();
    let milliseconds = Duration::from_millis;
    let mut deadlines =
        Deadlines::new(now, milliseconds(plan.facts.deadline), milliseconds(plan.facts.unattended));
    deadlines.timeout = plan.timeout.map(|timeout| now.saturating_add(milliseconds(timeout)));
    deadlines.idle = plan.idle.map(milliseconds);
    let next_check = now + milliseconds(plan.check.max(1));
    let running = SupervisedJob {
        job,
        signals,
        reaper,
        leader: 0,
        streams,
        deadlines,
        clients: vec![host],
        last_client: 0,
        lists: VecDeque::new(),
        exit: None,
        is_ended_by_system: false,
        tree,
        sandbox: plan.sandbox.take().zip(shared).map(|(plan, shared)| SupervisedSandbox::new(plan, shared)),
        next_check,
        next_retry: None,
        plan,
    };
    running.run()
}

/// Removes the job, of which nothing has run, and tells the host why.
fn not_started(job: &JobFiles, host: Option<&mut HostConnection>, failure: &StartRefusal) -> u8 {
    if let Ok(locked) = job.jobs.lock() {
        let _ = job.jobs.remove(&job.id, &locked);
    }
    if let Some(host) = host {
        host.push(&JobEvent::Failed(&wire::encode(failure)));
    }
    1
}

impl SupervisedJob {
    fn run(mut self) -> u8 {
        loop {
            for source in self.poll() {
                match source {
                    PollSource::Signals => self.take_signals(),
                    PollSource::Reaper => match self.hear_reaper() {
                        Ok(true) => {}
                        Ok(false) => return self.end(),
                        Err(failure) => {
                            let host = self.clients.iter_mut().find(|client| client.id == 0);
                            return not_started(&self.job, host, &failure);
                        }
                    },
                    PollSource::Listener => self.accept(),
                    PollSource::HostConnection(id) => self.hear_client(id),
                    PollSource::Output(at) => self.read_output(at),
                    PollSource::Input => self.feed(),
                    PollSource::IdleInput => {
                        let fed = self.streams.drop_input();
                        self.pass_on(&fed);
                    }
                }
            }
            self.handle_deadlines();
            self.drop_closed();
        }
    }

    /// Waits until something is ready, and returns it.
    fn poll(&self) -> Vec<PollSource> {
        let mut wanted: Vec<(PollSource, BorrowedFd<'_>, PollFlags)> = vec![
            (PollSource::Signals, self.signals.as_fd(), PollFlags::IN),
            (PollSource::Reaper, self.reaper.socket.as_fd(), PollFlags::IN),
            (PollSource::Listener, self.job.listener.as_fd(), PollFlags::IN),
        ];
        for client in &self.clients {
            let flags = if client.has_unsent() { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
            wanted.push((PollSource::HostConnection(client.id), client.socket.as_fd(), flags));
        }
        if self.leader != 0 {
            // The report of the start comes first.
            wanted.extend(
                self.streams.readable().map(|(at, pipe)| (PollSource::Output(at), pipe, PollFlags::IN)),
            );
            wanted.extend(self.streams.writable().map(|(pipe, has_input)| {
                if has_input {
                    (PollSource::Input, pipe, PollFlags::OUT)
                } else {
                    (PollSource::IdleInput, pipe, PollFlags::empty())
                }
            }));
        }
        ready(&wanted, self.next_time().saturating_sub(since_boot()))
    }

    fn next_time(&self) -> Duration {
        let times = [Some(self.next_check), self.deadlines.next(), self.streams.next(), self.next_retry];
        let greetings = self.clients.iter().filter_map(HostConnection::greeting_due);
        times.into_iter().flatten().chain(greetings).min().unwrap_or(self.next_check)
    }

    fn read_output(&mut self, at: usize) {
        let now = since_boot();
        if self.streams.read(at, now, &mut self.job.log) {
            self.deadlines.active_at = now;
            self.report_growth(now);
        }
    }

    /// Reports to the hosts that wait for output that there is more.
    fn report_growth(&mut self, now: Duration) {
        if self.job.log.is_waiting() {
            self.next_retry.get_or_insert(now + WRITE_RETRY_INTERVAL);
        }
        let cursor = self.job.log.cursor();
        self.clients.iter_mut().for_each(|client| client.report_growth(cursor));
    }

    fn handle_deadlines(&mut self) {
        let now = since_boot();
        if self.streams.next().is_some_and(|at| at <= now) {
            self.streams.release(now, &mut self.job.log);
            self.report_growth(now);
        }
        if self.next_retry.take_if(|at| *at <= now).is_some() {
            self.job.log.retry();
            self.report_growth(now);
        }
        if self.next_check <= now {
            self.next_check = now + Duration::from_millis(self.plan.check.max(1));
            self.check_directory();
        }
        self.follow_deadlines(now);
    }

    /// Accepts hosts of the same user, and root.
    fn accept(&mut self) {
        while let Ok((socket, _)) = self.job.listener.accept() {
            let socket = OwnedFd::from(socket);
            let is_ours =
                socket_peercred(&socket).is_ok_and(|peer| peer.uid == getuid() || peer.uid.is_root());
            if !is_ours {
                continue;
            }
            self.last_client += 1;
            let mut client = HostConnection::new(self.last_client, socket, since_boot());
            if self.clients.len() >= MAX_CONNECTIONS {
                client.push(&JobEvent::Refused(b"limit"));
                continue;
            }
            self.clients.push(client);
        }
    }

    fn drop_closed(&mut self) {
        let now = since_boot();
        self.clients.retain(|client| !client.is_closed && client.greeting_due().is_none_or(|due| due > now));
        let attached = self.attached();
        self.deadlines.attend(now, attached);
    }

    fn attached(&self) -> usize {
        self.clients.iter().filter(|client| client.attends).count()
    }

    /// Returns a time since the boot as the time of day (ms since 1970).
    fn as_date(time: Duration) -> u64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let date = (now + time).saturating_sub(since_boot());
        u64::try_from(date.as_millis()).unwrap_or(u64::MAX)
    }
}
