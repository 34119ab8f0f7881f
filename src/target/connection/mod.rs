//! The connection of a target: one task of the I/O thread that owns the stream, from the start of the
//! transport to its end.
//!
//! `open` opens a connection by the handshake in `greet`, `stream` has the pipes of the transport, and `live`
//! is a command with the pipes between it and its job. `requests` handles what jobs ask for, and `messages`
//! what arrives from the supervisor. `ports` has the connections of ports.

mod greet;
mod live;
mod messages;
pub(super) mod open;
mod ports;
mod requests;
pub(super) mod stream;

use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::sync::Weak;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, WeakUnboundedSender};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};
use tracing::debug;

use self::live::Live;
use self::open::{NotOpen, Open, open};
use self::ports::PortTable;
use self::stream::{Ended, Stream};
use super::error::TargetError;
use super::ports::gate::PortOutgoing;
use super::remote_command::TargetReport;
use super::{ConnectionPhase, RemoteStart, SharedTarget, TargetRequest};
use crate::engine::Engine;
use crate::helper::supervisor::protocol::frame::FrameReader;
use crate::helper::supervisor::protocol::message::ToSupervisor;
use crate::process::clock::since_boot;
use crate::process::registry::Owner;

/// The number of unsent bytes above which the connection takes no more input and no requests.
const FULL: usize = 256 * 1024;

/// The most commands that run at a time. Further ones wait in the connection.
const MAX_COMMANDS: usize = 256;

/// The requests to a target where no helper can run.
pub(super) struct WithoutHelper {
    /// The reason why none runs.
    pub(super) why: TargetError,
    pub(super) waiting: VecDeque<TargetRequest>,
    pub(super) inbox: UnboundedReceiver<TargetRequest>,
}

/// Runs the connection of a target. `own` is its own sender, for the commands that it starts. Returns what is
/// left to do where no helper can run, if commands may run without.
pub(super) async fn connect(
    engine: &'static Engine,
    owner: Owner,
    shared: Weak<SharedTarget>,
    own: WeakUnboundedSender<TargetRequest>,
    mut inbox: UnboundedReceiver<TargetRequest>,
) -> Option<WithoutHelper> {
    let target = shared.upgrade()?;
    let mut waiting = VecDeque::new();
    let opened = {
        let (cancel, cancelled) = oneshot::channel();
        let mut cancel = Some(cancel);
        let opening = open(engine, &owner, &target, cancelled);
        tokio::pin!(opening);
        loop {
            tokio::select! {
                opened = &mut opening => break opened,
                request = inbox.recv() => match request {
                    Some(TargetRequest::Dispose) => {
                        waiting.push_back(TargetRequest::Dispose);
                        drop(cancel.take());
                    }
                    Some(request) => waiting.push_back(request),
                    None => break Err(TargetError::closed().into()),
                },
            }
        }
    };
    let (idle, interval, deadline) =
        (target.options.idle(), target.options.heartbeat_interval(), target.options.heartbeat_deadline());
    let name = target.transport_command.name.clone();
    let is_own_container = target.options.own_container().is_some();
    drop(target);
    match opened {
        Ok(Open { stream, frames, report }) => {
            set_phase(&shared, ConnectionPhase::Open);
            debug!(name, ?report, "target connected");
            let connection = Connection {
                stream,
                frames,
                report,
                name,
                is_own_container,
                commands: BTreeMap::new(),
                ports: PortTable::new(),
                waiting: VecDeque::new(),
                last_id: 0,
                own,
                window: 0,
                pinged_at: None,
                next_ping: Instant::now(),
                last_heard: since_boot(),
                idle_since: Some(Instant::now()),
                times: ConnectionTimes { idle, interval, deadline },
            };
            connection.run(&shared, inbox, waiting).await;
        }
        Err(NotOpen::WithoutHelper(why)) => {
            set_phase(&shared, ConnectionPhase::Open);
            debug!(name, %why, "target without a helper");
            return Some(WithoutHelper { why, waiting, inbox });
        }
        Err(NotOpen::Failed { error, stream, is_open }) => {
            debug!(name, %error, "target not connected");
            set_phase(&shared, ConnectionPhase::Lost);
            forget(&shared, &own);
            refuse(inbox, waiting, &error).await;
            if let Some(stream) = stream {
                stream.finish(is_open).await;
            }
        }
    }
    None
}

fn set_phase(shared: &Weak<SharedTarget>, phase: ConnectionPhase) {
    if let Some(target) = shared.upgrade() {
        target.lock().phase = phase;
    }
}

/// Makes the target open a new connection for its next command.
fn forget(shared: &Weak<SharedTarget>, own: &WeakUnboundedSender<TargetRequest>) {
    let (Some(target), Some(own)) = (shared.upgrade(), own.upgrade()) else { return };
    let mut state = target.lock();
    if state.requests.as_ref().is_some_and(|requests| requests.same_channel(&own)) {
        state.requests = None;
    }
}

/// Refuses the commands that will not be started.
async fn refuse(
    mut inbox: UnboundedReceiver<TargetRequest>,
    mut waiting: VecDeque<TargetRequest>,
    error: &TargetError,
) {
    inbox.close();
    while let Some(request) = inbox.recv().await {
        waiting.push_back(request);
    }
    for request in waiting {
        request.refuse(error);
    }
}

struct Connection {
    stream: Stream,
    frames: FrameReader,
    /// The report for results. That of the first command has the time of connecting.
    report: TargetReport,
    name: String,
    /// Whether the container is made anew for the next connection.
    is_own_container: bool,
    commands: BTreeMap<u32, Live>,
    ports: PortTable,
    /// Commands that wait for the end of others.
    waiting: VecDeque<Box<RemoteStart>>,
    last_id: u32,
    own: WeakUnboundedSender<TargetRequest>,
    /// The window of an output (bytes), once the round trip is known.
    window: usize,
    pinged_at: Option<Instant>,
    next_ping: Instant,
    /// The time of the last frame. The time that a machine sleeps counts.
    last_heard: Duration,
    idle_since: Option<Instant>,
    times: ConnectionTimes,
}

#[derive(Clone, Copy)]
struct ConnectionTimes {
    idle: Duration,
    interval: Duration,
    deadline: Duration,
}

/// The reasons why a connection ends.
enum ConnectionEnd {
    /// No command and no reference needs the connection.
    Unused,
    Disposed,
    Lost(TargetError),
}

enum ConnectionWake {
    Request(Option<TargetRequest>),
    Stream,
    Pipes,
    Port(PortOutgoing),
    Time,
}

impl Connection {
    async fn run(
        mut self,
        shared: &Weak<SharedTarget>,
        mut inbox: UnboundedReceiver<TargetRequest>,
        waiting: VecDeque<TargetRequest>,
    ) {
        let end = self.serve(shared, &mut inbox, waiting).await;
        set_phase(
            shared,
            if matches!(end, ConnectionEnd::Lost(_)) { ConnectionPhase::Lost } else { ConnectionPhase::New },
        );
        forget(shared, &self.own);
        let error = match &end {
            ConnectionEnd::Lost(error) => error.clone(),
            ConnectionEnd::Unused | ConnectionEnd::Disposed => TargetError::closed(),
        };
        debug!(name = self.name, %error, "target disconnected");
        let waiting = self.waiting.drain(..).map(TargetRequest::Start).collect();
        match end {
            ConnectionEnd::Lost(_) => self.lose_all(&error),
            ConnectionEnd::Unused | ConnectionEnd::Disposed => ToSupervisor::Bye.put(0, self.stream.out()),
        }
        refuse(inbox, waiting, &error).await;
        let Self { stream, mut commands, ports, .. } = self;
        ports.end(error.clone()).await;
        // The supervisor exits when all processes are dead. So no process is left on the target when the
        // commands of a disposed target are reported as over.
        stream.finish(true).await;
        for command in commands.values_mut() {
            command.lose(&error);
        }
    }

    /// Reports all commands as lost.
    fn lose_all(&mut self, error: &TargetError) {
        for command in self.commands.values_mut() {
            command.lose(error);
        }
        self.commands.clear();
    }

    /// Serves the stream and the pipes until the end.
    async fn serve(
        &mut self,
        shared: &Weak<SharedTarget>,
        inbox: &mut UnboundedReceiver<TargetRequest>,
        waiting: VecDeque<TargetRequest>,
    ) -> ConnectionEnd {
        for request in waiting {
            if let Some(end) = self.handle_request(request) {
                return end;
            }
        }
        loop {
            if let Err(error) = self.handle_frames() {
                return ConnectionEnd::Lost(error);
            }
            self.relay();
            if self.stream.flush().is_err() {
                let reason = self.stream.reason().await;
                return ConnectionEnd::Lost(TargetError::lost(&self.name, &reason));
            }
            match self.next(inbox).await {
                ConnectionWake::Request(Some(request)) => {
                    if let Some(end) = self.handle_request(request) {
                        return end;
                    }
                }
                ConnectionWake::Request(None) => return ConnectionEnd::Unused,
                ConnectionWake::Stream => {
                    let mut bytes = Vec::new();
                    match self.stream.read(&mut bytes) {
                        Ok(0) => {}
                        Ok(_) => {
                            self.last_heard = since_boot();
                            self.frames.push(&bytes);
                        }
                        Err(Ended) => {
                            let reason = self.stream.reason().await;
                            return ConnectionEnd::Lost(TargetError::lost(&self.name, &reason));
                        }
                    }
                }
                ConnectionWake::Pipes => {}
                ConnectionWake::Port(outgoing) => self.ports.send(outgoing, self.stream.out()),
                ConnectionWake::Time => {
                    if since_boot().saturating_sub(self.last_heard) > self.times.deadline {
                        let seconds = self.times.deadline.as_secs_f64();
                        let reason = format!("no sign of life for {seconds} s");
                        return ConnectionEnd::Lost(TargetError::lost(&self.name, &reason));
                    }
                    self.ping();
                    let is_idle = self.idle_since.is_some_and(|since| since.elapsed() >= self.times.idle);
                    if is_idle && SharedTarget::close_if_idle(shared, inbox) {
                        return ConnectionEnd::Unused;
                    }
                }
            }
        }
    }

    async fn next(&mut self, inbox: &mut UnboundedReceiver<TargetRequest>) -> ConnectionWake {
        let takes_more = self.stream.unsent() < FULL;
        let idle_at = self.idle_since.map(|since| since + self.times.idle);
        let time = idle_at.map_or(self.next_ping, |idle| idle.min(self.next_ping));
        let (commands, ports) = (&mut self.commands, &mut self.ports);
        let pipes = poll_fn(|context| {
            let is_ready = |command: &mut Live| command.poll_ready(context, takes_more);
            let is_any = commands.values_mut().map(is_ready).fold(false, |any, is_ready| any | is_ready);
            if is_any { Poll::Ready(()) } else { Poll::Pending }
        });
        tokio::select! {
            biased;
            request = inbox.recv(), if takes_more => ConnectionWake::Request(request),
            () = self.stream.ready() => ConnectionWake::Stream,
            () = pipes => ConnectionWake::Pipes,
            outgoing = ports.next(), if takes_more => ConnectionWake::Port(outgoing),
            () = sleep_until(time) => ConnectionWake::Time,
        }
    }

    fn ping(&mut self) {
        let now = Instant::now();
        if now >= self.next_ping {
            self.next_ping = now + self.times.interval;
            self.pinged_at = Some(now);
            ToSupervisor::Ping(&[]).put(0, self.stream.out());
        }
    }

    /// Copies bytes between all pipes and the stream.
    fn relay(&mut self) {
        let takes_input = self.stream.unsent() < FULL;
        for (&id, command) in &mut self.commands {
            command.relay(id, self.stream.out(), takes_input);
        }
        self.ports.relay(&mut self.stream);
        self.commands.retain(|_, command| !command.is_over());
        while self.commands.len() < MAX_COMMANDS
            && let Some(start) = self.waiting.pop_front()
        {
            self.start(*start);
        }
        if self.commands.is_empty() && !self.ports.is_used() {
            self.idle_since.get_or_insert_with(Instant::now);
        } else {
            self.idle_since = None;
        }
    }
}
