//! The options of `run()` that JavaScript passes, and their conversion to the options of the crate.

use std::time::Duration;

use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;
use rustix::process::Signal;

use super::duration;
use super::pty::PtySpec;
use super::view::ViewSpec;
use crate::job::Plan;
use crate::job::model::plan::{
    Directory, Drain, Ending, Environment, Input, Leftovers, Limits, OnWaiting, Spill, Times,
};
use crate::job::model::run_options::{self, CommandLine, OutputOptions, RunOptions};
use crate::process::signal;
use crate::text::{Cut, Keep};

/// A command and its options. Times are milliseconds, sizes are bytes; absent options have their defaults.
///
/// Most commands need only the first four, and each property that Rust reads takes half a microsecond.
#[napi(object, object_to_js = false)]
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct RunSpec {
    /// The command as text; empty with [`MoreSpec::argv`].
    pub command: String,
    /// The working directory, absolute.
    pub cwd: String,
    /// The environment: `NAME=value`, with a NUL after each.
    pub environment: String,
    /// The time limit of the command (ms).
    pub timeout: Option<f64>,
    /// All other options, if there is one.
    pub more: Option<MoreSpec>,
}

/// The options that most commands do not have.
#[napi(object, object_to_js = false)]
#[derive(Default)]
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct MoreSpec {
    /// A program and its arguments, instead of text.
    pub argv: Option<Vec<String>>,
    /// Whether the text is split into words, and run without a shell.
    pub split: Option<bool>,
    /// The shell and its flags, instead of the usual one.
    pub shell: Option<Vec<String>>,
    /// The directory that the working directory must lie in, absolute.
    pub root: Option<String>,
    /// The whole standard input.
    pub input: Option<Uint8Array>,
    /// Whether the caller writes to standard input while the command runs.
    pub open_input: Option<bool>,
    /// The terminal that the command's standard streams are. It needs an open input.
    pub pty: Option<PtySpec>,
    /// The action when the command waits for input.
    pub on_waiting: Option<OnWaitingSpec>,
    /// The longest silence of the command (ms).
    pub idle_timeout: Option<f64>,
    /// The time limit in the background (ms).
    pub background_timeout: Option<f64>,
    /// Whether the command moves to the background when its time is up.
    pub moves_to_background: Option<bool>,
    /// The signal that ends the command.
    pub kill_signal: Option<i32>,
    /// The delay between that signal and SIGKILL (ms); infinity for no SIGKILL.
    pub force_kill_after_delay: Option<f64>,
    /// The treatment of processes that outlive the command.
    pub leftovers: Option<LeftoversSpec>,
    /// The limits of the wait for output that other processes hold open.
    pub drain: Option<DrainSpec>,
    /// The part of the output that is kept.
    pub output: Option<OutputSpec>,
    /// The resource limits of the command.
    pub limits: Option<LimitsSpec>,
    /// The size of the ring of recent text that `read()` serves by cursor (bytes).
    pub ring: Option<u32>,
    /// Whether the command keeps running when Node ends.
    pub leave_at_exit: Option<bool>,
    /// Whether a shell that was started ahead may run the command.
    pub warm: Option<bool>,
}

/// The action when a command waits for input.
#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
pub enum OnWaitingSpec {
    /// The engine reports the wait.
    Event,
    /// The engine ends the command's input.
    Eof,
    /// The engine ends the command.
    Kill,
}

/// The treatment of processes that outlive a command.
#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
pub enum LeftoversSpec {
    /// The processes live on.
    Keep,
    /// The engine ends the processes.
    Kill,
    /// The processes are the job from then on.
    Adopt,
}

/// The part of the output that is kept.
#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
pub enum KeepSpec {
    /// The beginning.
    Head,
    /// The end.
    Tail,
    /// Beginning and end.
    Both,
}

/// The limits of the wait for output that other processes hold open (ms); infinity for no limit.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct DrainSpec {
    /// The longest silence of that output.
    pub idle: f64,
    /// The longest wait in all.
    pub max: f64,
}

/// The part of the output that is kept.
#[derive(Debug, Default)]
#[napi(object, object_to_js = false)]
pub struct OutputSpec {
    /// The bytes kept of each stream.
    pub max_bytes: Option<u32>,
    /// The part that is kept.
    pub keep: Option<KeepSpec>,
    /// The bytes for the head, with `both`.
    pub head_bytes: Option<u32>,
    /// Whether a cut may fall inside a line.
    pub cut_at_character: Option<bool>,
    /// The marker of omitted text.
    pub marker: Option<String>,
    /// Whether both streams share one pipe.
    pub merge: Option<bool>,
    /// Whether the output becomes plain text.
    pub plain: Option<bool>,
    /// The file for the whole output.
    pub spill: Option<SpillSpec>,
    /// The view for a model.
    pub view: Option<ViewSpec>,
}

/// The file for the whole output.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct SpillSpec {
    /// The directory of the file.
    pub directory: String,
    /// The quota of the file (bytes).
    pub max_bytes: f64,
    /// The size of the output up to which no file is created (bytes).
    pub above: Option<u32>,
}

/// The resource limits of a command. An absent one does not limit.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct LimitsSpec {
    /// The address space (bytes).
    pub memory: Option<f64>,
    /// The number of the user's processes.
    pub processes: Option<f64>,
    /// The size of each file that the command writes (bytes).
    pub file_size: Option<f64>,
    /// The processor time (seconds).
    pub cpu: Option<f64>,
    /// The number of open descriptors.
    pub open_files: Option<f64>,
}

/// An invalid option.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct WrongOption {
    /// A stable code.
    pub code: &'static str,
    /// The option, as JavaScript names it.
    pub option: &'static str,
    /// The fault of the option.
    pub message: String,
}

impl From<run_options::WrongOption> for WrongOption {
    fn from(run_options::WrongOption { option, message }: run_options::WrongOption) -> Self {
        Self { code: "ERR_INVALID_ARG_VALUE", option, message }
    }
}

impl RunSpec {
    /// Returns the plan of these options.
    ///
    /// # Errors
    ///
    /// The option that can't be used.
    pub fn plan(self) -> Result<Plan, WrongOption> {
        let Self { command, cwd, environment, timeout, more } = self;
        let mut options = more.unwrap_or_default().options(command)?;
        options.directory.path = cwd;
        options.environment = Environment(environment);
        options.times.timeout = timeout.and_then(duration);
        Ok(options.plan()?)
    }
}

impl MoreSpec {
    fn options(self, command: String) -> Result<RunOptions, WrongOption> {
        let times = self.times();
        let ending = self.ending()?;
        let input = self.input();
        let usual = RunOptions::new(command_line(command, self.argv, self.split, self.shell));
        Ok(RunOptions {
            directory: Directory { root: self.root, ..usual.directory },
            input,
            terminal: self.pty.as_ref().map(PtySpec::terminal),
            on_waiting: self.on_waiting.map_or(usual.on_waiting, OnWaiting::from),
            times,
            ending,
            leftovers: self.leftovers.map_or(usual.leftovers, Leftovers::from),
            drain: self.drain.map_or(usual.drain, DrainSpec::drain),
            output: OutputOptions {
                ring: self.ring.map(in_memory),
                ..self.output.map_or(usual.output, OutputSpec::options)
            },
            limits: self.limits.as_ref().map_or(usual.limits, LimitsSpec::limits),
            outlives_host: self.leave_at_exit.unwrap_or(usual.outlives_host),
            is_warm: self.warm.unwrap_or(usual.is_warm),
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

    fn ending(&self) -> Result<Ending, WrongOption> {
        let usual = Ending::default();
        Ok(Ending {
            signal: self.kill_signal.map_or(Ok(usual.signal), kill_signal)?,
            grace: self.force_kill_after_delay.map_or(usual.grace, duration),
        })
    }
}

fn command_line(
    command: String,
    argv: Option<Vec<String>>,
    split: Option<bool>,
    shell: Option<Vec<String>>,
) -> CommandLine {
    match (argv, split, shell) {
        (Some(words), _, _) => CommandLine::Words(words),
        (None, Some(true), _) => CommandLine::Split(command),
        (None, _, Some(shell)) => CommandLine::ShellText { shell, command },
        (None, _, None) => CommandLine::Text(command),
    }
}

fn kill_signal(number: i32) -> Result<Signal, WrongOption> {
    signal::by_number(number).ok_or_else(|| WrongOption {
        code: "ERR_INVALID_ARG_VALUE",
        option: "killSignal",
        message: format!("there is no signal {number}"),
    })
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

impl From<KeepSpec> for Keep {
    fn from(keep: KeepSpec) -> Self {
        match keep {
            KeepSpec::Head => Self::Head,
            KeepSpec::Tail => Self::Tail,
            KeepSpec::Both => Self::Both,
        }
    }
}

impl OutputSpec {
    fn options(self) -> OutputOptions {
        let usual = OutputOptions::default();
        OutputOptions {
            max_bytes: self.max_bytes.map_or(usual.max_bytes, in_memory),
            keep: self.keep.map_or(usual.keep, Keep::from),
            head_bytes: self.head_bytes.map(in_memory),
            cut: if self.cut_at_character == Some(true) { Cut::Character } else { usual.cut },
            marker: self.marker,
            is_merged: self.merge.unwrap_or(usual.is_merged),
            is_plain: self.plain.unwrap_or(usual.is_plain),
            spill: self.spill.map(SpillSpec::spill),
            view: self.view.map(ViewSpec::options),
            ..usual
        }
    }
}

impl SpillSpec {
    fn spill(self) -> Spill {
        Spill {
            directory: self.directory,
            limit: whole(self.max_bytes),
            above: self.above.map_or(0, u64::from),
        }
    }
}

impl LimitsSpec {
    pub(super) fn limits(&self) -> Limits {
        Limits {
            memory: self.memory.map(whole),
            processes: self.processes.map(whole),
            file_size: self.file_size.map(whole),
            cpu: self.cpu.map(whole),
            open_files: self.open_files.map(whole),
        }
    }
}

impl DrainSpec {
    /// Returns the drain, or `None` for two infinities: the engine then reads the output until it ends.
    fn drain(self) -> Option<Drain> {
        let (idle, most) = (duration(self.idle), duration(self.max));
        let is_bounded = idle.is_some() || most.is_some();
        let limit = |bound: Option<Duration>| bound.unwrap_or(Duration::MAX);
        is_bounded.then(|| Drain { idle: limit(idle), most: limit(most) })
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "JavaScript has checked that it is a positive number; the conversion saturates"
)]
const fn whole(number: f64) -> u64 {
    number as u64
}

const fn in_memory(bytes: u32) -> usize {
    bytes as usize
}
