//! The queue of events from the engine's threads to JavaScript's thread.
//!
//! Jobs post messages; the first message in an empty mailbox wakes JavaScript. Each turn of the event loop
//! takes a bounded number of messages, so that a flood of output can't starve timers and sockets.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use napi::bindgen_prelude::{BufferSlice, Env, FnArgs, Function, Result};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode, UnknownReturnValue};

use super::result::event::{ByteStreams, Event, EventKind};
use super::result::files::{FilesAnswer, FilesOutcome};
use super::result::live::waiting::{InputWaitState, PortState};
use super::result::run_result::RunResult;
use crate::job::io::backpressure::Backpressure;
use crate::job::io::observer::StreamName;
use crate::job::ports::ListeningPort;
use crate::job::prompts::Prompt;
use crate::job::state::CommandState;
use crate::job::waiting::InputWait;
use crate::sandbox::intercept::process::NeededValue;
use crate::sandbox::network::ask::ConnectEvent;
use crate::text::Chunk;

/// The most messages, and the most bytes of output, that one turn of the event loop takes.
const TURN_MESSAGES: usize = 256;
const TURN_BYTES: usize = 512 * 1024;

/// The arguments of JavaScript's `deliver(events, isMore)`.
pub type Delivery = FnArgs<(Vec<Event>, bool)>;

type Wakeup = ThreadsafeFunction<(), UnknownReturnValue, Delivery, napi::Status, false, true>;

/// A message of a job.
#[derive(Debug)]
pub enum Message {
    /// The answer of `bash()`.
    Answer(u32, String),
    /// A chunk of a stream, and the backpressure that counts it until JavaScript takes it.
    Output(u32, StreamName, Chunk, Arc<Backpressure>),
    /// The unfinished lines of a job's standard output and standard error.
    Unfinished(u32, [String; 2]),
    /// The process of a job runs, and has this pid.
    Spawned(u32, i32),
    /// A piece that was written to a job was taken.
    Drained(u32),
    /// A job has begun to wait for input.
    Waiting(u32, Box<InputWait>),
    /// The answer whether a job waits for input.
    InputChecked(u32, Option<Box<InputWait>>),
    /// The ports that a job listens on.
    Ports(u32, Vec<ListeningPort>),
    /// A question about a connection of a job, or its end.
    Connecting(u32, ConnectEvent),
    /// A question for the value of a credential, of a scope.
    NeedsValue(u32, NeededValue),
    /// A question of a program of a job.
    Prompt(u32, Box<Prompt>),
    /// The number of a prompt that needs no answer any more.
    PromptOver(u32, u32),
    /// The state of a job.
    State(u32, Box<CommandState>),
    /// The engine has read output that JavaScript waits for.
    Changed(u32),
    /// The engine has read output that an observer waits for.
    Observed(u32),
    /// A job goes on in the background.
    Background(u32, Box<DeliveredResult>),
    /// The answer to a call about files.
    Files(u32, Box<FilesOutcome>),
    /// The end of a job.
    End(u32, Box<DeliveredResult>),
}

/// The result of a command, and its output if that stays bytes, which only JavaScript's thread can convert.
#[derive(Debug)]
pub struct DeliveredResult {
    pub result: RunResult,
    pub bytes: Option<[Vec<u8>; 2]>,
}

impl From<RunResult> for DeliveredResult {
    fn from(result: RunResult) -> Self {
        Self { result, bytes: None }
    }
}

/// The messages for one Node.js environment.
#[derive(Default)]
pub struct Mailbox {
    queue: Mutex<Queue>,
    wakeup: OnceLock<Mutex<Wakeup>>,
}

#[derive(Default)]
struct Queue {
    messages: VecDeque<Message>,
    /// Whether JavaScript was woken, and has not taken all messages since.
    is_awake: bool,
    is_closed: bool,
}

impl std::fmt::Debug for Mailbox {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Mailbox").finish_non_exhaustive()
    }
}

impl Mailbox {
    /// Delivers queued and future messages to `deliver`.
    ///
    /// # Errors
    ///
    /// When Node can't make a threadsafe function.
    pub fn attach(self: &Arc<Self>, deliver: &Function<Delivery, UnknownReturnValue>) -> Result<()> {
        let inside = Arc::downgrade(self);
        let wakeup =
            deliver.build_threadsafe_function::<()>().weak::<true>().build_callback(move |call| {
                let Some(mailbox) = inside.upgrade() else { return Ok((Vec::new(), false).into()) };
                mailbox.take(call.env).map(Into::into)
            })?;
        self.wakeup.get_or_init(|| Mutex::new(wakeup));
        let is_waiting = !self.lock().messages.is_empty();
        // A message that is posted meanwhile may wake JavaScript too; the second delivery is empty then.
        if is_waiting {
            self.wake();
        }
        Ok(())
    }

    /// Posts a message. Drops it if the environment has ended.
    pub fn post(&self, message: Message) {
        let mut queue = self.lock();
        if queue.is_closed {
            return;
        }
        queue.messages.push_back(message);
        if !std::mem::replace(&mut queue.is_awake, true) {
            drop(queue);
            self.wake();
        }
    }

    /// Takes the messages of one turn, and returns whether more wait.
    ///
    /// # Errors
    ///
    /// When Node.js has no memory for bytes.
    pub fn take(&self, env: Env) -> Result<(Vec<Event>, bool)> {
        let mut queue = self.lock();
        let mut events = Vec::with_capacity(queue.messages.len().min(TURN_MESSAGES));
        let mut bytes = 0;
        while events.len() < TURN_MESSAGES
            && bytes < TURN_BYTES
            && let Some(message) = queue.messages.pop_front()
        {
            bytes += match &message {
                Message::Output(_, _, chunk, _) => chunk.len(),
                Message::Unfinished(_, lines) => lines.iter().map(String::len).sum(),
                _ => 0,
            };
            events.push(event_of(env, message)?);
        }
        let is_more = !queue.messages.is_empty();
        // JavaScript calls again by itself while more messages wait.
        queue.is_awake = is_more;
        Ok((events, is_more))
    }

    /// Sets whether the mailbox keeps the environment alive. To be called on JavaScript's thread only.
    ///
    /// # Errors
    ///
    /// When the environment is ending.
    pub fn keep_alive(&self, env: &Env, is_needed: bool) -> Result<()> {
        let Some(wakeup) = self.wakeup.get() else {
            return Ok(());
        };
        let mut wakeup = wakeup.lock().unwrap_or_else(PoisonError::into_inner);
        #[allow(
            deprecated,
            reason = "its advice, to clone and drop, can't be done without a new function each time"
        )]
        if is_needed { wakeup.refer(env) } else { wakeup.unref(env) }
    }

    /// Closes the mailbox, at the end of the environment.
    pub fn close(&self) {
        let mut queue = self.lock();
        queue.is_closed = true;
        queue.messages.clear();
    }

    fn wake(&self) {
        let Some(wakeup) = self.wakeup.get() else { return };
        let wakeup = wakeup.lock().unwrap_or_else(PoisonError::into_inner);
        if wakeup.call((), ThreadsafeFunctionCallMode::NonBlocking) != napi::Status::Ok {
            self.close();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn event_of(env: Env, message: Message) -> Result<Event> {
    Ok(match message {
        Message::Answer(id, text) => Event { text: Some(text), ..Event::new(id, EventKind::Answer) },
        Message::Output(id, stream, chunk, flow) => {
            flow.consumed(chunk.len());
            let event = Event::new(id, stream.into());
            match chunk {
                Chunk::Text(text) => Event { text: Some(text), ..event },
                Chunk::Bytes(bytes) => Event { data: Some(BufferSlice::copy_from(&env, bytes)?), ..event },
            }
        }
        Message::Unfinished(id, lines) => {
            Event { lines: Some(lines.into()), ..Event::new(id, EventKind::Unfinished) }
        }
        Message::Spawned(id, pid) => Event { pid: Some(pid), ..Event::new(id, EventKind::Spawn) },
        Message::Drained(id) => Event::new(id, EventKind::Drain),
        Message::Changed(id) => Event::new(id, EventKind::Changed),
        Message::Observed(id) => Event::new(id, EventKind::Observed),
        Message::Waiting(id, wait) => Event { wait: Some(wait.into()), ..Event::new(id, EventKind::Waiting) },
        Message::InputChecked(id, wait) => {
            Event { wait: wait.map(InputWaitState::from), ..Event::new(id, EventKind::InputChecked) }
        }
        Message::Ports(id, ports) => {
            let ports = ports.into_iter().map(PortState::from).collect();
            Event { ports: Some(ports), ..Event::new(id, EventKind::Ports) }
        }
        Message::Connecting(id, event) => {
            Event { connect: Some(event.into()), ..Event::new(id, EventKind::Connect) }
        }
        Message::NeedsValue(id, needed) => {
            Event { value: Some(needed.into()), ..Event::new(id, EventKind::Value) }
        }
        Message::Prompt(id, prompt) => {
            Event { prompt: Some((*prompt).into()), ..Event::new(id, EventKind::Prompt) }
        }
        Message::PromptOver(id, number) => {
            Event { over: Some(number), ..Event::new(id, EventKind::PromptOver) }
        }
        Message::State(id, state) => {
            Event { state: Some((*state).into()), ..Event::new(id, EventKind::State) }
        }
        Message::Files(id, outcome) => {
            Event { files: Some(FilesAnswer::of(env, *outcome)?), ..Event::new(id, EventKind::Files) }
        }
        Message::Background(id, report) => reported(env, id, EventKind::Background, *report)?,
        Message::End(id, report) => reported(env, id, EventKind::End, *report)?,
    })
}

fn reported(
    env: Env,
    id: u32,
    kind: EventKind,
    DeliveredResult { result, bytes }: DeliveredResult,
) -> Result<Event> {
    let bytes = bytes.map(|streams| ByteStreams::of(env, streams)).transpose()?;
    Ok(Event { result: Some(result), bytes, ..Event::new(id, kind) })
}
