//! The streams of a running command, and the destinations of its output.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

use super::asking::redactor_of;
use crate::job::io::backpressure::Backpressure;
use crate::job::io::input::Feeder;
use crate::job::io::observed::ObservedOutput;
use crate::job::io::observer::{Observer, StreamName};
use crate::job::io::output::{OutputStream, SharedRing, Sinks, Turn};
use crate::job::io::spill::SpillFile;
use crate::job::io::unfinished::Unfinished;
use crate::job::launch::HostEnds;
use crate::job::launch::pending::Job;
use crate::job::model::outcome::Captured;
use crate::job::model::plan::{self, WindowSize};
use crate::job::terminal::LiveScreen;
use crate::process::errno::Errno;
use crate::process::pipe::PipeReader;
use crate::process::pty::Peer;
use crate::text::view::ViewBuilder;

/// The event that ended a wait for the streams.
#[derive(Debug)]
pub(crate) enum Ready {
    Output(StreamName),
    Input,
    /// An observer or a spill file may have room for more output.
    Room,
}

/// The streams of a running command.
#[derive(Debug)]
pub(crate) struct CommandStreams {
    pub(crate) stdout: OutputStream,
    pub(crate) stderr: OutputStream,
    pub(crate) feeder: Feeder,
    /// The program's end of its terminal, held until the leader has exited. So the output does not end when
    /// the program closes its terminal, which it may open again.
    pub(crate) terminal: Option<Peer>,
    pub(crate) screen: Option<Arc<LiveScreen>>,
    pub(crate) ring: Option<SharedRing>,
    pub(crate) spill: Option<SpillFile>,
    pub(crate) view: Option<ViewBuilder>,
    observed: Option<ObservedOutput>,
    /// Whether new output ends a wait. Otherwise the output stays in its pipes.
    pub(crate) wakes_on_output: bool,
    unfinished: Unfinished,
    flow: Arc<Backpressure>,
    /// Whether a caller waits for the next output.
    is_watched: Arc<AtomicBool>,
}

impl CommandStreams {
    /// Connects the host's ends of a job to the runtime.
    pub(in crate::job) fn of_job(job: &Job, ends: HostEnds, spill: Option<SpillFile>) -> io::Result<Self> {
        let HostEnds { stdin, stdout, stderr, terminal } = ends;
        let (plan, shared) = (&job.plan.output, &*job.shared);
        let output = |name, pipe| OutputStream::new(name, pipe, plan);
        let outputs = [output(StreamName::Stdout, Some(stdout))?, output(StreamName::Stderr, stderr)?];
        let feeder = Feeder::new(Arc::clone(&shared.input), stdin)?;
        Ok(Self {
            terminal,
            screen: shared.screen.clone(),
            ring: shared.ring.clone(),
            is_watched: Arc::clone(&shared.is_watched),
            ..Self::new(outputs, feeder, spill, plan, Arc::clone(&shared.flow))
        })
    }

    /// Creates the streams of a command without a terminal, whose latest text is not kept.
    pub(crate) fn new(
        [stdout, stderr]: [OutputStream; 2],
        feeder: Feeder,
        spill: Option<SpillFile>,
        plan: &plan::Output,
        flow: Arc<Backpressure>,
    ) -> Self {
        Self {
            stdout,
            stderr,
            feeder,
            terminal: None,
            screen: None,
            ring: None,
            spill,
            view: plan.view.as_ref().map(ViewBuilder::new),
            observed: plan.observed.clone(),
            wakes_on_output: true,
            unfinished: Unfinished::default(),
            flow,
            is_watched: Arc::default(),
        }
    }

    /// Waits until a stream is ready, or until there may be room for output if it may not be read. Waits for
    /// ever if all streams have ended.
    pub(crate) async fn ready(&mut self, may_read: bool) -> Ready {
        let has_open = !(self.has_ended() && self.feeder.is_done());
        let Self { stdout, stderr, feeder, flow, spill, screen, observed, wakes_on_output, .. } = self;
        let is_output_due = may_read && *wakes_on_output;
        tokio::select! {
            biased;
            () = room(flow, spill.as_ref(), screen.as_deref(), observed.as_ref()), if !may_read => Ready::Room,
            ready = any_of(stdout, stderr, feeder, is_output_due), if has_open => ready,
            else => std::future::pending().await,
        }
    }

    /// Returns whether the consumer takes more text.
    pub(crate) fn is_wanted(&self) -> bool {
        self.flow.has_room()
    }

    /// Returns whether the file, the screen and an observer can take more.
    pub(crate) fn has_room(&self) -> bool {
        self.spill.as_ref().is_none_or(SpillFile::has_room)
            && self.screen.as_ref().is_none_or(|screen| screen.has_room())
            && self.observed.as_ref().is_none_or(ObservedOutput::has_room)
    }

    /// Reads one turn of a stream.
    pub(crate) fn read(&mut self, name: StreamName, observer: &dyn Observer) -> Turn {
        let turn = self.with_sinks(observer, |outputs, sinks| {
            outputs[usize::from(name == StreamName::Stderr)].read(sinks)
        });
        self.report(turn.has_read, observer);
        turn
    }

    /// Reads the data in the pipes, also when the consumer is slow. One turn empties a pipe. Returns whether
    /// there was any data.
    pub(crate) fn read_all(&mut self, observer: &dyn Observer) -> bool {
        let turns = self.with_sinks(observer, |outputs, sinks| outputs.map(|output| output.read(sinks)));
        let has_read = turns.iter().any(|turn| turn.has_read);
        self.report(has_read, observer);
        has_read
    }

    /// Reports the unfinished lines now, or when they have changed since the last report.
    pub(crate) fn ask_for_unfinished(&mut self, observer: &dyn Observer) {
        self.unfinished.ask();
        self.report_unfinished(observer);
    }

    fn report(&mut self, has_read: bool, observer: &dyn Observer) {
        if !has_read {
            return;
        }
        if self.is_watched.swap(false, Ordering::AcqRel) {
            observer.changed();
        }
        if self.observed.as_ref().is_some_and(ObservedOutput::take_watch) {
            observer.observed();
        }
        self.unfinished.note_output();
        self.report_unfinished(observer);
    }

    fn report_unfinished(&mut self, observer: &dyn Observer) {
        let Self { unfinished, stdout, stderr, .. } = self;
        if let Some(lines) = unfinished.due(|| [stdout, stderr].map(|output| output.unfinished_line())) {
            observer.unfinished(lines);
        }
    }

    /// Returns whether both outputs have ended.
    pub(crate) const fn has_ended(&self) -> bool {
        self.stdout.has_ended() && self.stderr.has_ended()
    }

    /// Returns the inodes of the open pipes.
    pub(crate) fn pipes(&self) -> Vec<u64> {
        [&self.stdout, &self.stderr].into_iter().filter_map(OutputStream::inode).collect()
    }

    /// Replaces an answer in what is read from now on.
    pub(crate) fn hide(&mut self, answer: &str) {
        if let Some(redactor) = redactor_of(answer) {
            self.stdout.redact(&redactor);
            self.stderr.redact(&redactor);
        }
    }

    /// Changes the size of the terminal. If that fails, the program goes on with the old size.
    pub(crate) fn resize(&self, size: WindowSize) {
        self.stdout.resize(size);
    }

    /// Returns a copy of the captured output so far.
    pub(crate) fn captured(&self) -> [Captured; 2] {
        [self.stdout.captured(), self.stderr.captured()]
    }

    /// Returns the captured output and releases it.
    pub(crate) fn take_captured(&mut self) -> [Captured; 2] {
        [self.stdout.take_captured(), self.stderr.take_captured()]
    }

    /// Returns the error that ended an output early.
    pub(crate) fn error(&self) -> Option<Errno> {
        self.stdout.error().or(self.stderr.error())
    }

    /// Returns the amount of text that has gone into the ring (bytes).
    pub(crate) fn cursor(&self) -> Option<u64> {
        self.ring.as_ref().map(|ring| ring.lock().unwrap_or_else(PoisonError::into_inner).cursor())
    }

    /// Closes the input, the terminal, the screen and the file. Returns the pipes that other processes still
    /// hold open.
    pub(crate) async fn finish(&mut self, observer: &dyn Observer) -> [Option<PipeReader>; 2] {
        self.feeder.close(observer);
        self.terminal = None;
        let held = self.with_sinks(observer, |outputs, sinks| outputs.map(|output| output.abandon(sinks)));
        if let Some(screen) = &self.screen {
            screen.end();
        }
        if let Some(spill) = &self.spill {
            spill.flush().await;
        }
        held
    }

    /// Appends bytes to standard output that did not come through its pipe, after its end.
    pub(crate) fn append(&mut self, bytes: &[u8], observer: &dyn Observer) {
        self.with_sinks(observer, |[stdout, _], sinks| {
            stdout.append(bytes, sinks);
            stdout.finish(sinks);
        });
    }

    /// Borrows the two outputs and their destinations side by side.
    fn with_sinks<T>(
        &mut self,
        observer: &dyn Observer,
        act: impl FnOnce([&mut OutputStream; 2], &mut Sinks<'_>) -> T,
    ) -> T {
        let mut sinks = Sinks {
            flow: &self.flow,
            observer,
            ring: self.ring.as_ref(),
            spill: self.spill.as_mut(),
            view: self.view.as_mut(),
            observed: self.observed.as_ref(),
            screen: self.screen.as_ref(),
        };
        act([&mut self.stdout, &mut self.stderr], &mut sinks)
    }
}

/// Waits until there may be room for more output.
async fn room(
    flow: &Backpressure,
    spill: Option<&SpillFile>,
    screen: Option<&LiveScreen>,
    observed: Option<&ObservedOutput>,
) {
    match (spill, screen, observed) {
        (Some(spill), _, _) if !spill.has_room() => spill.room().await,
        (_, Some(screen), _) if !screen.has_room() => screen.room().await,
        (_, _, Some(observed)) if !observed.has_room() => observed.room().await,
        _ => flow.room().await,
    }
}

/// Waits for any of the streams, without a priority among them.
async fn any_of(
    stdout: &mut OutputStream,
    stderr: &mut OutputStream,
    feeder: &mut Feeder,
    wakes_on_output: bool,
) -> Ready {
    tokio::select! {
        () = stdout.ready(), if wakes_on_output => Ready::Output(StreamName::Stdout),
        () = stderr.ready(), if wakes_on_output => Ready::Output(StreamName::Stderr),
        () = feeder.ready() => Ready::Input,
    }
}
