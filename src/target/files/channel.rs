//! The channel to the process on a target that serves file requests, and its task on the I/O thread.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::mpsc::error::SendError;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::Reply;
use super::by_shell::ShellFiles;
use crate::engine::Engine;
use crate::helper::supervisor::protocol::plan::{RemotePlan, Role};
use crate::process::errno::Errno;
use crate::process::files::message::{MessageReader, put};
use crate::process::files::request::{Request, Response};
use crate::process::helper_program::FILES;
use crate::process::pipe::{PipeReader, PipeWriter, Read, Write};
use crate::process::registry::Owner;
use crate::target::error::TargetError;
use crate::target::remote_command::{RemoteCommand, RemoteEnd};
use crate::target::{RemoteStart, StartError, StartedCommand, Target};

/// The time without a request after which the process there ends. The next request starts another one in
/// about 2 ms and a round trip.
const IDLE_TIMEOUT: Duration = Duration::from_secs(2);

/// The time in which a connection whose streams have ended reports why.
const END_DEADLINE: Duration = Duration::from_secs(2);

/// The unsent bytes above which no further request is encoded.
const FULL: usize = 1024 * 1024;

/// The size of one read (bytes).
const CHUNK: usize = 256 * 1024;

/// A message of a caller to the task.
enum Sent {
    Request(Box<Request>, oneshot::Sender<Reply>),
    /// Some callers have gone.
    Check,
}

/// The way to one process. The process ends with the last copy of this, or after [`IDLE_TIMEOUT`].
#[derive(Clone, Debug)]
pub(super) struct Channel {
    sender: UnboundedSender<Sent>,
    waiting: Arc<AtomicUsize>,
}

impl Channel {
    /// Starts the task, which starts the process with the first request.
    pub(super) fn open(engine: &'static Engine, owner: &Owner, target: Arc<Target>) -> Self {
        let (sender, inbox) = unbounded_channel();
        let waiting = Arc::<AtomicUsize>::default();
        let task = Task {
            engine,
            owner: owner.clone(),
            target,
            inbox,
            waiting: Arc::clone(&waiting),
            replies: VecDeque::new(),
        };
        engine.runtime().spawn(task.run());
        Self { sender, waiting }
    }

    pub(super) fn is_open(&self) -> bool {
        !self.sender.is_closed()
    }

    /// Returns the number of requests without an answer.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Sends a request, and returns it if the process has ended, or ends because it was idle.
    pub(super) fn send(&self, request: Box<Request>) -> Result<oneshot::Receiver<Reply>, Box<Request>> {
        let (sender, reply) = oneshot::channel();
        self.waiting.fetch_add(1, Ordering::Relaxed);
        match self.sender.send(Sent::Request(request, sender)) {
            Err(SendError(Sent::Request(request, _))) => Err(request),
            _ => Ok(reply),
        }
    }

    /// Makes the task look whether any caller waits for an answer.
    pub(super) fn check(&self) {
        let _ = self.sender.send(Sent::Check);
    }
}

struct Task {
    engine: &'static Engine,
    owner: Owner,
    target: Arc<Target>,
    inbox: UnboundedReceiver<Sent>,
    waiting: Arc<AtomicUsize>,
    /// The callers that wait for answers, in the order of their requests.
    replies: VecDeque<oneshot::Sender<Reply>>,
}

/// The process and its streams.
struct Process {
    command: RemoteCommand,
    writer: PipeWriter,
    reader: PipeReader,
    messages: MessageReader,
    /// The encoded requests, of which `written` bytes are in the pipe.
    out: Vec<u8>,
    written: usize,
}

/// The event that woke the task.
enum Woken {
    Sent(Option<Sent>),
    Streams,
    Idle,
}

impl Task {
    async fn run(mut self) {
        let (request, reply) = loop {
            match self.inbox.recv().await {
                Some(Sent::Request(request, reply)) => break (*request, reply),
                Some(Sent::Check) => {}
                None => return,
            }
        };
        match self.start().await {
            Ok(mut process) => {
                put(&request, &mut process.out);
                self.replies.push_back(reply);
                let error = self.serve(process).await;
                self.fail(&error);
            }
            Err(error) if error.code == "TARGET_DEGRADED" => {
                self.serve_by_shell(request, reply).await;
            }
            Err(error) => {
                self.replies.push_back(reply);
                self.fail(&error);
            }
        }
    }

    async fn start(&self) -> Result<Process, TargetError> {
        let plan = RemotePlan {
            words: vec![vec![b"/proc/self/exe".to_vec(), FILES.as_bytes().to_vec()]],
            has_input: true,
            role: Role::Files,
            ..RemotePlan::default()
        };
        let (start, started) = RemoteStart::without_job(plan, None);
        self.target.start(self.engine, &self.owner, start);
        let failed = |errno: i32| {
            let name = Errno(errno).name();
            TargetError::new("TARGET_START", format!("The process for files can't be started there: {name}."))
        };
        match started.await.unwrap_or_else(|_| Err(TargetError::closed().into())) {
            Ok(StartedCommand { command, stdin: Some(stdin), stdout: Some(stdout), .. }) => {
                let of_system = |error: std::io::Error| failed(Errno::of(&error).0);
                Ok(Process {
                    command,
                    writer: PipeWriter::new(stdin).map_err(of_system)?,
                    reader: PipeReader::new(stdout).map_err(of_system)?,
                    messages: MessageReader::default(),
                    out: Vec::new(),
                    written: 0,
                })
            }
            Ok(_) => Err(failed(libc::EPIPE)),
            Err(StartError::Target(error)) => Err(error),
            Err(StartError::Failed { errno, .. } | StartError::System(errno)) => Err(failed(errno)),
        }
    }

    /// Talks to the process until nobody needs it. Returns the error for those who still wait.
    async fn serve(&mut self, mut process: Process) -> TargetError {
        let mut is_sender_gone = false;
        loop {
            let mut is_closed = process.write().is_err();
            is_closed |= !self.take_answers(&mut process);
            if is_closed {
                return lost(&mut process.command).await;
            }
            if is_sender_gone && self.replies.iter().all(oneshot::Sender::is_closed) {
                return TargetError::closed();
            }
            match self.next(&mut process, is_sender_gone).await {
                Woken::Sent(Some(Sent::Request(request, reply))) => {
                    if is_abandoned(&request, &reply) {
                        self.waiting.fetch_sub(1, Ordering::Relaxed);
                        continue;
                    }
                    put(&*request, &mut process.out);
                    self.replies.push_back(reply);
                }
                Woken::Sent(Some(Sent::Check)) => {
                    let is_abandoned = self.replies.iter().all(oneshot::Sender::is_closed);
                    if is_abandoned && !self.replies.is_empty() {
                        return TargetError::closed();
                    }
                }
                Woken::Sent(None) => is_sender_gone = true,
                Woken::Streams => {}
                Woken::Idle => {
                    self.inbox.close();
                    is_sender_gone = self.inbox.is_empty();
                }
            }
        }
    }

    async fn next(&mut self, process: &mut Process, is_sender_gone: bool) -> Woken {
        let takes_more = !is_sender_gone && process.unwritten() < FULL;
        let has_unsent = process.unwritten() > 0;
        let is_idle = self.replies.is_empty() && !is_sender_gone && !self.inbox.is_closed();
        let idle = self.target.shared.options.idle().min(IDLE_TIMEOUT);
        let Process { reader, writer, .. } = process;
        // Nobody waits for the answers of a copy that was aborted.
        let abandoned = async {
            match self.replies.back_mut() {
                Some(reply) if is_sender_gone => reply.closed().await,
                _ => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            sent = self.inbox.recv(), if takes_more => Woken::Sent(sent),
            _ = reader.ready() => Woken::Streams,
            _ = writer.ready(), if has_unsent => Woken::Streams,
            () = abandoned => Woken::Streams,
            () = sleep(idle), if is_idle => Woken::Idle,
        }
    }

    /// Passes the answers on that have arrived. Returns whether more may come.
    fn take_answers(&mut self, process: &mut Process) -> bool {
        let mut bytes = Vec::with_capacity(CHUNK);
        let is_open = match process.reader.read(&mut bytes) {
            Read::Bytes(_) | Read::Empty => true,
            Read::End | Read::Failed(_) => false,
        };
        process.messages.push(&bytes);
        loop {
            match process.messages.next_message::<Response>() {
                Ok(Some(answer)) => {
                    let Some(reply) = self.replies.pop_front() else { return false };
                    self.waiting.fetch_sub(1, Ordering::Relaxed);
                    let _ = reply.send(Ok(answer));
                }
                Ok(None) => return is_open,
                Err(_) => return false,
            }
        }
    }

    /// Carries the requests out by commands, where no helper runs.
    async fn serve_by_shell(&mut self, request: Request, reply: oneshot::Sender<Reply>) {
        let mut next = Some((request, reply));
        loop {
            if let Some((request, mut reply)) = next.take() {
                let Self { engine, owner, target, .. } = &*self;
                let files = ShellFiles { engine, owner, target };
                tokio::select! {
                    answer = files.perform(&request) => drop(reply.send(answer)),
                    () = reply.closed() => {}
                }
                self.waiting.fetch_sub(1, Ordering::Relaxed);
            }
            match self.inbox.recv().await {
                Some(Sent::Request(request, reply)) => next = Some((*request, reply)),
                Some(Sent::Check) => {}
                None => return,
            }
        }
    }

    /// Reports an error to all who wait.
    fn fail(&mut self, error: &TargetError) {
        self.inbox.close();
        while let Ok(sent) = self.inbox.try_recv() {
            if let Sent::Request(_, reply) = sent {
                self.replies.push_back(reply);
            }
        }
        for reply in self.replies.drain(..) {
            let _ = reply.send(Err(error.clone()));
        }
    }
}

impl Process {
    /// Writes what the pipe takes.
    fn write(&mut self) -> Result<(), ()> {
        while self.unwritten() > 0 {
            match self.writer.write(&self.out[self.written..]) {
                Write::Bytes(count) => self.written += count,
                Write::Full => break,
                Write::Closed => return Err(()),
            }
        }
        // Moving the rest costs as much as it has bytes, and a pipe takes a quarter of it at a time.
        if self.unwritten() == 0 || self.written >= 4 * FULL {
            self.out.drain(..self.written);
            self.written = 0;
        }
        Ok(())
    }

    const fn unwritten(&self) -> usize {
        self.out.len() - self.written
    }
}

/// Returns whether a request needs not be sent, because its caller has gone: the removal behind the pieces of
/// an aborted copy does not wait for them on a slow network. Nobody waits for some removals.
fn is_abandoned(request: &Request, reply: &oneshot::Sender<Reply>) -> bool {
    reply.is_closed() && !matches!(request, Request::DropPartial { .. })
}

/// Returns why the streams have ended.
async fn lost(command: &mut RemoteCommand) -> TargetError {
    let _ = timeout(END_DEADLINE, command.changed(false)).await;
    match command.end() {
        Some(RemoteEnd::Lost(error)) => error,
        _ => TargetError::new("TARGET_LOST", "The process for files on the target was ended."),
    }
}
