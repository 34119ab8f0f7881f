//! A job with its observer.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agent_bash::job::io::backpressure::{Backpressure, Demand};
use agent_bash::job::io::observer::{Observer, StreamName};
use agent_bash::job::model::plan::{
    Directory, Environment, Invocation, Output, Shell, Surroundings, Termination, Times,
};
use agent_bash::job::{self, JobHandle, Outcome, Plan};
use agent_bash::process::helper_program;
use agent_bash::process::registry::Owner;
use agent_bash::process::table;
use agent_bash::text::{Chunk, Keeping};
use rustix::process::Pid;

use super::{HELPER, NEVER, PATH, TEST_DEADLINE, Tag, Workspace, eventually, pid, until};

/// Records the events of a job, and lets a test wait for them.
#[derive(Debug)]
pub(crate) struct Recorder {
    heard: Mutex<Heard>,
    changed: Condvar,
    flow: Arc<Backpressure>,
    consumes: bool,
}

#[derive(Debug, Default)]
struct Heard {
    stdout: String,
    stderr: String,
    pids: Vec<i32>,
    pieces: usize,
    moves: usize,
    ends: usize,
    outcome: Option<Outcome>,
    said_after_end: bool,
}

impl Observer for Recorder {
    fn output(&self, stream: StreamName, chunk: Chunk) {
        if self.consumes {
            self.flow.consumed(chunk.len());
        }
        let text = chunk.into_text();
        let mut heard = self.lock();
        heard.pieces += 1;
        heard.said_after_end |= heard.ends > 0;
        match stream {
            StreamName::Stdout => heard.stdout += &text,
            StreamName::Stderr => heard.stderr += &text,
        }
        drop(heard);
        self.changed.notify_all();
    }

    fn spawned(&self, pid: i32) {
        self.lock().pids.push(pid);
        self.changed.notify_all();
    }

    fn moved_to_background(&self, _outcome: Outcome) {
        self.lock().moves += 1;
        self.changed.notify_all();
    }

    fn ended(&self, outcome: Outcome) {
        let mut heard = self.lock();
        heard.ends += 1;
        heard.outcome = Some(outcome);
        drop(heard);
        self.changed.notify_all();
    }
}

impl Recorder {
    pub(crate) fn new(flow: Arc<Backpressure>, consumes: bool) -> Self {
        Self { heard: Mutex::default(), changed: Condvar::new(), flow, consumes }
    }

    fn lock(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, what: &str, mut is_there: impl FnMut(&Heard) -> bool) -> MutexGuard<'_, Heard> {
        let (heard, result) = self
            .changed
            .wait_timeout_while(self.lock(), TEST_DEADLINE, |heard| !is_there(heard))
            .unwrap_or_else(PoisonError::into_inner);
        assert!(!result.timed_out(), "not within {TEST_DEADLINE:?}: {what}; heard {heard:?}");
        heard
    }
}

/// A command to start.
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) plan: Plan,
    tag: Tag,
    flow: Backpressure,
    consumes: bool,
}

impl Command {
    /// Creates a command for bash.
    pub(crate) fn script(script: &str) -> Self {
        Self::of(Invocation::Line(script.to_owned()))
    }

    /// Creates a program without a shell.
    pub(crate) fn program(program: &str, arguments: &[&str]) -> Self {
        Self::of(Invocation::Program {
            program: program.to_owned(),
            arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
        })
    }

    fn of(invocation: Invocation) -> Self {
        let tag = Tag::new();
        let surroundings = Surroundings {
            directory: Directory { path: "/".to_owned(), root: None },
            environment: Environment(format!("{PATH}\0{}", tag.variable())),
            shell: Shell::new("/bin/bash", "-c"),
            ..Surroundings::default()
        };
        Self {
            plan: Plan {
                output: Output::keeping(Keeping::Prefix { limit: 1 << 20 }),
                times: Times { timeout: Some(NEVER), ..Times::default() },
                ending: Termination { grace: Some(NEVER), ..Termination::default() },
                ..Plan::new(invocation, surroundings)
            },
            tag,
            flow: Backpressure::new(Demand::Wanted),
            consumes: true,
        }
    }

    /// Marks the command with a tag that the caller watches.
    pub(crate) fn tagged(mut self, tag: Tag) -> Self {
        self.plan.surroundings.environment = Environment(format!("{PATH}\0{}", tag.variable()));
        self.tag = tag;
        self
    }

    pub(crate) fn within(mut self, place: &Workspace) -> Self {
        place.path().to_str().expect("text").clone_into(&mut self.plan.surroundings.directory.path);
        self
    }

    pub(crate) fn directory(mut self, path: &str) -> Self {
        path.clone_into(&mut self.plan.surroundings.directory.path);
        self
    }

    pub(crate) fn environment(mut self, variables: &str) -> Self {
        self.plan.surroundings.environment = Environment(format!("{variables}\0{}", self.tag.variable()));
        self
    }

    pub(crate) fn timeout(mut self, timeout: Duration) -> Self {
        self.plan.times.timeout = Some(timeout);
        self
    }

    pub(crate) fn grace(mut self, grace: Duration) -> Self {
        self.plan.ending.grace = Some(grace);
        self
    }

    pub(crate) fn keep(mut self, limit: usize) -> Self {
        self.plan.output.keeping = Keeping::Prefix { limit };
        self
    }

    /// Starts the job without a consumer of its output.
    pub(crate) fn without_consumer(mut self) -> Self {
        self.flow = Backpressure::new(Demand::None);
        self
    }

    /// Starts the job with a consumer that takes text and never acknowledges it.
    pub(crate) fn without_acknowledgement(mut self) -> Self {
        self.consumes = false;
        self
    }

    pub(crate) fn paused(self) -> Self {
        self.flow.pause(true);
        self
    }

    pub(crate) fn start(self) -> Job {
        self.start_for(&Owner::default())
    }

    pub(crate) fn start_for(self, owner: &Owner) -> Job {
        // The tests' helper is not beside the addon.
        helper_program::use_path(HELPER.into());
        let flow = Arc::new(self.flow);
        let recorder = Arc::new(Recorder::new(Arc::clone(&flow), self.consumes));
        let observer = Arc::clone(&recorder) as Arc<dyn Observer>;
        let handle = job::start(self.plan, owner, flow, observer);
        Job { handle, recorder, tag: self.tag }
    }
}

/// A started job.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) handle: JobHandle,
    pub(crate) tag: Tag,
    recorder: Arc<Recorder>,
}

impl Job {
    /// Waits until the job's standard output contains `words`.
    pub(crate) fn wait_for_stdout(&self, words: &str) {
        drop(self.recorder.wait(words, |heard| heard.stdout.contains(words)));
    }

    /// Returns the job's standard output so far.
    pub(crate) fn stdout(&self) -> String {
        self.recorder.lock().stdout.clone()
    }

    /// Returns the job's standard error so far.
    pub(crate) fn stderr(&self) -> String {
        self.recorder.lock().stderr.clone()
    }

    /// Waits until the job has reported its pid, and returns all reported pids.
    pub(crate) fn reported_pids(&self) -> Vec<i32> {
        self.recorder.wait("a reported pid", |heard| !heard.pids.is_empty()).pids.clone()
    }

    /// Returns whether the job has reported a pid.
    pub(crate) fn has_reported_a_pid(&self) -> bool {
        !self.recorder.lock().pids.is_empty()
    }

    /// Returns the number of pieces in which the job's output came.
    pub(crate) fn pieces(&self) -> usize {
        self.recorder.lock().pieces
    }

    /// Returns whether the job has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.recorder.lock().ends > 0
    }

    /// Waits until the job has moved to the background.
    pub(crate) fn wait_for_move(&self) {
        drop(self.recorder.wait("the move to the background", |heard| heard.moves > 0));
    }

    /// Waits until the job has a process, and returns the pid.
    pub(crate) fn pid(&self) -> Pid {
        pid(eventually("a pid", || self.handle.pid()))
    }

    /// Waits until the job's process has exited. The process is a zombie until the job ends.
    pub(crate) fn wait_for_exit(&self) {
        let pid = self.pid();
        until("the process has exited", || table::inspect(pid).is_some_and(|process| process.is_zombie));
    }

    /// Waits for the end. Checks that the job reports only one, and no output after it.
    pub(crate) fn outcome(&self) -> Outcome {
        let mut heard = self.recorder.wait("the end", |heard| heard.outcome.is_some());
        assert_eq!(heard.ends, 1, "a job ends once");
        assert!(!heard.said_after_end, "output comes before the end");
        heard.outcome.take().expect("the outcome")
    }

    /// Returns the number of ends that the job has reported.
    pub(crate) fn ends(&self) -> usize {
        self.recorder.lock().ends
    }
}
