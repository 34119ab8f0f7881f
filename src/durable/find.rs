//! Finds durable jobs, and acts on them without attaching. All functions block for a short time.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::ask::{AskedJob, ask_all};
use super::error::DurableError;
use super::info::DurableInfo;
use super::known::note;
use super::options::JobFilter;
use super::socket::{ConnectionPurpose, SupervisorRefusal, SupervisorSocket};
use super::sweep::{SweptJob, sweep};
use crate::helper::durable::directory::{DirectoryFault, JobsDirectory};
use crate::helper::durable::protocol::{HostHello, HostRequest, JobEvent};

/// The longest time that supervisors have to answer, one alone as well as all jobs together: far more than a
/// busy machine takes. Only a supervisor that is stopped, or hangs, takes it.
const ANSWER_DEADLINE: Duration = Duration::from_secs(5);

impl SweptJob {
    fn matches(&self, filter: &JobFilter) -> bool {
        let facts = &self.facts;
        let is = |wanted: &Option<String>, has: Option<&String>| wanted.is_none() || wanted.as_ref() == has;
        is(&filter.id, Some(&facts.id))
            && is(&filter.owner, Some(&facts.owner))
            && is(&filter.root, Some(&facts.root))
            && is(&filter.name, facts.name.as_ref())
            && filter.is_running.is_none_or(|is_running| is_running == self.end.is_none())
    }
}

/// Opens the directory; `None` if it is missing.
pub(super) fn open(path: &Path) -> Result<Option<JobsDirectory>, DurableError> {
    match JobsDirectory::open(path) {
        Ok(jobs) => Ok(Some(jobs)),
        Err(DirectoryFault::System(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(fault) => Err(DurableError::directory(path, fault)),
    }
    .inspect(|_| note(path))
}

/// Returns the jobs of a directory, in the order of their starts. Removes what is too old first.
///
/// # Errors
///
/// Why the directory can't be read.
pub fn find(path: &Path, filter: &JobFilter) -> Result<Vec<DurableInfo>, DurableError> {
    let Some(jobs) = open(path)? else { return Ok(Vec::new()) };
    let (found, _) = swept(path, &jobs)?;
    let (mut infos, mut running) = (Vec::new(), Vec::new());
    for SweptJob { directory, facts, end, is_elsewhere } in
        found.into_iter().filter(|job| job.matches(filter))
    {
        running.push((end.is_none() && !is_elsewhere).then_some(directory));
        infos.push(DurableInfo { is_elsewhere, ..DurableInfo::of_files(facts, end) });
    }
    let asked = running.into_iter().zip(&mut infos);
    let asked = asked.filter_map(|(directory, info)| Some(AskedJob { directory: directory?, info }));
    ask_all(asked, Instant::now() + ANSWER_DEADLINE);
    // A job may have ended since the first look.
    infos.retain(|info| filter.is_running.is_none_or(|is_running| is_running == info.end.is_none()));
    infos.sort_by(|a, b| (a.facts.started_at, &a.facts.id).cmp(&(b.facts.started_at, &b.facts.id)));
    Ok(infos)
}

/// Removes ended jobs that are too old or too many, and returns their number.
///
/// # Errors
///
/// Why the directory can't be read.
pub fn remove_old(path: &Path) -> Result<usize, DurableError> {
    let Some(jobs) = open(path)? else { return Ok(0) };
    Ok(swept(path, &jobs)?.1)
}

pub(super) fn swept(path: &Path, jobs: &JobsDirectory) -> Result<(Vec<SweptJob>, usize), DurableError> {
    let swept = || {
        let locked = jobs.lock()?;
        sweep(jobs, &locked)
    };
    swept().map_err(|error| DurableError::directory(path, error))
}

/// Sets the time that is left to a job, and returns the end of its longest run (ms since 1970).
///
/// # Errors
///
/// [`DurableError`] if the job has ended, or its supervisor does not know the question.
pub fn extend(path: &Path, id: &str, milliseconds: u64) -> Result<u64, DurableError> {
    let mut socket = connect(path, id)?;
    let until = Instant::now() + ANSWER_DEADLINE;
    // A supervisor that does not know the question ignores it, and answers the hello.
    let asked = socket
        .send(&HostRequest::Extend(milliseconds), until)
        .and_then(|()| socket.send(&HostRequest::Hello(HostHello::new(false)), until));
    let answer = asked.and_then(|()| {
        socket.receive(until, |event| match event {
            JobEvent::EndsAt(at) => Some(Ok(at)),
            JobEvent::Hello(_) => Some(Err(DurableError::old(id))),
            _ => None,
        })
    });
    answer.unwrap_or_else(|error| Err(unanswered(id, &error)))
}

/// Ends a job: this signal to all processes, and SIGKILL after the grace. Returns when the supervisor has the
/// request, which goes on when the caller is gone. A job that has ended is left alone.
///
/// # Errors
///
/// [`DurableError`] if there is no such job.
pub fn stop(path: &Path, id: &str, signal: i32, grace: Option<Duration>) -> Result<(), DurableError> {
    let mut socket = match connect(path, id) {
        Ok(socket) => socket,
        Err(error) => {
            let filter = JobFilter { id: Some(id.to_owned()), ..JobFilter::default() };
            let has_ended = find(path, &filter)?.iter().any(|info| info.end.is_some());
            return if has_ended { Ok(()) } else { Err(error) };
        }
    };
    let grace = grace.map(|grace| u64::try_from(grace.as_millis()).unwrap_or(u64::MAX - 1));
    let until = Instant::now() + ANSWER_DEADLINE;
    let stopped = socket.send(&HostRequest::Stop { signal, grace }, until);
    // The answer to another hello shows that what was sent before was taken.
    let asked = stopped.and_then(|()| {
        socket.send(&HostRequest::Hello(HostHello::new(false)), until)?;
        let is_taken = |event: JobEvent<'_>| match event {
            JobEvent::Hello(_) | JobEvent::Ended(_) => Some(()),
            _ => None,
        };
        socket.receive(until, is_taken)
    });
    match asked {
        Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(unanswered(id, &error)),
        // The end of the connection is that of the job.
        _ => Ok(()),
    }
}

/// Connects to the supervisor of a job.
fn connect(path: &Path, id: &str) -> Result<SupervisorSocket, DurableError> {
    let jobs = open(path)?.ok_or_else(|| DurableError::not_found(id))?;
    let job = jobs.job(id).map_err(|_| DurableError::not_found(id))?;
    match SupervisorSocket::connect(&job, ConnectionPurpose::Ask, ANSWER_DEADLINE) {
        Ok((socket, _)) => Ok(socket),
        Err(refusal) => Err(refused(id, refusal)),
    }
}

fn unanswered(id: &str, error: &io::Error) -> DurableError {
    let is_silent = error.kind() == io::ErrorKind::TimedOut;
    refused(id, if is_silent { SupervisorRefusal::Silent } else { SupervisorRefusal::Gone })
}

/// Returns the error of a supervisor that can't be asked.
pub(super) fn refused(id: &str, refusal: SupervisorRefusal) -> DurableError {
    match refusal {
        SupervisorRefusal::Gone => DurableError {
            message: format!("the durable job {id} does not run"),
            ..DurableError::not_found(id)
        },
        SupervisorRefusal::Full => {
            DurableError::limit("the job has 16 attached hosts, or 64 connections, already")
        }
        SupervisorRefusal::Old => DurableError::old(id),
        SupervisorRefusal::Silent => {
            DurableError::unavailable(format!("the supervisor of the job {id} does not answer"))
        }
    }
}
