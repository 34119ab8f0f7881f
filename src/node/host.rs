//! What JavaScript holds: one host for each Node environment. Its jobs die with the environment.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use napi::bindgen_prelude::{Either, Env, Function, Result};
use napi::threadsafe_function::UnknownReturnValue;
use napi_derive::napi;

use super::event::{Event, RunResult, javascript_number};
use super::log;
use super::mailbox::{Delivery, Letter, Mailbox};
use super::run_spec::{RunSpec, WrongOption, signal_of};
use super::session::{Session, SessionSpec};
use super::terminal::PtySpec;
use super::view::ViewSpec;
use crate::engine;
use crate::engine::guardian_watch::{GuardianReport, GuardianState};
use crate::job::io::backpressure::{Backpressure, Demand};
use crate::job::io::observer::{Observer, StreamName};
use crate::job::io::output::SharedRing;
use crate::job::model::invocation::quote;
use crate::job::model::outcome::Cause;
use crate::job::model::plan::{Environment, Input, Leftovers};
use crate::job::ports::ListeningPort;
use crate::job::waiting::InputWait;
use crate::job::{self, JobHandle, Outcome, Plan, Request};
use crate::process::private_directory::PrivateDirectory;
use crate::process::registry::Owner;
use crate::session::{self, SessionHandle};
use crate::tools::format::ResultFormat;
use crate::tools::voice;

/// The arguments of the voice tool, as JavaScript hands them over.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct VoiceCall {
    /// `args.command`, if it is a string.
    pub command: Option<String>,
    /// `args.cmd`, if it is a string.
    pub cmd: Option<String>,
    /// The working directory, if it is a string.
    pub workspace_root: Option<String>,
    /// Whether only programs of the allow list may run.
    pub safe_mode: bool,
    /// The environment: `NAME=value`, with a NUL after each.
    pub environment: String,
    /// How long the command may take (ms); absent for as long as it likes.
    pub timeout: Option<f64>,
    /// The terminal that it runs in; absent for none.
    pub pty: Option<PtySpec>,
    /// Whether it must be bash, or else `sh`, that reads the command: that is what a policy has judged.
    pub keeps_to_bash: Option<bool>,
}

/// The jobs of one Node environment.
#[derive(Debug)]
#[napi]
pub struct Host {
    state: Arc<State>,
}

#[derive(Debug)]
pub(super) struct State {
    owner: Owner,
    mailbox: Arc<Mailbox>,
    jobs: Mutex<HashMap<u32, JobHandle>>,
    /// They stay readable after the end, until JavaScript forgets them.
    rings: Mutex<HashMap<u32, SharedRing>>,
    /// Directories of ours, which go with the environment.
    directories: Mutex<Vec<String>>,
    /// They end with the environment.
    sessions: Mutex<Vec<SessionHandle>>,
    /// Directories of sessions that keep their state alone.
    private: Mutex<HashMap<String, PrivateDirectory>>,
}

/// Whether there is a guardian.
#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "as in `GuardianState`")]
pub enum GuardianStatusState {
    Idle,
    Starting,
    Running,
    Stopped,
    Missing,
}

/// What is known of the guardian.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct GuardianStatus {
    /// Whether there is one.
    pub state: GuardianStatusState,
    /// Its program.
    pub path: String,
    /// Why there is none.
    pub error: Option<GuardianFailure>,
}

/// Why there is no guardian.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct GuardianFailure {
    /// A name that is stable.
    pub code: String,
    /// For people.
    pub message: String,
}

/// Text of a job, from a place on.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct Piece {
    /// The text, in the order in which it came.
    pub chunks: Vec<Chunk>,
    /// The place behind it (bytes).
    pub cursor: f64,
    /// How much before it is no longer there (bytes).
    pub dropped: f64,
}

/// A stream, as Node names it.
#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "as in `StreamName`")]
pub enum StreamSpec {
    Stdout,
    Stderr,
}

impl From<StreamName> for StreamSpec {
    fn from(stream: StreamName) -> Self {
        match stream {
            StreamName::Stdout => Self::Stdout,
            StreamName::Stderr => Self::Stderr,
        }
    }
}

/// Text of one stream.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct Chunk {
    /// Which stream.
    pub stream: StreamSpec,
    /// The text.
    pub text: String,
}

#[napi]
impl Host {
    /// A host without jobs. What its jobs say waits until [`Self::attach`].
    ///
    /// # Errors
    ///
    /// When the environment is ending.
    #[napi(constructor, catch_unwind)]
    pub fn new(env: Env) -> Result<Self> {
        let state = Arc::new(State {
            owner: Owner::default(),
            mailbox: Arc::default(),
            jobs: Mutex::default(),
            rings: Mutex::default(),
            sessions: Mutex::default(),
            private: Mutex::default(),
            directories: Mutex::default(),
        });
        env.add_env_cleanup_hook(Arc::clone(&state), |state| state.close())?;
        Ok(Self { state })
    }

    /// Tells `deliver(events, isMore)` what the jobs say. When `isMore` is true, JavaScript calls [`Self::take`] in the next
    /// turn of its loop.
    ///
    /// This is apart from the constructor because the threadsafe function keeps the asynchronous context in which it is made:
    /// JavaScript calls this in a context without stores.
    ///
    /// # Errors
    ///
    /// When Node can't make the channel between the threads.
    #[napi(catch_unwind)]
    pub fn attach(&self, deliver: Function<Delivery, UnknownReturnValue>) -> Result<()> {
        self.state.mailbox.attach(&deliver)
    }

    /// Logs to standard error what the engine does, from this level on. Tells whether there is such a level.
    #[napi(catch_unwind)]
    pub fn log(&self, level: String) -> bool {
        log::start(&level)
    }

    /// Runs `bash()`. The answer comes as an event; a refusal is returned at once.
    #[napi(catch_unwind)]
    pub fn bash(&self, id: u32, call: VoiceCall) -> Option<String> {
        match voice::plan(call.into()) {
            Ok(plan) => {
                let format = ResultFormat::bash(&plan);
                let observer = Arc::new(Caller { id, state: Arc::clone(&self.state), format });
                self.state.start(id, plan, Arc::default(), observer);
                None
            }
            Err(refusal) => Some(refusal.text()),
        }
    }

    /// Starts a `BashJob`. Its output, if it is wanted, and its end come as events; a refusal is returned at once. Without
    /// a word of `is_wanted`, the first of the output comes for whoever may want it.
    #[napi(catch_unwind)]
    pub fn start(
        &self,
        id: u32,
        call: VoiceCall,
        is_wanted: Option<bool>,
        view: Option<ViewSpec>,
    ) -> Option<RunResult> {
        let terminal = call.pty.as_ref().map(PtySpec::terminal);
        match voice::plan(call.into()) {
            Ok(mut plan) => {
                if terminal.is_some() {
                    plan.terminal = terminal;
                    plan.input = Input::Open;
                }
                let format = ResultFormat::bash(&plan);
                plan.output.view = view.map(ViewSpec::options);
                self.state.listen(id, Plan { leftovers: Some(Leftovers::Keep), ..plan }, format, is_wanted);
                None
            }
            Err(refusal) => Some(RunResult::refused(refusal)),
        }
    }

    /// Starts a command for `run()` or a table of jobs. Everything comes as events, but for an option that can't be used.
    #[napi(catch_unwind)]
    pub fn run(&self, id: u32, spec: RunSpec, is_wanted: Option<bool>) -> Option<WrongOption> {
        match spec.plan() {
            Ok(plan) => {
                self.state.listen(id, plan, ResultFormat::Run, is_wanted);
                None
            }
            Err(wrong) => Some(wrong),
        }
    }

    /// Opens a session of commands in one shell.
    ///
    /// # Errors
    ///
    /// When the engine can't be started, or the shell is none that a session can have.
    #[napi(catch_unwind)]
    pub fn open_session(&self, spec: SessionSpec) -> Result<Session> {
        let handle = session::open(spec.plan()?, &self.state.owner)?;
        self.state.lock_sessions().push(handle.clone());
        Ok(Session::new(Arc::clone(&self.state), handle))
    }

    /// Makes a directory for this user alone, which is removed when the environment ends, also by SIGKILL. Its path has no
    /// character that means something to a shell.
    ///
    /// # Errors
    ///
    /// When there is no place for one.
    #[napi(catch_unwind)]
    pub fn make_private_directory(&self) -> Result<String> {
        let directory = PrivateDirectory::create()?;
        let path = directory.path().to_string_lossy().into_owned();
        self.state.lock_private().insert(path.clone(), directory);
        Ok(path)
    }

    /// Removes such a directory.
    #[napi(catch_unwind)]
    pub fn remove_private_directory(&self, path: String) {
        let directory = self.state.lock_private().remove(&path);
        drop(directory);
    }

    /// Starts shells ahead, so that `count` of them wait for a command like this one. Whether they can.
    #[napi(catch_unwind)]
    pub fn prewarm(&self, spec: RunSpec, count: u32) -> Either<bool, WrongOption> {
        match spec.plan() {
            Ok(plan) => Either::A(job::prewarm(&plan, &self.state.owner, count as usize)),
            Err(wrong) => Either::B(wrong),
        }
    }

    /// Tells whether there is a guardian, and why not.
    #[napi(catch_unwind)]
    pub fn guardian(&self) -> GuardianStatus {
        engine::guardian_report().into()
    }

    /// Writes to a job's standard input. Whether an event `drain` will come, once it is in the pipe or dropped.
    #[napi(catch_unwind)]
    pub fn write(&self, id: u32, bytes: &[u8]) -> bool {
        self.state.job(id).is_some_and(|job| job.input().write(bytes.to_vec()))
    }

    /// End of file follows what was written.
    #[napi(catch_unwind)]
    pub fn end_input(&self, id: u32) {
        if let Some(job) = self.state.job(id) {
            job.input().end();
        }
    }

    /// The latest text of a job from a cursor on; null for a job without any.
    #[napi(catch_unwind)]
    pub fn read(&self, id: u32, since: f64) -> Option<Piece> {
        let ring = self.state.lock_rings().get(&id).cloned()?;
        let ring = ring.lock().unwrap_or_else(PoisonError::into_inner);
        Some(ring.read(cursor(since)).into())
    }

    /// How much memory the latest text of a job takes (bytes); 0 for a job without any.
    #[napi(catch_unwind)]
    pub fn kept(&self, id: u32) -> u32 {
        let Some(ring) = self.state.lock_rings().get(&id).cloned() else { return 0 };
        let memory = ring.lock().unwrap_or_else(PoisonError::into_inner).memory();
        u32::try_from(memory).unwrap_or(u32::MAX)
    }

    /// A directory of ours, which is removed with all that is in it when the environment ends.
    #[napi(catch_unwind)]
    pub fn remove_at_end(&self, directory: String) {
        self.state.lock_directories().push(directory);
    }

    /// Nobody reads a job's text any longer.
    #[napi(catch_unwind)]
    pub fn forget(&self, id: u32) {
        self.state.lock_rings().remove(&id);
    }

    /// Takes more events: `[events, isMore]`.
    #[napi(catch_unwind, ts_return_type = "[Array<Event>, boolean]")]
    pub fn take(&self) -> (Vec<Event>, bool) {
        self.state.mailbox.take()
    }

    /// Sends a signal (a name or a number) to all that belongs to the job. Whether it was still there; null for a
    /// signal that does not exist. The number 0 only asks.
    #[napi(catch_unwind)]
    pub fn kill(&self, id: u32, signal: Either<String, i32>) -> Option<bool> {
        let job = self.state.job(id);
        if matches!(signal, Either::B(0)) {
            return Some(job.is_some_and(|job| job.is_live()));
        }
        let signal = signal_of(&signal)?;
        Some(job.is_some_and(|job| job.signal(signal)))
    }

    /// Words as a line of text that a POSIX shell would split into them again.
    #[napi(catch_unwind)]
    pub fn quote(&self, words: Vec<String>) -> String {
        quote(&words)
    }

    /// The number of a signal (a name or a number); null for one that does not exist.
    #[napi(catch_unwind)]
    pub fn signal_number(&self, signal: Either<String, i32>) -> Option<i32> {
        signal_of(&signal).map(rustix::process::Signal::as_raw)
    }

    /// Ends the job since its `AbortSignal` fired.
    #[napi(catch_unwind)]
    pub fn abort(&self, id: u32) {
        if let Some(job) = self.state.job(id) {
            // A job that is over needs no end.
            let _ = job.ask(Request::Stop(Cause::Aborted, None));
        }
    }

    /// Ends the job as its timeout does.
    #[napi(catch_unwind)]
    pub fn expire(&self, id: u32) {
        if let Some(job) = self.state.job(id) {
            // As above.
            let _ = job.ask(Request::Stop(Cause::Timeout, None));
        }
    }

    /// Says whether anybody wants the job's output.
    #[napi(catch_unwind)]
    pub fn want(&self, id: u32, is_wanted: bool) {
        if let Some(job) = self.state.job(id) {
            job.flow().want(is_wanted);
        }
    }

    /// Stops reading the job's output, or goes on.
    #[napi(catch_unwind)]
    pub fn pause(&self, id: u32, is_paused: bool) {
        if let Some(job) = self.state.job(id) {
            job.flow().pause(is_paused);
        }
    }

    /// The job's process number, while there is one.
    #[napi(catch_unwind)]
    pub fn pid(&self, id: u32) -> Option<i32> {
        self.state.job(id)?.pid()
    }

    /// Whether Node stays alive for this host's jobs.
    ///
    /// # Errors
    ///
    /// When the environment is ending.
    #[napi(catch_unwind)]
    pub fn keep_alive(&self, env: Env, is_needed: bool) -> Result<()> {
        self.state.mailbox.keep_alive(&env, is_needed)
    }

    /// Kills all jobs. The environment ends.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.state.close();
    }
}

/// Who wants the text: `None` while nobody knows.
pub(super) const fn demand_of(is_wanted: Option<bool>) -> Demand {
    match is_wanted {
        Some(true) => Demand::Wanted,
        Some(false) => Demand::None,
        None => Demand::Unknown,
    }
}

impl Host {
    pub(super) fn job(&self, id: u32) -> Option<JobHandle> {
        self.state.job(id)
    }
}

impl State {
    fn start(&self, id: u32, plan: job::Plan, flow: Arc<Backpressure>, observer: Arc<dyn Observer>) {
        let job = job::start(plan, &self.owner, flow, observer);
        if let Some(ring) = job.ring() {
            self.lock_rings().insert(id, Arc::clone(ring));
        }
        let mut jobs = self.lock();
        // It may be over already, and then nobody would take it out again.
        if job.is_live() {
            jobs.insert(id, job);
        }
    }

    fn listen(self: &Arc<Self>, id: u32, plan: Plan, format: ResultFormat, is_wanted: Option<bool>) {
        let flow = Arc::new(Backpressure::new(demand_of(is_wanted)));
        let (cwd, state) = (plan.directory.path.clone(), Arc::clone(self));
        let listener = Listener { id, state, flow: Arc::clone(&flow), format, cwd };
        self.start(id, plan, flow, Arc::new(listener));
    }

    /// Queues a command of a session.
    pub(super) fn run_in(
        self: &Arc<Self>,
        session: &SessionHandle,
        id: u32,
        plan: Plan,
        asks_pipe_status: bool,
        want: Demand,
    ) {
        let flow = Arc::new(Backpressure::new(want));
        let (cwd, state, format) = (String::new(), Arc::clone(self), ResultFormat::Run);
        let listener = Listener { id, state, flow: Arc::clone(&flow), format, cwd };
        let job = session.run(plan, asks_pipe_status, flow, Arc::new(listener));
        let mut jobs = self.lock();
        if job.is_live() {
            jobs.insert(id, job);
        }
    }

    /// The session is over.
    pub(super) fn forget_session(&self, session: &SessionHandle) {
        self.lock_sessions().retain(|other| !other.is(session));
    }

    pub(super) fn post(&self, letter: Letter) {
        self.mailbox.post(letter);
    }

    /// The last word of a job comes last: JavaScript may wake up on this very processor, and then waits for what is locked.
    fn over(&self, id: u32, last: Letter) {
        self.lock().remove(&id);
        self.mailbox.post(last);
    }

    fn job(&self, id: u32) -> Option<JobHandle> {
        self.lock().get(&id).cloned()
    }

    fn close(&self) {
        self.mailbox.close();
        let sessions = std::mem::take(&mut *self.lock_sessions());
        sessions.iter().for_each(SessionHandle::abandon);
        job::close(&self.owner);
        // After the shells that use them.
        sessions.iter().for_each(SessionHandle::remove_files);
        self.lock_private().clear();
        self.lock_rings().clear();
        let jobs = std::mem::take(&mut *self.lock());
        for job in jobs.into_values() {
            if job.outlives_host() {
                // Nobody is left to take what it says.
                job.flow().pause(false);
                job.flow().want(false);
                continue;
            }
            // What the kill above has not reached: the holders of its output.
            let _ = job.ask(Request::StopAtOnce(Cause::OwnerGone));
        }
        for directory in self.lock_directories().drain(..) {
            // There may be none, and there is nobody to tell.
            let _ = std::fs::remove_dir_all(directory);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u32, JobHandle>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_private(&self) -> MutexGuard<'_, HashMap<String, PrivateDirectory>> {
        self.private.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_sessions(&self) -> MutexGuard<'_, Vec<SessionHandle>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_directories(&self) -> MutexGuard<'_, Vec<String>> {
        self.directories.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_rings(&self) -> MutexGuard<'_, HashMap<u32, SharedRing>> {
        self.rings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who waits for the answer of `bash()`.
struct Caller {
    id: u32,
    state: Arc<State>,
    format: ResultFormat,
}

impl Observer for Caller {
    fn output(&self, _stream: StreamName, _text: String) {}

    fn ended(&self, outcome: Outcome) {
        let answer = self.format.output(&outcome, "", "");
        self.state.over(self.id, Letter::Answer(self.id, answer));
    }
}

/// A job of which more is heard than its answer.
struct Listener {
    id: u32,
    state: Arc<State>,
    flow: Arc<Backpressure>,
    format: ResultFormat,
    /// The working directory, as it was given.
    cwd: String,
}

impl Observer for Listener {
    fn output(&self, stream: StreamName, text: String) {
        self.state.mailbox.post(Letter::Text(self.id, stream, text, Arc::clone(&self.flow)));
    }

    fn drained(&self) {
        self.state.mailbox.post(Letter::Drained(self.id));
    }

    fn waiting(&self, wait: InputWait) {
        self.state.mailbox.post(Letter::Waiting(self.id, Box::new(wait)));
    }

    fn looked(&self, wait: Option<InputWait>) {
        self.state.mailbox.post(Letter::Looked(self.id, wait.map(Box::new)));
    }

    fn ports(&self, ports: Vec<ListeningPort>) {
        self.state.mailbox.post(Letter::Ports(self.id, ports));
    }

    fn changed(&self) {
        self.state.mailbox.post(Letter::Changed(self.id));
    }

    fn moved_to_background(&self, outcome: Outcome) {
        let result = Box::new(RunResult::of(&outcome, &self.format, &self.cwd));
        self.state.mailbox.post(Letter::Background(self.id, result));
    }

    fn ended(&self, outcome: Outcome) {
        let result = Box::new(RunResult::of(&outcome, &self.format, &self.cwd));
        self.state.over(self.id, Letter::End(self.id, result));
    }
}

impl From<VoiceCall> for voice::Call {
    fn from(call: VoiceCall) -> Self {
        Self {
            candidates: [call.command, call.cmd],
            workspace_root: call.workspace_root,
            safe_mode: call.safe_mode,
            keeps_to_bash: call.keeps_to_bash.unwrap_or_default(),
            environment: Environment(call.environment),
            timeout: call.timeout.and_then(|ms| Duration::try_from_secs_f64(ms / 1000.0).ok()),
        }
    }
}

impl From<GuardianReport> for GuardianStatus {
    fn from(report: GuardianReport) -> Self {
        let GuardianReport { state, path, error } = report;
        Self {
            state: match state {
                GuardianState::Idle => GuardianStatusState::Idle,
                GuardianState::Starting => GuardianStatusState::Starting,
                GuardianState::Running => GuardianStatusState::Running,
                GuardianState::Stopped => GuardianStatusState::Stopped,
                GuardianState::Missing => GuardianStatusState::Missing,
            },
            path: path.to_string_lossy().into_owned(),
            error: error.map(|error| GuardianFailure { code: error.code(), message: error.to_string() }),
        }
    }
}

impl From<crate::text::Piece<StreamName>> for Piece {
    fn from(piece: crate::text::Piece<StreamName>) -> Self {
        let chunks = piece.chunks.into_iter();
        Self {
            chunks: chunks.map(|(stream, text)| Chunk { stream: stream.into(), text }).collect(),
            cursor: javascript_number(piece.cursor),
            dropped: javascript_number(piece.dropped),
        }
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the conversion saturates")]
const fn cursor(since: f64) -> u64 {
    since as u64
}
