//! A job with its observer.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agent_bash::job::io::backpressure::{Backpressure, Demand};
use agent_bash::job::io::observer::{Observer, StreamName};
use agent_bash::job::model::outcome::End;
use agent_bash::job::model::plan::{Directory, Environment, Invocation, Shell, Surroundings, Times};
use agent_bash::job::ports::ListeningPort;
use agent_bash::job::{self, JobHandle, Outcome, Plan};
use agent_bash::process::registry::Owner;
use agent_bash::process::wait::Exit;
use agent_bash::text::Chunk;

/// The time after which a wait fails its test: far more than anything takes on a busy machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(120);

/// The variable that makes this program play a role.
pub(crate) const ROLE: &str = "AGENT_BASH_TEST_ROLE";

#[derive(Debug)]
pub(crate) struct Recorder {
    heard: Mutex<Heard>,
    changed: Condvar,
    flow: Arc<Backpressure>,
}

#[derive(Debug, Default)]
struct Heard {
    stdout: String,
    pids: Vec<i32>,
    drained: usize,
    ports: Vec<ListeningPort>,
    interim: Option<Outcome>,
    outcome: Option<Outcome>,
}

impl Observer for Recorder {
    fn output(&self, stream: StreamName, chunk: Chunk) {
        self.flow.consumed(chunk.len());
        let text = chunk.into_text();
        if stream == StreamName::Stdout {
            self.lock().stdout += &text;
        }
        self.changed.notify_all();
    }

    fn spawned(&self, pid: i32) {
        self.lock().pids.push(pid);
        self.changed.notify_all();
    }

    fn drained(&self) {
        self.lock().drained += 1;
        self.changed.notify_all();
    }

    fn ports(&self, ports: Vec<ListeningPort>) {
        self.lock().ports = ports;
        self.changed.notify_all();
    }

    fn moved_to_background(&self, outcome: Outcome) {
        self.lock().interim = Some(outcome);
        self.changed.notify_all();
    }

    fn ended(&self, outcome: Outcome) {
        self.lock().outcome = Some(outcome);
        self.changed.notify_all();
    }
}

impl Recorder {
    fn lock(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, what: &str, is_there: impl Fn(&Heard) -> bool) -> MutexGuard<'_, Heard> {
        let waited = self.changed.wait_timeout_while(self.lock(), DEADLINE, |heard| !is_there(heard));
        let (heard, result) = waited.unwrap_or_else(PoisonError::into_inner);
        assert!(!result.timed_out(), "not in time: {what}; heard {heard:?}");
        heard
    }
}

/// A job that was started.
pub(crate) struct Job {
    pub(crate) handle: JobHandle,
    recorder: Arc<Recorder>,
}

impl Job {
    pub(crate) fn start(plan: Plan) -> Self {
        Self::start_for(plan, &Owner::default())
    }

    pub(crate) fn start_for(plan: Plan, owner: &Owner) -> Self {
        let flow = Arc::new(Backpressure::new(Demand::Wanted));
        let (heard, changed) = (Mutex::default(), Condvar::new());
        let recorder = Arc::new(Recorder { heard, changed, flow: Arc::clone(&flow) });
        let handle = job::start(plan, owner, flow, Arc::clone(&recorder) as Arc<dyn Observer>);
        Self { handle, recorder }
    }

    pub(crate) fn wait_for_stdout(&self, words: &str) -> String {
        self.recorder.wait(words, |heard| heard.stdout.contains(words)).stdout.clone()
    }

    pub(crate) fn wait_for_drains(&self, count: usize) {
        drop(self.recorder.wait("drained", |heard| heard.drained >= count));
    }

    /// Waits until the job listens on as many ports.
    pub(crate) fn wait_for_ports(&self, count: usize) -> Vec<ListeningPort> {
        self.recorder.wait("ports", |heard| heard.ports.len() == count).ports.clone()
    }

    pub(crate) fn interim(&self) -> Outcome {
        self.recorder.wait("an interim outcome", |heard| heard.interim.is_some()).interim.take().expect("it")
    }

    pub(crate) fn outcome(&self) -> Outcome {
        self.recorder.wait("an outcome", |heard| heard.outcome.is_some()).outcome.take().expect("it")
    }
}

#[allow(clippy::disallowed_methods, reason = "no test changes the environment")]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Returns the variables that programs need, and others.
pub(crate) fn environment(others: &[(&str, &str)]) -> Environment {
    let inherited = ["SystemRoot", "PATH", "PATHEXT", "TEMP", "WINEPREFIX", "ComSpec"];
    let inherited = inherited.iter().filter_map(|name| Some(format!("{name}={}", variable(name)?)));
    let others = others.iter().map(|(name, value)| format!("{name}={value}"));
    Environment(inherited.chain(others).collect::<Vec<_>>().join("\0"))
}

fn surroundings(others: &[(&str, &str)]) -> Surroundings {
    Surroundings {
        directory: Directory { path: r"C:\".to_owned(), root: None },
        environment: environment(others),
        shell: Shell { program: "cmd.exe".to_owned(), flags: ["/d", "/s", "/c"].map(str::to_owned).to_vec() },
        ..Surroundings::default()
    }
}

/// Returns the plan of a command line for `cmd.exe`.
pub(crate) fn line(command: &str) -> Plan {
    with_deadline(Plan::with_report(Invocation::Line(command.to_owned()), surroundings(&[])))
}

/// Returns the plan of a program without a shell.
pub(crate) fn program(program: &str, arguments: &[&str]) -> Plan {
    with_role(program, arguments, "")
}

/// Returns the plan of this program in a role.
pub(crate) fn role(role: &str, arguments: &[&str]) -> Plan {
    let test = format!("roles::{role}");
    let all = [&["--exact", &*test, "--nocapture", "--test-threads=1", "--"], arguments].concat();
    with_role(&this_program(), &all, role)
}

fn with_role(program: &str, arguments: &[&str], role: &str) -> Plan {
    let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let invocation = Invocation::Program { program: program.to_owned(), arguments };
    with_deadline(Plan::with_report(invocation, surroundings(&[(ROLE, role), ("GRÜSSE", "zwölf € 😀")])))
}

fn with_deadline(plan: Plan) -> Plan {
    Plan { times: Times { timeout: Some(DEADLINE), ..Times::default() }, ..plan }
}

pub(crate) fn this_program() -> String {
    std::env::current_exe().expect("this program").to_str().expect("text").to_owned()
}

pub(crate) fn run(plan: Plan) -> Outcome {
    Job::start(plan).outcome()
}

pub(crate) const fn code(code: i32) -> End {
    End::Exit(Exit::Code(code))
}

pub(crate) const fn signal(number: i32) -> End {
    End::Exit(Exit::Signal(number))
}
