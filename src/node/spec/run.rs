//! A command of `run()`, `Jobs` or a session, and its options.

use napi::bindgen_prelude::{Reference, Uint8Array};
use napi_derive::napi;

use super::code_page::CodePageHandle;
use super::durable::DurableSpec;
use super::duration;
use super::output::OutputSpec;
use super::pty::PtySpec;
use super::surroundings::SurroundingsSpec;
use crate::job::io::observed::ObservedOutput;
use crate::job::model::plan::{
    DEFAULT_DRAIN, Drain, Input, Invocation, Leftovers, OnWaiting, Output, Plan, Surroundings, Termination,
    Times,
};
use crate::node::error::NativeError;
use crate::process::signal;
use crate::process::signal::Signal;

/// A command and its options. Times are milliseconds, sizes are bytes; absent options have their defaults.
#[napi(object, object_to_js = false)]
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct RunSpec {
    /// The command as text. With `argv`, the line that the program runs, or empty.
    pub command: String,
    /// A program and its arguments, instead of text.
    pub argv: Option<Vec<String>>,
    /// Whether the text is split into words, and run without a shell.
    pub split: Option<bool>,
    pub surroundings: SurroundingsSpec,
    pub timeout: Option<f64>,
    /// The remaining options, if any is given, in an object of their own: each property that the binding
    /// reads takes 0.3 µs.
    pub more: Option<MoreSpec>,
}

/// The options that most commands do not have.
#[napi(object, object_to_js = false)]
#[derive(Default)]
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct MoreSpec {
    /// The whole standard input.
    pub input: Option<Uint8Array>,
    /// Whether the caller writes to standard input while the command runs.
    pub open_input: Option<bool>,
    /// The terminal that the command's standard streams are. It needs an open input.
    pub pty: Option<PtySpec>,
    pub on_waiting: Option<OnWaitingSpec>,
    /// The longest silence of the command (ms).
    pub idle_timeout: Option<f64>,
    /// The time limit in the background (ms).
    pub background_timeout: Option<f64>,
    /// Whether the command moves to the background when its time is up.
    pub moves_to_background: Option<bool>,
    pub kill_signal: Option<i32>,
    /// The delay between that signal and SIGKILL (ms); infinity for no SIGKILL.
    pub force_kill_after_delay: Option<f64>,
    /// The treatment of processes that outlive the command.
    pub leftovers: Option<LeftoversSpec>,
    pub drain: Option<DrainSpec>,
    pub output: Option<OutputSpec>,
    /// Whether the output stays bytes.
    pub bytes: Option<bool>,
    /// The encoding of the output, if that is not UTF-8.
    pub code_page: Option<Reference<CodePageHandle>>,
    /// The size of the ring of recent text that `read()` serves by cursor (bytes).
    pub ring: Option<u32>,
    /// The part of the output that observers get; absent without observers.
    pub observed: Option<ObservedSpec>,
    /// Whether the command keeps running when Node.js ends.
    pub leave_at_exit: Option<bool>,
    /// The command as a durable job, or the attachment to one.
    pub durable: Option<DurableSpec>,
}

/// The action when a command waits for input.
#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
pub enum OnWaitingSpec {
    Event,
    Eof,
    Kill,
}

/// The part of a command's output that its observers get.
#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
pub enum ObservedSpec {
    /// The latest output.
    Latest,
    /// The whole output: the command waits until it was taken.
    All,
}

impl From<ObservedSpec> for ObservedOutput {
    fn from(observed: ObservedSpec) -> Self {
        match observed {
            ObservedSpec::Latest => Self::default(),
            ObservedSpec::All => Self::that_waits(),
        }
    }
}

/// The treatment of processes that outlive a command.
#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
pub enum LeftoversSpec {
    Keep,
    Kill,
    Adopt,
}

/// The limits of the wait for output that other processes hold open (ms); infinity for no limit.
#[derive(Clone, Copy, Debug)]
#[napi(object, object_to_js = false)]
pub struct DrainSpec {
    /// The longest silence of that output.
    pub idle: Option<f64>,
    /// The longest wait in all.
    pub max: Option<f64>,
}

impl RunSpec {
    /// Returns the plan of these options.
    ///
    /// # Errors
    ///
    /// The option that can't be used.
    pub fn plan(self) -> Result<Plan, NativeError> {
        let Self { command, argv, split, mut surroundings, timeout, more } = self;
        let redactor = surroundings.redactor.as_ref().map(|handle| handle.redactor());
        let code_page = more.as_ref().and_then(|more| more.code_page.as_ref());
        let code_page = code_page.map(|handle| handle.code_page());
        let prelude = surroundings.prelude.take();
        let surroundings = surroundings.surroundings()?;
        let mut shown = None;
        let invocation = match (argv, prelude) {
            (Some(words), _) => {
                shown = (!command.is_empty()).then_some(Invocation::Line(command));
                Invocation::of_words(words)?
            }
            (None, _) if split == Some(true) => Invocation::split(&command)?,
            (None, None) => Invocation::line(command, &surroundings.shell),
            (None, Some(prelude)) => {
                let line = Invocation::Line(prelude + &command);
                shown = Some(Invocation::Line(command));
                line
            }
        };
        let (durable, plan) = match more {
            Some(mut more) => (more.durable.take(), more.plan(invocation, shown.as_ref(), surroundings)?),
            None => (None, Plan::with_report(invocation, surroundings)),
        };
        let times = Times { timeout: timeout.and_then(duration), ..plan.times };
        let plan = Plan { times, output: Output { code_page, redactor, ..plan.output }, ..plan };
        Ok(match durable {
            Some(durable) => plan.durable(durable.into()),
            None => plan,
        })
    }
}

impl MoreSpec {
    /// Returns the treatment of the output of a command, if it is known.
    pub(in crate::node) fn output(&self, command: Option<&Invocation>) -> Output {
        let are_bytes = self.bytes == Some(true);
        let usual = OutputSpec::default();
        self.output.as_ref().unwrap_or(&usual).output(command, self.ring, are_bytes)
    }

    /// Returns the plan. `shown` is the command whose output is shown, if the invocation only leads to it.
    fn plan(
        self,
        invocation: Invocation,
        shown: Option<&Invocation>,
        surroundings: Surroundings,
    ) -> Result<Plan, NativeError> {
        let usual = Plan::with_report(invocation, surroundings);
        let observed = self.observed.map(ObservedOutput::from);
        Ok(Plan {
            terminal: self.pty.as_ref().map(PtySpec::terminal),
            on_waiting: self.on_waiting.map_or(usual.on_waiting, OnWaiting::from),
            times: self.times(),
            ending: self.ending()?,
            input: self.input(),
            leftovers: self.leftovers.map_or(usual.leftovers, |leftovers| Some(leftovers.into())),
            drain: self.drain.map_or(usual.drain, DrainSpec::drain),
            output: Output { observed, ..self.output(shown.or(Some(&usual.invocation))) },
            outlives_host: self.leave_at_exit.unwrap_or(usual.outlives_host),
            ..usual
        })
    }

    fn input(&self) -> Input {
        match &self.input {
            Some(bytes) => Input::Bytes(bytes.to_vec()),
            None if self.open_input == Some(true) => Input::Open,
            None => Input::Empty,
        }
    }

    fn times(&self) -> Times {
        Times {
            timeout: None,
            idle: self.idle_timeout.and_then(duration),
            moves_to_background: self.moves_to_background == Some(true),
            in_background: self.background_timeout.and_then(duration),
        }
    }

    fn ending(&self) -> Result<Termination, NativeError> {
        let usual = Termination::default();
        Ok(Termination {
            signal: self.kill_signal.map_or(Ok(usual.signal), kill_signal)?,
            grace: self.force_kill_after_delay.map_or(usual.grace, duration),
        })
    }
}

fn kill_signal(number: i32) -> Result<Signal, NativeError> {
    signal::by_number(number)
        .ok_or_else(|| NativeError::of_option("killSignal", format!("there is no signal {number}")))
}

impl From<OnWaitingSpec> for OnWaiting {
    fn from(on_waiting: OnWaitingSpec) -> Self {
        match on_waiting {
            OnWaitingSpec::Event => Self::Report,
            OnWaitingSpec::Eof => Self::End,
            OnWaitingSpec::Kill => Self::Kill,
        }
    }
}

impl From<LeftoversSpec> for Leftovers {
    fn from(leftovers: LeftoversSpec) -> Self {
        match leftovers {
            LeftoversSpec::Keep => Self::Keep,
            LeftoversSpec::Kill => Self::Kill,
            LeftoversSpec::Adopt => Self::Adopt,
        }
    }
}

impl DrainSpec {
    /// Returns the drain, or `None` for two infinities: the engine then reads the output until it ends.
    fn drain(self) -> Option<Drain> {
        let limit = |ms: Option<f64>, usual| ms.map_or(Some(usual), duration);
        match (limit(self.idle, DEFAULT_DRAIN.idle), limit(self.max, DEFAULT_DRAIN.most)) {
            (None, None) => None,
            (idle, most) => Some(Drain {
                idle: idle.unwrap_or(std::time::Duration::MAX),
                most: most.unwrap_or(std::time::Duration::MAX),
            }),
        }
    }
}
