//! The state of a binding: its jobs, sessions and directories, and how their events reach its mailbox.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::mailbox::{DeliveredResult, Mailbox, Message};
use super::result::run_result::RunResult;
use crate::job::io::backpressure::{Backpressure, Demand};
use crate::job::io::observed::ObservedOutput;
use crate::job::io::observer::{Observer, StreamName};
use crate::job::io::output::SharedRing;
use crate::job::model::outcome::Cause;
use crate::job::model::plan::Form;
use crate::job::ports::ListeningPort;
use crate::job::prompts::Prompt;
use crate::job::state::CommandState;
use crate::job::terminal::LiveScreen;
use crate::job::waiting::InputWait;
use crate::job::{self, JobHandle, JobRequest, Outcome, Plan};
use crate::process::directory::private::{PrivateDirectory, remove_orphans};
use crate::process::registry::Owner;
use crate::sandbox::network::ask::ConnectEvent;
use crate::session::{self, SessionHandle, SessionPlan};
use crate::text::{Chunk, Kept};
use crate::tools::result::format::ResultFormat;

/// The jobs and sessions of one binding, and what JavaScript can still read of them.
#[derive(Debug, Default)]
pub(super) struct BindingState {
    owner: Owner,
    mailbox: Arc<Mailbox>,
    jobs: Mutex<HashMap<u32, JobHandle>>,
    /// The latest output of jobs, readable after their end until JavaScript forgets it.
    rings: Mutex<HashMap<u32, SharedRing>>,
    /// The latest output of observed jobs, readable after their end until JavaScript forgets it.
    observed: Mutex<HashMap<u32, ObservedOutput>>,
    /// The screens of jobs until JavaScript takes them: a job may be over before that.
    screens: Mutex<HashMap<u32, Arc<LiveScreen>>>,
    sessions: Mutex<Vec<SessionHandle>>,
    /// Directories for the files of jobs and of sessions that keep their state alone.
    private: Mutex<HashMap<String, PrivateDirectory>>,
}

/// Converts the demand for a job's text; `None` means that it is not known yet.
pub(super) const fn demand_of(is_wanted: Option<bool>) -> Demand {
    match is_wanted {
        Some(true) => Demand::Wanted,
        Some(false) => Demand::None,
        None => Demand::Unknown,
    }
}

impl BindingState {
    /// Starts a command whose answer is one text (`bash()`).
    pub(super) fn answer(self: &Arc<Self>, id: u32, plan: Plan) {
        let format = ResultFormat::bash(&plan);
        let caller = TextObserver { id, state: Arc::clone(self), format };
        self.start(id, plan, Arc::default(), Arc::new(caller));
    }

    /// Starts a command whose output and result arrive as events.
    pub(super) fn listen(
        self: &Arc<Self>,
        id: u32,
        plan: Plan,
        format: ResultFormat,
        is_wanted: Option<bool>,
    ) {
        let flow = Arc::new(Backpressure::new(demand_of(is_wanted)));
        let (cwd, state) = (plan.surroundings.directory.path.clone(), Arc::clone(self));
        let form = plan.output.form;
        let listener = EventObserver { id, state, flow: Arc::clone(&flow), format, form, cwd };
        self.start(id, plan, flow, Arc::new(listener));
    }

    fn start(&self, id: u32, plan: Plan, flow: Arc<Backpressure>, observer: Arc<dyn Observer>) {
        self.observe(id, &plan);
        let job = job::start(plan, &self.owner, flow, observer);
        if let Some(ring) = job.ring() {
            self.lock_rings().insert(id, Arc::clone(ring));
        }
        if let Some(screen) = job.screen() {
            self.lock_screens().insert(id, Arc::clone(screen));
        }
        self.insert(id, job);
    }

    /// Keeps the latest output of a job that is to be observed.
    fn observe(&self, id: u32, plan: &Plan) {
        if let Some(observed) = &plan.output.observed {
            self.lock_observed().insert(id, observed.clone());
        }
    }

    fn insert(&self, id: u32, job: JobHandle) {
        let mut jobs = self.lock();
        // A job that is over already would never be removed again.
        if job.is_live() {
            jobs.insert(id, job);
        }
    }

    /// Opens a session, which ends with the environment.
    pub(super) fn open_session(&self, plan: SessionPlan) -> io::Result<SessionHandle> {
        let handle = session::open(plan, &self.owner)?;
        self.lock_sessions().push(handle.clone());
        Ok(handle)
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
        let form = plan.output.form;
        self.observe(id, &plan);
        let listener = EventObserver { id, state, flow: Arc::clone(&flow), format, form, cwd };
        let job = session.run(plan, asks_pipe_status, flow, Arc::new(listener));
        self.insert(id, job);
    }

    /// Forgets a session that is over.
    pub(super) fn forget_session(&self, session: &SessionHandle) {
        self.lock_sessions().retain(|other| !other.is(session));
    }

    /// Returns the owner of what this environment starts.
    pub(super) const fn owner(&self) -> &Owner {
        &self.owner
    }

    /// Returns the mailbox of this host.
    pub(super) const fn mailbox(&self) -> &Arc<Mailbox> {
        &self.mailbox
    }

    /// Forgets a job, and then posts its last message. In this order, because JavaScript may wake up at once
    /// and would wait for the lock.
    fn over(&self, id: u32, last: Message) {
        self.lock().remove(&id);
        self.mailbox.post(last);
    }

    /// Returns a live job.
    pub(super) fn job(&self, id: u32) -> Option<JobHandle> {
        self.lock().get(&id).cloned()
    }

    /// Returns the latest text of a job, if it has any.
    pub(super) fn ring(&self, id: u32) -> Option<SharedRing> {
        self.lock_rings().get(&id).cloned()
    }

    /// Drops the latest text of a job.
    pub(super) fn forget_ring(&self, id: u32) {
        self.lock_rings().remove(&id);
    }

    /// Returns the screen of a job: at the first call also if the job is over.
    pub(super) fn screen(&self, id: u32) -> Option<Arc<LiveScreen>> {
        let untaken = self.lock_screens().remove(&id);
        untaken.or_else(|| self.job(id)?.screen().cloned())
    }

    /// Returns the latest output of an observed job.
    pub(super) fn observed(&self, id: u32) -> Option<ObservedOutput> {
        self.lock_observed().get(&id).cloned()
    }

    /// Drops the latest output of an observed job.
    pub(super) fn forget_observed(&self, id: u32) {
        self.lock_observed().remove(&id);
    }

    /// Makes a directory for this user alone, which lasts until [`Self::remove_private`] or the end of the
    /// environment: in `parent`, or where small files are best.
    pub(super) fn make_private(&self, parent: Option<&Path>) -> io::Result<String> {
        let directory = parent.map_or_else(|| PrivateDirectory::create(Ok), PrivateDirectory::create_in)?;
        if let Some(parent) = parent {
            remove_orphans(Some(parent.to_owned()));
        }
        let path = directory.path().to_string_lossy().into_owned();
        self.lock_private().insert(path.clone(), directory);
        Ok(path)
    }

    /// Removes a directory that [`Self::make_private`] made.
    pub(super) fn remove_private(&self, path: &str) {
        let directory = self.lock_private().remove(path);
        drop(directory);
    }

    /// Kills all jobs and sessions: the environment ends.
    pub(super) fn close(&self) {
        self.mailbox.close();
        let sessions = std::mem::take(&mut *self.lock_sessions());
        sessions.iter().for_each(SessionHandle::abandon);
        job::close(&self.owner);
        // The directories are removed after the shells that use them.
        sessions.iter().for_each(SessionHandle::remove_files);
        self.lock_rings().clear();
        self.lock_screens().clear();
        // A job that outlives the host must not wait for its observer.
        for observed in std::mem::take(&mut *self.lock_observed()).into_values() {
            observed.take(None);
        }
        let jobs = std::mem::take(&mut *self.lock());
        for job in jobs.into_values() {
            if job.outlives_host() {
                // JavaScript takes no more output, so a pause would last forever.
                job.flow().pause(false);
                job.flow().want(false);
                if job.is_durable() {
                    let _ = job.ask(JobRequest::Detach);
                }
                continue;
            }
            // The kill above reached the leaders only. This request also ends processes that hold the output
            // open.
            let _ = job.ask(JobRequest::StopAtOnce(Cause::OwnerGone));
        }
        // The private directories are removed after the jobs that write to them.
        self.lock_private().clear();
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

    fn lock_observed(&self) -> MutexGuard<'_, HashMap<u32, ObservedOutput>> {
        self.observed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_screens(&self) -> MutexGuard<'_, HashMap<u32, Arc<LiveScreen>>> {
        self.screens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_rings(&self) -> MutexGuard<'_, HashMap<u32, SharedRing>> {
        self.rings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The observer of a job whose answer is one text.
struct TextObserver {
    id: u32,
    state: Arc<BindingState>,
    format: ResultFormat,
}

impl Observer for TextObserver {
    fn output(&self, _stream: StreamName, _chunk: Chunk) {}

    fn ended(&self, outcome: Outcome) {
        let answer = self.format.output(&outcome, "", "").into_owned();
        self.state.over(self.id, Message::Answer(self.id, answer));
    }
}

/// The observer of a job whose events JavaScript gets.
struct EventObserver {
    id: u32,
    state: Arc<BindingState>,
    flow: Arc<Backpressure>,
    format: ResultFormat,
    form: Form,
    /// The working directory, as it was given.
    cwd: String,
}

impl EventObserver {
    fn report(&self, outcome: Outcome) -> Box<DeliveredResult> {
        let result = match self.form {
            Form::Bytes => RunResult::without_text(&outcome, &self.format, &self.cwd),
            Form::Text | Form::Plain => RunResult::of(&outcome, &self.format, &self.cwd),
        };
        let bytes = || [outcome.stdout.kept, outcome.stderr.kept].map(Kept::into_bytes);
        Box::new(DeliveredResult { result, bytes: (self.form == Form::Bytes).then(bytes) })
    }
}

impl Observer for EventObserver {
    fn output(&self, stream: StreamName, chunk: Chunk) {
        self.state.mailbox.post(Message::Output(self.id, stream, chunk, Arc::clone(&self.flow)));
    }

    fn unfinished(&self, lines: [String; 2]) {
        self.state.mailbox.post(Message::Unfinished(self.id, lines));
    }

    fn spawned(&self, pid: i32) {
        self.state.mailbox.post(Message::Spawned(self.id, pid));
    }

    fn drained(&self) {
        self.state.mailbox.post(Message::Drained(self.id));
    }

    fn waiting(&self, wait: InputWait) {
        self.state.mailbox.post(Message::Waiting(self.id, Box::new(wait)));
    }

    fn input_checked(&self, wait: Option<InputWait>) {
        self.state.mailbox.post(Message::InputChecked(self.id, wait.map(Box::new)));
    }

    fn state(&self, state: CommandState) {
        self.state.mailbox.post(Message::State(self.id, Box::new(state)));
    }

    fn ports(&self, ports: Vec<ListeningPort>) {
        self.state.mailbox.post(Message::Ports(self.id, ports));
    }

    fn connecting(&self, event: ConnectEvent) {
        self.state.mailbox.post(Message::Connecting(self.id, event));
    }

    fn prompted(&self, prompt: Prompt) {
        self.state.mailbox.post(Message::Prompt(self.id, Box::new(prompt)));
    }

    fn prompt_over(&self, number: u32) {
        self.state.mailbox.post(Message::PromptOver(self.id, number));
    }

    fn changed(&self) {
        self.state.mailbox.post(Message::Changed(self.id));
    }

    fn observed(&self) {
        self.state.mailbox.post(Message::Observed(self.id));
    }

    fn moved_to_background(&self, outcome: Outcome) {
        self.state.mailbox.post(Message::Background(self.id, self.report(outcome)));
    }

    fn ended(&self, outcome: Outcome) {
        self.state.over(self.id, Message::End(self.id, self.report(outcome)));
    }
}
