//! The streams of a running job, and the destinations of its output.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

use crate::job::io::backpressure::Backpressure;
use crate::job::io::input::Feeder;
use crate::job::io::observer::{Observer, StreamName};
use crate::job::io::output::{Output, SharedRing, Sinks, Turn};
use crate::job::io::spill::SpillFile;
use crate::job::launch::HostEnds;
use crate::job::launch::pending::Job;
use crate::job::model::outcome::Captured;
use crate::job::model::plan::WindowSize;
use crate::job::terminal::LiveScreen;
use crate::process::errno::Errno;
use crate::process::pipe::PipeReader;
use crate::process::pty::set_size;
use crate::text::view::ViewBuilder;

/// The event that ended a wait for the streams.
pub(super) enum Ready {
    Output(StreamName),
    Input,
    /// There may be room for more output.
    Room,
}

/// The streams of a running job.
pub(super) struct Streams {
    pub(super) stdout: Output,
    pub(super) stderr: Output,
    pub(super) feeder: Feeder,
    /// The program's end of its terminal, held until the leader has exited. So the output does not end when the
    /// program closes its terminal, which it may open again.
    pub(super) terminal: Option<OwnedFd>,
    pub(super) screen: Option<Arc<LiveScreen>>,
    pub(super) ring: Option<SharedRing>,
    pub(super) spill: Option<SpillFile>,
    pub(super) view: Option<ViewBuilder>,
    flow: Arc<Backpressure>,
    /// Whether a caller waits for the next output.
    is_watched: Arc<AtomicBool>,
}

impl Streams {
    /// Connects the host's ends to the runtime.
    pub(super) fn new(job: &Job, ends: HostEnds, spill: Option<SpillFile>) -> io::Result<Self> {
        let HostEnds { stdin, stdout, stderr, terminal } = ends;
        let plan = &job.plan.output;
        let output = |name, pipe| Output::new(name, pipe, &plan.keeping, plan.is_plain);
        Ok(Self {
            feeder: Feeder::new(Arc::clone(&job.input), stdin)?,
            stdout: output(StreamName::Stdout, Some(stdout))?,
            stderr: output(StreamName::Stderr, stderr)?,
            terminal,
            screen: job.screen.clone(),
            ring: job.ring.clone(),
            spill,
            view: plan.view.as_ref().map(ViewBuilder::new),
            flow: Arc::clone(&job.flow),
            is_watched: Arc::clone(&job.is_watched),
        })
    }

    /// Waits until a stream is ready, or until there may be room for output if it may not be read. Waits for ever if all streams
    /// have ended.
    pub(super) async fn ready(&mut self, may_read: bool) -> Ready {
        let has_open = !(self.has_ended() && self.feeder.is_done());
        let Self { stdout, stderr, feeder, flow, spill, screen, .. } = self;
        tokio::select! {
            biased;
            () = room(flow, spill.as_ref(), screen.as_deref()), if !may_read => Ready::Room,
            ready = any_of(stdout, stderr, feeder, may_read), if has_open => ready,
            else => std::future::pending().await,
        }
    }

    /// Returns whether the consumer takes more text.
    pub(super) fn is_wanted(&self) -> bool {
        self.flow.has_room()
    }

    /// Returns whether the file and the screen can take more.
    pub(super) fn has_room(&self) -> bool {
        self.spill.as_ref().is_none_or(SpillFile::has_room)
            && self.screen.as_ref().is_none_or(|screen| screen.has_room())
    }

    /// Reads one turn of a stream.
    pub(super) fn read(&mut self, name: StreamName, observer: &dyn Observer) -> Turn {
        let turn = self.with_sinks(observer, |outputs, sinks| {
            outputs[usize::from(name == StreamName::Stderr)].read(sinks)
        });
        self.report_change(turn.has_read, observer);
        turn
    }

    /// Reads the data in the pipes, also when the consumer is slow. One turn empties a pipe. Returns whether there was any data.
    pub(super) fn read_all(&mut self, observer: &dyn Observer) -> bool {
        let turns = self.with_sinks(observer, |outputs, sinks| outputs.map(|output| output.read(sinks)));
        let has_read = turns.iter().any(|turn| turn.has_read);
        self.report_change(has_read, observer);
        has_read
    }

    fn report_change(&self, has_read: bool, observer: &dyn Observer) {
        if has_read && self.is_watched.swap(false, Ordering::AcqRel) {
            observer.changed();
        }
    }

    /// Returns whether both outputs have ended.
    pub(super) const fn has_ended(&self) -> bool {
        self.stdout.has_ended() && self.stderr.has_ended()
    }

    /// Returns the inodes of the open pipes.
    pub(super) fn pipes(&self) -> Vec<u64> {
        [&self.stdout, &self.stderr].into_iter().filter_map(Output::inode).collect()
    }

    /// Changes the size of the terminal. If that fails, the program goes on with the old size.
    pub(super) fn resize(&self, size: WindowSize) {
        if let Some(terminal) = self.stdout.descriptor() {
            let _ = set_size(terminal, size);
        }
    }

    /// Returns a copy of the captured output so far.
    pub(super) fn captured(&self) -> [Captured; 2] {
        [self.stdout.captured(), self.stderr.captured()]
    }

    /// Returns the captured output and releases it.
    pub(super) fn take_captured(&mut self) -> [Captured; 2] {
        [self.stdout.take_captured(), self.stderr.take_captured()]
    }

    /// Returns the error that ended an output early.
    pub(super) fn error(&self) -> Option<Errno> {
        self.stdout.error().or(self.stderr.error())
    }

    /// Returns the amount of text that has gone into the ring (bytes).
    pub(super) fn cursor(&self) -> Option<u64> {
        self.ring.as_ref().map(|ring| ring.lock().unwrap_or_else(PoisonError::into_inner).cursor())
    }

    /// Closes the input, the terminal, the screen and the file. Returns the pipes that other processes still hold open.
    pub(super) async fn finish(&mut self, observer: &dyn Observer) -> Vec<PipeReader> {
        self.feeder.close(observer);
        self.terminal = None;
        let held = self.with_sinks(observer, |outputs, sinks| outputs.map(|output| output.abandon(sinks)));
        if let Some(screen) = &self.screen {
            screen.end();
        }
        if let Some(spill) = &self.spill {
            spill.flush().await;
        }
        held.into_iter().flatten().collect()
    }

    /// Borrows the two outputs and their destinations side by side.
    fn with_sinks<T>(
        &mut self,
        observer: &dyn Observer,
        act: impl FnOnce([&mut Output; 2], &mut Sinks<'_>) -> T,
    ) -> T {
        let mut sinks = Sinks {
            flow: &self.flow,
            observer,
            ring: self.ring.as_ref(),
            spill: self.spill.as_mut(),
            view: self.view.as_mut(),
            screen: self.screen.as_ref(),
        };
        act([&mut self.stdout, &mut self.stderr], &mut sinks)
    }
}

/// Waits until there may be room for more output.
async fn room(flow: &Backpressure, spill: Option<&SpillFile>, screen: Option<&LiveScreen>) {
    match (spill, screen) {
        (Some(spill), _) if !spill.has_room() => spill.room().await,
        (_, Some(screen)) if !screen.has_room() => screen.room().await,
        _ => flow.room().await,
    }
}

/// Waits for any of the streams, without a priority among them.
async fn any_of(stdout: &mut Output, stderr: &mut Output, feeder: &mut Feeder, may_read: bool) -> Ready {
    tokio::select! {
        () = stdout.ready(), if may_read => Ready::Output(StreamName::Stdout),
        () = stderr.ready(), if may_read => Ready::Output(StreamName::Stderr),
        () = feeder.ready() => Ready::Input,
    }
}
