//! The queue of events from the engine's threads to JavaScript's thread.
//!
//! Jobs post letters; the first letter in an empty mailbox wakes JavaScript. Each turn of the event loop takes a
//! bounded number of letters, so that a flood of output can't starve timers and sockets.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use napi::bindgen_prelude::{Env, FnArgs, Function, Result};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode, UnknownReturnValue};

use super::result::event::{Event, EventKind};
use super::result::run_result::RunResult;
use super::result::waiting::{InputWaitState, PortState};
use crate::job::io::backpressure::Backpressure;
use crate::job::io::observer::StreamName;
use crate::job::ports::ListeningPort;
use crate::job::waiting::InputWait;

/// The most letters, and the most bytes of text, that one turn of the event loop takes.
const TURN_LETTERS: usize = 256;
const TURN_BYTES: usize = 512 * 1024;

/// The arguments of JavaScript's `deliver(events, isMore)`.
pub type Delivery = FnArgs<(Vec<Event>, bool)>;

type Bell = ThreadsafeFunction<(), UnknownReturnValue, Delivery, napi::Status, false, true>;

/// A message of a job.
#[derive(Debug)]
pub enum Letter {
    /// The answer of `bash()`.
    Answer(u32, String),
    /// Text of a stream, and the backpressure that counts it until JavaScript takes it.
    Text(u32, StreamName, String, Arc<Backpressure>),
    /// A piece that was written to a job was taken.
    Drained(u32),
    /// A job has begun to wait for input.
    Waiting(u32, Box<InputWait>),
    /// The answer whether a job waits for input.
    InputChecked(u32, Option<Box<InputWait>>),
    /// The ports that a job listens on.
    Ports(u32, Vec<ListeningPort>),
    /// The engine has read output that JavaScript waits for.
    Changed(u32),
    /// A job goes on in the background.
    Background(u32, Box<RunResult>),
    /// The end of a job.
    End(u32, Box<RunResult>),
}

/// Letters for one Node environment.
#[derive(Default)]
pub struct Mailbox {
    letters: Mutex<Letters>,
    bell: OnceLock<Mutex<Bell>>,
}

#[derive(Default)]
struct Letters {
    queue: VecDeque<Letter>,
    is_ringing: bool,
    is_closed: bool,
}

impl std::fmt::Debug for Mailbox {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Mailbox").finish_non_exhaustive()
    }
}

impl Mailbox {
    /// Delivers queued and future letters to `deliver`.
    ///
    /// # Errors
    ///
    /// When Node can't make a threadsafe function.
    pub fn attach(self: &Arc<Self>, deliver: &Function<Delivery, UnknownReturnValue>) -> Result<()> {
        let inside = Arc::downgrade(self);
        let bell = deliver.build_threadsafe_function::<()>().weak::<true>().build_callback(move |_| {
            Ok(inside.upgrade().map_or_else(|| (Vec::new(), false).into(), |mailbox| mailbox.take().into()))
        })?;
        self.bell.get_or_init(|| Mutex::new(bell));
        let is_waiting = !self.lock().queue.is_empty();
        // A letter that is posted meanwhile may wake JavaScript too; the second delivery is empty then.
        if is_waiting {
            self.ring();
        }
        Ok(())
    }

    /// Posts a letter. Drops it if the environment has ended.
    pub fn post(&self, letter: Letter) {
        let mut letters = self.lock();
        if letters.is_closed {
            return;
        }
        letters.queue.push_back(letter);
        if !std::mem::replace(&mut letters.is_ringing, true) {
            drop(letters);
            self.ring();
        }
    }

    /// Takes the letters of one turn, and returns whether more wait.
    pub fn take(&self) -> (Vec<Event>, bool) {
        let mut letters = self.lock();
        let mut events = Vec::with_capacity(letters.queue.len().min(TURN_LETTERS));
        let mut bytes = 0;
        while events.len() < TURN_LETTERS
            && bytes < TURN_BYTES
            && let Some(letter) = letters.queue.pop_front()
        {
            let event = open(letter);
            bytes += event.text.as_ref().map_or(0, String::len);
            events.push(event);
        }
        let is_more = !letters.queue.is_empty();
        // JavaScript calls again by itself while more letters wait.
        letters.is_ringing = is_more;
        (events, is_more)
    }

    /// Sets whether the mailbox keeps the environment alive. To be called on JavaScript's thread only.
    ///
    /// # Errors
    ///
    /// When the environment is ending.
    pub fn keep_alive(&self, env: &Env, is_needed: bool) -> Result<()> {
        let Some(bell) = self.bell.get() else {
            return Ok(());
        };
        let mut bell = bell.lock().unwrap_or_else(PoisonError::into_inner);
        #[allow(
            deprecated,
            reason = "its advice, to clone and drop, can't be done without a new function each time"
        )]
        if is_needed { bell.refer(env) } else { bell.unref(env) }
    }

    /// Closes the mailbox, at the end of the environment.
    pub fn close(&self) {
        let mut letters = self.lock();
        letters.is_closed = true;
        letters.queue.clear();
    }

    fn ring(&self) {
        let Some(bell) = self.bell.get() else { return };
        let bell = bell.lock().unwrap_or_else(PoisonError::into_inner);
        if bell.call((), ThreadsafeFunctionCallMode::NonBlocking) != napi::Status::Ok {
            self.close();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Letters> {
        self.letters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn open(letter: Letter) -> Event {
    match letter {
        Letter::Answer(id, text) => Event { text: Some(text), ..Event::new(id, EventKind::Answer) },
        Letter::Text(id, stream, text, flow) => {
            flow.consumed(text.len());
            Event { text: Some(text), ..Event::new(id, stream.into()) }
        }
        Letter::Drained(id) => Event::new(id, EventKind::Drain),
        Letter::Changed(id) => Event::new(id, EventKind::Changed),
        Letter::Waiting(id, wait) => Event { wait: Some(wait.into()), ..Event::new(id, EventKind::Waiting) },
        Letter::InputChecked(id, wait) => {
            Event { wait: wait.map(InputWaitState::from), ..Event::new(id, EventKind::InputChecked) }
        }
        Letter::Ports(id, ports) => {
            let ports = ports.into_iter().map(PortState::from).collect();
            Event { ports: Some(ports), ..Event::new(id, EventKind::Ports) }
        }
        Letter::Background(id, result) => {
            Event { result: Some(*result), ..Event::new(id, EventKind::Background) }
        }
        Letter::End(id, result) => Event { result: Some(*result), ..Event::new(id, EventKind::End) },
    }
}
