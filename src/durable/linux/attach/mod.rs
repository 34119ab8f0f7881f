//! Attaches to a job: one that runs, or the files of one that has ended. `task` is the attachment on the I/O
//! thread, with `playback` for the log and `link` for the connection.

mod link;
pub(in crate::durable) mod playback;
pub(in crate::durable) mod task;

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::net::sockopt::socket_peercred;
use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::watch;

use self::playback::{OnDropped, Playback};
use self::task::{AttachmentParts, JobNow, attend};
use crate::durable::command::{DurableCommand, DurableState, SharedInfo};
use crate::durable::error::DurableError;
use crate::durable::find::{open, refused};
use crate::durable::info::DurableInfo;
use crate::durable::socket::{ConnectionPurpose, SupervisorRefusal, SupervisorSocket};
use crate::durable::sweep::end_of;
use crate::engine::Engine;
use crate::helper::durable::directory::{JobDirectory, JobsDirectory, machine};
use crate::helper::durable::log::reader::LogReader;
use crate::helper::durable::protocol::JobHello;
use crate::helper::durable::record::end::JobEnd;
use crate::process::pipe::nonblocking_pipe;

/// The longest time that a supervisor has to greet.
const GREETING_DEADLINE: Duration = Duration::from_secs(5);

/// The longest time that a dead supervisor's reaper has to kill the processes.
const LOSS_DEADLINE: Duration = Duration::from_secs(20);

/// The time between two checks of a job whose supervisor does not answer.
const LOSS_CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// A job to which this host is attached, and this host's ends of its streams.
#[derive(Debug)]
pub struct Attached {
    pub command: DurableCommand,
    pub stdin: Option<OwnedFd>,
    pub stdout: OwnedFd,
    pub stderr: Option<OwnedFd>,
}

/// The fate of a supervisor whose connection was lost.
pub(in crate::durable) enum AfterLoss {
    Ended(JobEnd),
    Runs(SupervisorSocket, JobHello),
    /// The supervisor can't be asked.
    Refused(SupervisorRefusal),
}

/// A job that was found, or started.
pub(in crate::durable) struct JobToAttach {
    pub(in crate::durable) directory: JobDirectory,
    pub(in crate::durable) info: DurableInfo,
    pub(in crate::durable) now: JobNow,
    /// The cursor at which the output begins.
    pub(in crate::durable) since: u64,
    pub(in crate::durable) has_input: bool,
    pub(in crate::durable) real_path: Option<String>,
    pub(in crate::durable) is_started: bool,
}

/// Attaches to a job. Output begins at the cursor `since`, or with what comes next. `on_dropped` hears of
/// bytes that are missing, and of those before the beginning.
///
/// # Errors
///
/// Why there is nothing to attach to.
pub fn attach(
    engine: &'static Engine,
    path: &Path,
    id: &str,
    since: Option<u64>,
    on_dropped: OnDropped,
) -> Result<Attached, DurableError> {
    let jobs = open(path)?.ok_or_else(|| DurableError::not_found(id))?;
    let directory = jobs.job(id).map_err(|_| DurableError::not_found(id))?;
    let facts = directory.facts().ok_or_else(|| DurableError::not_found(id))?;
    let has_input = facts.has_input || facts.terminal.is_some();
    let mut info = DurableInfo::of_files(facts, None);
    let (now, total) = match found(path, id, &directory)? {
        AfterLoss::Ended(end) => {
            info.note_end(end.clone());
            let total = end.total;
            (JobNow::Ended(end), total)
        }
        AfterLoss::Runs(socket, hello) => {
            info.note(&hello);
            (JobNow::Runs(socket), hello.total)
        }
        AfterLoss::Refused(refusal) => return Err(refused(id, refusal)),
    };
    let since = since.unwrap_or(total).min(total);
    let beginning =
        JobToAttach { directory, info, now, since, has_input, real_path: None, is_started: false };
    begin(engine, path, beginning, on_dropped).map_err(|error| DurableError::directory(path, error))
}

/// Finds a job's supervisor, or its end.
fn found(path: &Path, id: &str, directory: &JobDirectory) -> Result<AfterLoss, DurableError> {
    if let Some(end) = directory.end() {
        return Ok(AfterLoss::Ended(end));
    }
    match SupervisorSocket::connect(directory, ConnectionPurpose::Attach, GREETING_DEADLINE) {
        Ok((socket, hello)) => Ok(AfterLoss::Runs(socket, hello)),
        Err(SupervisorRefusal::Gone) => Ok(after_loss(path, id, directory)),
        Err(refusal) => Err(refused(id, refusal)),
    }
}

/// Waits until a supervisor that does not listen has stored the end, or its processes are gone, or it listens
/// again. Blocks.
pub(in crate::durable) fn after_loss(path: &Path, id: &str, directory: &JobDirectory) -> AfterLoss {
    let until = Instant::now() + LOSS_DEADLINE;
    loop {
        if let Some(end) = directory.end() {
            return AfterLoss::Ended(end);
        }
        match SupervisorSocket::connect(directory, ConnectionPurpose::Attach, GREETING_DEADLINE) {
            Ok((socket, hello)) => return AfterLoss::Runs(socket, hello),
            Err(SupervisorRefusal::Gone) => {}
            Err(refusal) => return AfterLoss::Refused(refusal),
        }
        if let Some(end) = lost(path, id, directory) {
            return AfterLoss::Ended(end);
        }
        if Instant::now() > until {
            return AfterLoss::Refused(SupervisorRefusal::Silent);
        }
        thread::sleep(LOSS_CHECK_INTERVAL);
    }
}

/// Returns the end of a job whose supervisor and reaper are gone.
fn lost(path: &Path, id: &str, directory: &JobDirectory) -> Option<JobEnd> {
    let facts = directory.facts()?;
    let (machine, boot) = machine();
    let jobs = JobsDirectory::open(path).ok()?;
    let locked = jobs.lock().ok()?;
    debug_assert!(facts.id == id, "the directory of a job has its id");
    end_of(directory, &facts, &boot, facts.machine != machine, &locked)
}

/// Makes the pipes of a job, and starts the task that fills them.
pub(in crate::durable) fn begin(
    engine: &'static Engine,
    path: &Path,
    beginning: JobToAttach,
    on_dropped: OnDropped,
) -> io::Result<Attached> {
    let JobToAttach { directory, info, now, since, has_input, real_path, is_started } = beginning;
    let facts = &info.facts;
    let has_stderr = !facts.is_merged && facts.terminal.is_none();
    let (stdout, stdout_writer) = nonblocking_pipe()?;
    let (stderr, stderr_writer) = if has_stderr { Some(nonblocking_pipe()?) } else { None }.unzip();
    let runs = matches!(now, JobNow::Runs(_));
    let (input, stdin) = if has_input && runs { Some(nonblocking_pipe()?) } else { None }.unzip();
    let log = LogReader::open(directory.as_fd().try_clone_to_owned()?, since)?;
    if since > 0 {
        on_dropped(since);
    }
    // A supervisor of another PID namespace has another pid there than here.
    let has_same_pids = match &now {
        // The other end of the first socket was made here.
        JobNow::Runs(_) if is_started => true,
        JobNow::Runs(socket) => socket_peercred(socket)
            .is_ok_and(|peer| peer.pid.as_raw_nonzero().get().unsigned_abs() == facts.supervisor),
        JobNow::Ended(_) => false,
    };
    let files = directory.try_clone()?;
    let pid = i32::try_from(info.pid).unwrap_or(0);
    let total = info.total;
    let passed = Arc::default();
    let info = SharedInfo::new(info);
    let (sender, requests) = unbounded_channel();
    let (state, watched) = watch::channel(DurableState::default());
    let parts = AttachmentParts {
        engine,
        jobs: path.to_owned(),
        directory,
        info: info.clone(),
        state,
        requests,
        input,
        passed: Arc::clone(&passed),
        playback: Box::new(move || Playback::new(log, [Some(stdout_writer), stderr_writer], on_dropped)),
        total,
        now,
    };
    engine.runtime().spawn(attend(parts));
    let command = DurableCommand {
        requests: sender,
        state: watched,
        info,
        pid,
        directory: real_path,
        files,
        passed,
        has_same_pids,
        kills_on_drop: is_started,
    };
    Ok(Attached { command, stdin, stdout, stderr })
}
