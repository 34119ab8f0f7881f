//! The output of a command that does not run, for tests that answer commands from a recording or a script.
//!
//! The streams, the ring, the screen, the view and the result are the engine's, so that a test gets what a
//! command with this output would give.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use napi::bindgen_prelude::{BufferSlice, Either, Env, Result};
use napi_derive::napi;

use super::calls::reading::piece_of;
use super::calls::terminal::TerminalScreen;
use super::error::NativeError;
use super::result::event::ByteStreams;
use super::result::live::piece::{Chunk, Piece, StreamSpec};
use super::result::run_result::{RunResult, RunStatus};
use super::spec::bash::BashSpec;
use super::spec::pty::{PtySpec, size};
use super::spec::run::MoreSpec;
use super::spec::view::ViewSpec;
use super::spec::{signal_of, whole};
use crate::job::Outcome;
use crate::job::io::backpressure::{Backpressure, Demand};
use crate::job::io::input::JobInput;
use crate::job::io::observer::{Observer, StreamName};
use crate::job::io::output::{OutputStream, SharedRing, Sinks};
use crate::job::model::error::LaunchError;
use crate::job::model::outcome::{Cause, End, Spilled};
use crate::job::model::plan::{Form, Input, Output, Terminal};
use crate::job::terminal::LiveScreen;
use crate::process::wait::Exit;
use crate::text::view::ViewBuilder;
use crate::text::{self, Kept, Ring};
use crate::tools::bash_function;
use crate::tools::result::format::ResultFormat;

/// The end of a command, as a recording or a script says it.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct ReplayEnd {
    pub status: RunStatus,
    pub exit_code: Option<u32>,
    pub signal: Option<String>,
    /// The time from the call to the end (ms).
    pub duration_ms: f64,
    /// The path and the size of the file with the whole output (bytes).
    pub spill_path: Option<String>,
    pub spill_bytes: Option<f64>,
    pub spill_complete: Option<bool>,
}

/// A result, with its output if that stays bytes.
#[napi(object, object_from_js = false)]
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct ReplayedResult {
    pub result: RunResult,
    pub bytes: Option<ByteStreams>,
}

/// The output of a command that does not run.
#[derive(Debug)]
#[napi]
pub struct OutputReplay {
    outputs: [OutputStream; 2],
    /// Whether standard output has both streams.
    is_one_stream: bool,
    form: Form,
    format: ResultFormat,
    ring: Option<SharedRing>,
    view: Option<ViewBuilder>,
    screen: Option<Arc<LiveScreen>>,
    flow: Backpressure,
}

/// Collects the chunks for the consumer of the output.
#[derive(Default)]
struct Collector(Mutex<Vec<(StreamName, text::Chunk)>>);

impl Observer for Collector {
    fn output(&self, stream: StreamName, chunk: text::Chunk) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((stream, chunk));
    }

    fn ended(&self, _: Outcome) {}
}

#[napi]
impl OutputReplay {
    /// Creates the output of a command of `run()`, a table of jobs or a session.
    #[napi(factory, catch_unwind)]
    pub fn of_run(more: Option<MoreSpec>) -> Self {
        let more = more.unwrap_or_default();
        let terminal = more.pty.as_ref().map(PtySpec::terminal);
        Self::new(&more.output(None), terminal, ResultFormat::Run)
    }

    /// Creates the output of a `BashJob`. A call that would be refused returns that result.
    #[napi(catch_unwind)]
    pub fn of_bash(call: BashSpec, view: Option<ViewSpec>) -> Either<OutputReplay, NativeError> {
        let form = if call.bytes == Some(true) { Form::Bytes } else { Form::Text };
        let terminal = call.pty.as_ref().map(PtySpec::terminal);
        let call = match call.call() {
            Ok(call) => call,
            Err(wrong) => return Either::B(wrong),
        };
        match bash_function::plan(call) {
            Ok(plan) => {
                let view = view.map(|view| view.options(Some(&plan.invocation), false));
                let format = ResultFormat::bash(&plan);
                Either::A(Self::new(&Output { form, view, ..plan.output }, terminal, format))
            }
            Err(refusal) => Either::B(refusal.into()),
        }
    }

    /// Adds output of a stream, and returns what the consumer of the output gets.
    ///
    /// # Errors
    ///
    /// When Node.js has no memory for the bytes.
    #[napi(catch_unwind)]
    pub fn push(&mut self, env: Env, stream: StreamSpec, bytes: &[u8]) -> Result<Vec<Chunk>> {
        let index = usize::from(matches!(stream, StreamSpec::Stderr) && !self.is_one_stream);
        self.with_sinks(env, |outputs, sinks| outputs[index].append(bytes, sinks))
    }

    /// Ends the output, and returns what its consumer gets at the end.
    ///
    /// # Errors
    ///
    /// When Node.js has no memory for the bytes.
    #[napi(catch_unwind)]
    pub fn finish(&mut self, env: Env) -> Result<Vec<Chunk>> {
        self.with_sinks(env, |outputs, sinks| outputs.iter_mut().for_each(|output| output.finish(sinks)))
    }

    /// Returns the result of the command with the output so far.
    ///
    /// # Errors
    ///
    /// When Node.js has no memory for the bytes.
    #[napi(catch_unwind)]
    pub fn result(&self, env: Env, end: ReplayEnd) -> Result<ReplayedResult> {
        let [stdout, stderr] = self.outputs.each_ref().map(OutputStream::captured);
        let cursor =
            self.ring.as_ref().map(|ring| ring.lock().unwrap_or_else(PoisonError::into_inner).cursor());
        let spilled = end.spill_path.clone().map(|path| Spilled {
            path,
            bytes: end.spill_bytes.map_or(0, whole),
            is_complete: end.spill_complete.unwrap_or(true),
            errno: None,
        });
        let duration = Duration::try_from_secs_f64(end.duration_ms / 1000.0).unwrap_or_default();
        let outcome = Outcome {
            end: end.end(),
            cause: end.cause(),
            stdout,
            stderr,
            cursor,
            spilled,
            view: self.view.clone(),
            ..Outcome::not_started(LaunchError::Stopped, None, duration)
        };
        if self.form != Form::Bytes {
            return Ok(ReplayedResult { result: RunResult::of(&outcome, &self.format, ""), bytes: None });
        }
        let result = RunResult::without_text(&outcome, &self.format, "");
        let bytes = [outcome.stdout.kept, outcome.stderr.kept].map(Kept::into_bytes);
        Ok(ReplayedResult { result, bytes: Some(ByteStreams::of(env, bytes)?) })
    }

    /// Returns the latest output from a cursor on; null without a ring.
    ///
    /// # Errors
    ///
    /// When Node.js has no memory for the bytes.
    #[napi(catch_unwind)]
    pub fn read(&self, env: Env, since: f64) -> Result<Option<Piece>> {
        self.ring.as_ref().map(|ring| piece_of(env, ring, since)).transpose()
    }

    /// Returns the screen; null without a terminal.
    #[napi(catch_unwind)]
    pub fn screen(&self) -> Option<TerminalScreen> {
        self.screen.as_ref().map(|screen| TerminalScreen::of(Arc::clone(screen)))
    }

    /// Changes the size of the terminal.
    #[napi(catch_unwind)]
    pub fn resize(&self, cols: u32, rows: u32) {
        if let Some(screen) = &self.screen {
            screen.resize(size(cols, rows));
        }
    }
}

impl OutputReplay {
    fn new(plan: &Output, terminal: Option<Terminal>, format: ResultFormat) -> Self {
        let stream = |name| OutputStream::of_pipe(name, None, plan);
        let ring = plan.ring.map(|limit| match plan.form {
            Form::Bytes => Ring::of_bytes(limit),
            Form::Text | Form::Plain => Ring::new(limit),
        });
        let input = Arc::new(JobInput::new(&mut Input::Empty, true));
        Self {
            outputs: [stream(StreamName::Stdout), stream(StreamName::Stderr)],
            is_one_stream: plan.is_merged || terminal.is_some(),
            form: plan.form,
            format,
            ring: ring.map(|ring| Arc::new(Mutex::new(ring))),
            view: plan.view.as_ref().map(ViewBuilder::new),
            screen: terminal.map(|terminal| Arc::new(LiveScreen::new(terminal, &input))),
            flow: Backpressure::new(Demand::Wanted),
        }
    }

    /// Passes the outputs and their destinations to `act`, and returns the chunks for the consumer.
    fn with_sinks(
        &mut self,
        env: Env,
        act: impl FnOnce(&mut [OutputStream; 2], &mut Sinks<'_>),
    ) -> Result<Vec<Chunk>> {
        let collector = Collector::default();
        let mut sinks = Sinks {
            flow: &self.flow,
            observer: &collector,
            ring: self.ring.as_ref(),
            spill: None,
            view: self.view.as_mut(),
            observed: None,
            screen: self.screen.as_ref(),
        };
        act(&mut self.outputs, &mut sinks);
        let chunks = collector.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        chunks
            .into_iter()
            .map(|(stream, chunk)| {
                self.flow.consumed(chunk.len());
                let stream = stream.into();
                Ok(match chunk {
                    text::Chunk::Text(text) => Chunk { stream, text: Some(text), data: None },
                    text::Chunk::Bytes(bytes) => {
                        Chunk { stream, text: None, data: Some(BufferSlice::copy_from(&env, bytes)?) }
                    }
                })
            })
            .collect()
    }
}

impl ReplayEnd {
    fn end(&self) -> End {
        let signal = self.signal.clone().and_then(|name| signal_of(&napi::Either::A(name)));
        match (self.exit_code, signal, self.status) {
            (Some(code), ..) => End::Exit(Exit::Code(code.cast_signed())),
            (_, Some(signal), _) => End::Exit(Exit::Signal(signal.as_raw())),
            (.., RunStatus::Background) => End::NotYet,
            // The recorded error replaces the one of this end.
            _ => End::BrokenOff,
        }
    }

    const fn cause(&self) -> Option<Cause> {
        match self.status {
            RunStatus::Timeout => Some(Cause::Timeout),
            RunStatus::IdleTimeout => Some(Cause::IdleTimeout),
            RunStatus::Aborted => Some(Cause::Aborted),
            _ => None,
        }
    }
}
