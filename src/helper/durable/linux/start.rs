//! The beginning of a durable job: the supervisor leaves its host, makes the job's directory, and begins when
//! the host says so.
//!
//! The directory has a name that no host looks for until [`UnpublishedJob::publish`]. Before that, the end of
//! the host removes it, and nothing has run. After that, the job is found, whatever becomes of the host.

use std::fs::Permissions;
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;

use rustix::fs::{Mode, RenameFlags, mkdirat, renameat_with};
use rustix::io::{fcntl_setfd, retry_on_intr};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::{setsid, umask};
use rustix::thread::set_name;

use super::directory::{DirectoryLock, JobDirectory, JobsDirectory, NEW, is_id};
use super::log::writer::LogWriter;
use super::plan::{DurablePlan, MAX_DESCRIPTORS, MAX_PLAN, StartRefusal};
use super::serve::{JobFiles, serve};
use crate::helper::durable::protocol::{CORE, HostRequest, JobEvent, JobHello};
use crate::helper::signals::{adopt_orphans, reset_dispositions};
use crate::helper::supervisor::protocol::frame::FrameReader;
use crate::process::errno::Errno;
use crate::process::spawn::fork::{exit, fork, keep_only};
use crate::wire;

/// The most jobs that run in a directory.
const MAX_RUNNING: usize = 256;

/// The mask of the supervisor's own files.
pub(super) const PRIVATE: Mode = Mode::RWXG.union(Mode::RWXO);

/// The size of one read (bytes).
const CHUNK: usize = 64 * 1024;

/// The name of the socket in the directory of a job.
pub(super) const SOCKET: &str = "socket";

/// Runs the supervisor. Standard input is a socket to the host, standard output the directory of the jobs.
/// The process that the host has started exits at once.
#[must_use]
pub fn run(id: &str) -> u8 {
    reset_dispositions();
    match fork() {
        Ok(None) => exit(supervise(id).into()),
        Ok(Some(_)) => 0,
        Err(_) => 1,
    }
}

fn supervise(id: &str) -> u8 {
    let _ = setsid();
    // The name of a program without a file would be the number of a descriptor.
    let _ = set_name(c"agent-bash-help");
    // The mask of the host is that of the command.
    let mask = umask(PRIVATE);
    keep_only(&mut []);
    adopt_orphans();
    // SAFETY: the host has opened these descriptors for this process, which uses them nowhere else.
    let (host, jobs) = unsafe { (OwnedFd::from_raw_fd(0), OwnedFd::from_raw_fd(1)) };
    let _ = std::env::set_current_dir("/");
    let placed = above_streams(host).and_then(|host| Ok((host, above_streams(jobs)?)));
    let Ok((host, jobs)) = placed else { return 1 };
    let Ok(jobs) = JobsDirectory::of_descriptor(jobs) else { return 1 };
    match UnpublishedJob::new(id, jobs, host) {
        Ok(beginning) => beginning.go(mask),
        Err((host, failure)) => {
            answer(&host, &failure);
            1
        }
    }
}

/// Moves a descriptor away from the standard streams, which become empty.
fn above_streams(descriptor: OwnedFd) -> io::Result<OwnedFd> {
    let number = descriptor.as_raw_fd();
    let moved = crate::process::fd::above_standard_streams(descriptor)?;
    let null = std::fs::File::options().read(true).write(true).open("/dev/null")?;
    // `/dev/null` got the number that has just become free, or another one: both stay open.
    let kept = if null.as_raw_fd() == number { OwnedFd::from(null) } else { return Ok(moved) };
    let _ = fcntl_setfd(&kept, rustix::io::FdFlags::empty());
    std::mem::forget(kept);
    Ok(moved)
}

fn answer(host: &OwnedFd, failure: &StartRefusal) {
    let mut out = Vec::new();
    JobEvent::Failed(&wire::encode(failure)).put(&mut out);
    let _ = send_all(host, &out);
}

fn send_all(socket: &OwnedFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let count = retry_on_intr(|| rustix::net::send(socket, bytes, rustix::net::SendFlags::NOSIGNAL))?;
        bytes = &bytes[count..];
    }
    Ok(())
}

/// A job that nobody can find yet.
struct UnpublishedJob {
    id: String,
    jobs: JobsDirectory,
    job: JobDirectory,
    /// Held while the job runs.
    lock: OwnedFd,
    host: OwnedFd,
}

fn files(error: &io::Error) -> StartRefusal {
    StartRefusal::Files(Errno::of(error).0)
}

impl UnpublishedJob {
    /// Makes and locks the directory. The directory of the jobs is locked meanwhile, so that nobody takes
    /// this one for what a dead supervisor has left.
    fn new(id: &str, jobs: JobsDirectory, host: OwnedFd) -> Result<Self, (OwnedFd, StartRefusal)> {
        let make = || -> io::Result<(JobDirectory, OwnedFd)> {
            if !is_id(id) {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            let locked = jobs.lock()?;
            mkdirat(&jobs, format!("{NEW}{id}"), Mode::from_raw_mode(0o700))?;
            let job = jobs.job(&format!("{NEW}{id}"))?;
            let lock = job.try_lock(&locked)?.ok_or(io::ErrorKind::AlreadyExists)?;
            Ok((job, lock))
        };
        match make() {
            Ok((job, lock)) => Ok(Self { id: id.to_owned(), jobs, job, lock, host }),
            Err(error) => {
                let failure = files(&error);
                Err((host, failure))
            }
        }
    }

    fn go(self, mask: Mode) -> u8 {
        let Some((plan, received)) = self.await_start() else {
            self.remove(&format!("{NEW}{}", self.id));
            return 0;
        };
        match self.publish(&plan) {
            Ok((log, listener)) => {
                let Self { id, jobs, job, lock, host } = self;
                let job = JobFiles { id, jobs, directory: job, lock, log, listener, received };
                serve(job, plan, host, mask)
            }
            Err(failure) => {
                self.remove(&format!("{NEW}{}", self.id));
                answer(&self.host, &failure);
                1
            }
        }
    }

    fn remove(&self, entry: &str) {
        if let Ok(locked) = self.jobs.lock() {
            let _ = self.jobs.remove(entry, &locked);
        }
    }

    /// Greets the host, and reads its plan and the descriptors that come with it. Returns `None` if the host
    /// has gone, or wants no start.
    fn await_start(&self) -> Option<(DurablePlan, Vec<OwnedFd>)> {
        let mut out = Vec::new();
        let hello = JobHello { lowest: CORE, highest: CORE, ..JobHello::default() };
        JobEvent::Hello(hello).put(&mut out);
        send_all(&self.host, &out).ok()?;
        let (mut reader, mut plan, mut buffer) = (FrameReader::default(), Vec::new(), vec![0; CHUNK]);
        let mut received = Vec::new();
        loop {
            let count = self.receive(&mut buffer, &mut received).ok().filter(|&count| count > 0)?;
            reader.push(&buffer[..count]);
            while let Some(frame) = reader.next_frame().ok()? {
                match HostRequest::decode(frame) {
                    Some(HostRequest::Plan(part)) if plan.len() + part.len() <= MAX_PLAN => {
                        plan.extend_from_slice(part);
                    }
                    Some(HostRequest::Start) => {
                        let plan = DurablePlan::decode(&plan).ok()?;
                        return plan.fits(received.len()).then_some((plan, received));
                    }
                    _ => return None,
                }
            }
        }
    }

    /// Receives bytes of the host, and the descriptors in them.
    fn receive(&self, buffer: &mut [u8], received: &mut Vec<OwnedFd>) -> io::Result<usize> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let count = retry_on_intr(|| {
            let mut slices = [IoSliceMut::new(buffer)];
            recvmsg(&self.host, &mut slices, &mut ancillary, RecvFlags::CMSG_CLOEXEC)
        })?;
        received.extend(ancillary.drain().flat_map(|message| match message {
            RecvAncillaryMessage::ScmRights(descriptors) => descriptors.collect(),
            _ => Vec::new(),
        }));
        Ok(count.bytes)
    }

    /// Makes the files, and gives the directory the name by which it is found. From here on, the job runs.
    fn publish(&self, plan: &DurablePlan) -> Result<(LogWriter, UnixListener), StartRefusal> {
        let mut facts = plan.facts.clone();
        facts.supervisor = std::process::id();
        let make = || -> io::Result<_> {
            self.job.begin(&facts)?;
            let log = LogWriter::create(self.job.as_fd().try_clone_to_owned()?, plan.max_log)?;
            Ok((log, listen(&self.job)?))
        };
        let files_made = make().map_err(|error| files(&error))?;
        // The lock of the directory is this process's own, so the death of the host does not let another one
        // start a job of the same name meanwhile.
        let locked = self.jobs.lock().map_err(|error| files(&error))?;
        if self.running(&locked) >= MAX_RUNNING {
            return Err(StartRefusal::Limit);
        }
        let link = facts.link();
        if let Some(link) = &link
            && let Some(other) = self.jobs.named(link)
            && self.runs(&other, &locked)
        {
            return Err(StartRefusal::Taken);
        }
        let new = format!("{NEW}{}", self.id);
        renameat_with(&self.jobs, new, &self.jobs, &*self.id, RenameFlags::NOREPLACE)
            .map_err(|error| files(&error.into()))?;
        if let Some(link) = &link
            && let Err(error) = self.jobs.set_name(link, &self.id, &locked)
        {
            let _ = self.jobs.remove(&self.id, &locked);
            return Err(files(&error));
        }
        Ok(files_made)
    }

    fn runs(&self, id: &str, locked: &DirectoryLock) -> bool {
        self.jobs.job(id).is_ok_and(|job| job.end().is_none() && matches!(job.try_lock(locked), Ok(None)))
    }

    /// Returns the number of jobs that run; 0 where there are too few directories to matter.
    fn running(&self, locked: &DirectoryLock) -> usize {
        let entries = self.jobs.entries().unwrap_or_default();
        if entries.len() <= MAX_RUNNING {
            return 0;
        }
        entries.iter().filter(|entry| !entry.starts_with(NEW) && self.runs(entry, locked)).count()
    }
}

/// Listens on the socket of a job, in place of what is there. The path goes through the open directory, since
/// that of a socket has 107 bytes at most.
pub(super) fn listen(job: &JobDirectory) -> io::Result<UnixListener> {
    let path = format!("/proc/self/fd/{}/{SOCKET}", job.as_fd().as_raw_fd());
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(&path)?;
    std::fs::set_permissions(&path, Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}
