//! The task of an attachment, on the I/O thread: it passes requests on to the supervisor, input too, and
//! plays the log. The end of a job is reported when its output has reached the job.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{oneshot, watch};

use super::link::{SupervisorLink, input_ready, link_ready, recovered};
use super::playback::{Playback, PlaybackWait};
use super::{AfterLoss, after_loss};
use crate::durable::command::{DurableRequest, DurableState, SharedInfo, while_it_passes};
use crate::durable::error::DurableError;
use crate::durable::socket::{SupervisorRefusal, SupervisorSocket};
use crate::engine::Engine;
use crate::helper::durable::directory::JobDirectory;
use crate::helper::durable::protocol::{HostRequest, JobEvent};
use crate::helper::durable::record::Lines;
use crate::helper::durable::record::end::{EndCause, JobEnd, KILLED};
use crate::helper::supervisor::protocol::credit::Allowance;
use crate::helper::supervisor::protocol::frame::MAX_PAYLOAD;
use crate::process::pipe::{PipeReader, Read};

/// The unsent bytes beyond which input waits.
const FULL: usize = 128 * 1024;

/// A job to which this host is attached.
pub(in crate::durable) struct Attachment {
    pub(in crate::durable) engine: &'static Engine,
    pub(in crate::durable) directory: JobDirectory,
    pub(in crate::durable) jobs: std::path::PathBuf,
    pub(in crate::durable) info: SharedInfo,
    pub(in crate::durable) state: watch::Sender<DurableState>,
    pub(in crate::durable) requests: UnboundedReceiver<DurableRequest>,
    pub(in crate::durable) playback: Playback,
    pub(in crate::durable) input: Option<PipeReader>,
    link: Option<SupervisorLink>,
    /// The answer of a thread that finds out what became of the supervisor.
    recovery: Option<oneshot::Receiver<AfterLoss>>,
    /// The requests that came in the meantime, as frames.
    late: Vec<u8>,
    /// Once the job lets go: whether the end of its pipe is that of the input. Before, it is.
    is_input_ended: Option<bool>,
    allowance: Allowance,
    /// The input that was sent so far (bytes).
    passed: Arc<AtomicU64>,
    lists: VecDeque<oneshot::Sender<Vec<i32>>>,
    /// The cursor up to which there is output.
    total: u64,
    is_watching: bool,
    /// The exit of the leader, and the end, until the output before them has reached the job.
    exit: Option<JobEnd>,
    end: Option<JobEnd>,
}

/// The state of a job at the beginning of an attachment.
pub(in crate::durable) enum JobNow {
    Runs(SupervisorSocket),
    Ended(JobEnd),
}

/// The parts of an attachment that are not made on the I/O thread.
pub(in crate::durable) struct AttachmentParts {
    pub(in crate::durable) engine: &'static Engine,
    pub(in crate::durable) jobs: std::path::PathBuf,
    pub(in crate::durable) directory: JobDirectory,
    pub(in crate::durable) info: SharedInfo,
    pub(in crate::durable) state: watch::Sender<DurableState>,
    pub(in crate::durable) requests: UnboundedReceiver<DurableRequest>,
    pub(in crate::durable) input: Option<OwnedFd>,
    pub(in crate::durable) passed: Arc<AtomicU64>,
    pub(in crate::durable) playback: Box<dyn FnOnce() -> io::Result<Playback> + Send>,
    pub(in crate::durable) total: u64,
    pub(in crate::durable) now: JobNow,
}

/// Runs an attachment until the job has ended or nobody wants it.
pub(in crate::durable) async fn attend(parts: AttachmentParts) {
    let id = parts.info.lock().facts.id.clone();
    let state = parts.state.clone();
    match Attachment::new(parts) {
        Ok(attachment) => attachment.run().await,
        Err(error) => {
            let error = DurableError::unavailable(format!("the job {id} can't be watched: {error}"));
            report(&state, Err(error), true);
        }
    }
}

fn report(state: &watch::Sender<DurableState>, exit: Result<JobEnd, DurableError>, is_gone: bool) {
    state.send_modify(|state| {
        // The end has the cause, which the first report of an exit may not know.
        if is_gone || state.exit.is_none() {
            state.exit = Some(exit);
        }
        state.is_gone |= is_gone;
    });
}

impl Attachment {
    fn new(parts: AttachmentParts) -> io::Result<Self> {
        let AttachmentParts {
            engine,
            jobs,
            directory,
            info,
            state,
            requests,
            input,
            passed,
            playback,
            total,
            now,
        } = parts;
        let (link, end) = match now {
            JobNow::Runs(socket) => (Some(SupervisorLink::new(socket)?), None),
            JobNow::Ended(end) => (None, Some(end)),
        };
        Ok(Self {
            engine,
            directory,
            jobs,
            info,
            state,
            requests,
            playback: playback()?,
            input: input.filter(|_| link.is_some()).map(PipeReader::new).transpose()?,
            link,
            recovery: None,
            late: Vec::new(),
            is_input_ended: None,
            allowance: Allowance::default(),
            passed,
            lists: VecDeque::new(),
            total: end.as_ref().map_or(total, |end| end.total),
            is_watching: false,
            exit: None,
            end,
        })
    }

    async fn run(mut self) {
        // Events may have come right behind the greeting or the start.
        self.read_events();
        loop {
            let before = self.playback.dropped();
            let waits = self.playback.step(self.total);
            if self.playback.dropped() > before {
                self.count_dropped();
            }
            if self.report_progress() {
                return;
            }
            if waits == PlaybackWait::Output {
                self.watch();
            }
            self.relay_input();
            if self.link.as_mut().is_some_and(|link| link.flush().is_err()) {
                self.lose();
            }
            let takes_input = self.takes_input();
            let Self { requests, link, input, playback, recovery, .. } = &mut self;
            tokio::select! {
                biased;
                request = requests.recv() => match request {
                    Some(request) => self.handle(request),
                    // The job has let go.
                    None => return self.detach().await,
                },
                after = recovered(recovery) => self.recover(after),
                () = link_ready(link) => self.hear(),
                () = input_ready(input), if takes_input => {}
                () = playback.ready(waits) => {}
            }
        }
    }

    /// Reports an exit or the end, if the output before it has reached the job. Returns whether all is over.
    fn report_progress(&mut self) -> bool {
        if let Some(end) = self.end.take_if(|end| self.playback.has_delivered(end.total)) {
            self.playback.close();
            self.info.lock().note_end(end.clone());
            self.count_dropped();
            let id = self.info.lock().facts.id.clone();
            let exit = if end.cause == EndCause::Lost {
                Err(DurableError::lost(&id, end.reason.as_deref().unwrap_or(KILLED)))
            } else {
                Ok(end)
            };
            report(&self.state, exit, true);
            return true;
        }
        if let Some(exit) = self.exit.take_if(|exit| self.playback.has_delivered(exit.total)) {
            report(&self.state, Ok(exit), false);
        }
        false
    }

    /// Counts what this host has missed, which may be more than the supervisor knows: others can cut a log.
    fn count_dropped(&self) {
        let mut info = self.info.lock();
        info.dropped = info.dropped.max(self.playback.dropped());
    }

    /// Asks the supervisor to tell when there is more.
    fn watch(&mut self) {
        if let Some(link) = &mut self.link
            && !self.is_watching
        {
            HostRequest::Watch(self.playback.cursor()).put(&mut link.out);
            self.is_watching = true;
        }
    }

    fn takes_input(&self) -> bool {
        self.allowance.left() > 0 && self.link.as_ref().is_some_and(|link| link.out.len() < FULL)
    }

    /// Sends what the job has written, and the end of its pipe, if that is the end of the input. Returns
    /// whether the pipe is empty.
    fn relay_input(&mut self) -> bool {
        while self.takes_input() {
            let (Some(input), Some(link)) = (&mut self.input, &mut self.link) else { return true };
            let mut bytes = Vec::with_capacity(self.allowance.left().min(MAX_PAYLOAD));
            match input.read(&mut bytes) {
                Read::Bytes(count) => {
                    self.allowance.spend(count);
                    self.passed.fetch_add(u64::try_from(count).unwrap_or(0), Ordering::AcqRel);
                    HostRequest::Stdin(&bytes).put(&mut link.out);
                }
                Read::Empty => return true,
                Read::End | Read::Failed(_) => {
                    self.input = None;
                    if self.is_input_ended.unwrap_or(true) {
                        HostRequest::StdinEnd.put(&mut link.out);
                    }
                }
            }
        }
        false
    }

    fn handle(&mut self, request: DurableRequest) {
        let request = match request {
            DurableRequest::Stop { signal, grace } => HostRequest::Stop {
                signal,
                grace: grace.map(|grace| u64::try_from(grace.as_millis()).unwrap_or(u64::MAX - 1)),
            },
            DurableRequest::Signal { number, scope } => HostRequest::Signal { number, scope },
            DurableRequest::Leave => HostRequest::Leave,
            DurableRequest::Resize(size) => HostRequest::Resize(size),
            DurableRequest::Detach { is_input_ended } => {
                self.is_input_ended = Some(is_input_ended);
                return;
            }
            DurableRequest::List(..) if self.link.is_none() => return,
            DurableRequest::List(listed, answer) => {
                self.lists.push_back(answer);
                HostRequest::List(listed)
            }
        };
        // Without a connection, the request waits for the next one.
        request.put(self.link.as_mut().map_or(&mut self.late, |link| &mut link.out));
    }

    /// Handles what the supervisor has sent.
    fn hear(&mut self) {
        let Some(link) = &mut self.link else { return };
        if link.receive().is_err() {
            self.read_events();
            return self.lose();
        }
        self.read_events();
    }

    fn read_events(&mut self) {
        let Some(link) = &mut self.link else { return };
        let mut reader = std::mem::take(&mut link.reader);
        while let Ok(Some(frame)) = reader.next_frame() {
            if let Some(event) = JobEvent::decode(frame) {
                self.note(event);
            }
        }
        if let Some(link) = &mut self.link {
            link.reader = reader;
        }
    }

    fn note(&mut self, event: JobEvent<'_>) {
        match event {
            JobEvent::Grew(cursor) => {
                self.total = self.total.max(cursor);
                self.is_watching = false;
                let mut info = self.info.lock();
                info.total = info.total.max(cursor);
            }
            JobEvent::Pids(pids) => {
                if let Some(answer) = self.lists.pop_front() {
                    let _ = answer.send(pids.into_iter().filter_map(|pid| i32::try_from(pid).ok()).collect());
                }
            }
            JobEvent::Credit(count) => self.allowance.add(count),
            JobEvent::StdinGone => self.input = None,
            JobEvent::Exited(lines) => {
                self.exit = JobEnd::of_lines(&lines);
                self.total = self.total.max(self.exit.as_ref().map_or(0, |exit| exit.total));
            }
            JobEvent::Ended(lines) => self.note_end(&lines),
            JobEvent::EndsAt(at) => self.info.lock().ends_at = at,
            JobEvent::Hello(hello) => self.info.lock().note(&hello),
            JobEvent::Refused(_) | JobEvent::Started { .. } | JobEvent::Failed(_) => {}
        }
    }

    fn note_end(&mut self, lines: &Lines) {
        if let Some(end) = JobEnd::of_lines(lines) {
            self.end_with(end);
        }
    }

    fn end_with(&mut self, end: JobEnd) {
        self.total = end.total;
        self.end = Some(end);
        self.input = None;
        self.lists.clear();
    }

    /// Finds out, on another thread, why the supervisor is not there any more.
    fn lose(&mut self) {
        self.link = None;
        self.lists.clear();
        self.is_watching = false;
        if self.end.is_some() {
            return;
        }
        let (sender, receiver) = oneshot::channel();
        let (jobs, id) = (self.jobs.clone(), self.info.lock().facts.id.clone());
        let directory = self.directory.try_clone();
        let work = move || {
            let after = directory.map_or(AfterLoss::Refused(SupervisorRefusal::Silent), |directory| {
                after_loss(&jobs, &id, &directory)
            });
            let _ = sender.send(after);
        };
        // Without a thread, the sender is dropped with the work.
        let _ = self.engine.spawners().run(Box::new(work));
        self.recovery = Some(receiver);
    }

    fn recover(&mut self, after: AfterLoss) {
        self.recovery = None;
        let id = self.info.lock().facts.id.clone();
        match after {
            AfterLoss::Ended(end) => self.end_with(end),
            AfterLoss::Runs(socket, hello) => match SupervisorLink::new(socket) {
                Ok(mut link) => {
                    link.out.append(&mut self.late);
                    self.allowance = Allowance::default();
                    self.total = self.total.max(hello.total);
                    self.info.lock().note(&hello);
                    self.link = Some(link);
                }
                Err(error) => self.give_up(&DurableError::lost(&id, &error.to_string())),
            },
            AfterLoss::Refused(_) => self.give_up(&DurableError::lost(&id, "its supervisor does not answer")),
        }
    }

    fn give_up(&mut self, error: &DurableError) {
        self.playback.close();
        report(&self.state, Err(error.clone()), true);
    }

    /// Sends what is still to be sent: a job may have been written to, or killed, just before it was let go.
    async fn detach(mut self) {
        self.is_input_ended.get_or_insert(false);
        let passed = Arc::clone(&self.passed);
        let rest = async {
            loop {
                // The job is gone: nothing follows on an empty pipe.
                if self.relay_input() {
                    self.input = None;
                }
                let Some(link) = &mut self.link else { return };
                if link.flush().is_err() || (self.input.is_none() && link.out.is_empty()) {
                    return;
                }
                link_ready(&mut self.link).await;
                self.hear();
            }
        };
        // The supervisor answers within a millisecond, and a command reads input when it likes.
        let _ = while_it_passes(&passed, rest).await;
    }
}
