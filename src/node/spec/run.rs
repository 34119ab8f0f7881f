//! The options of `run()`, as JavaScript hands them over, made options of the crate.

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
/// Most commands need these four alone, and each property that Rust reads takes half a microsecond.
#[napi(object, object_to_js = false)]
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct RunSpec {
    /// The command as text; empty with [`MoreSpec::argv`].
    pub command: String,
    /// The working directory, absolute.
    pub cwd: String,
    /// The environment: `NAME=value`, with a NUL after each.
    pub environment: String,
    /// How long the command may take.
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
    /// All of standard input.
    pub input: Option<Uint8Array>,
    /// Whether standard input is written to while the command runs.
    pub open_input: Option<bool>,
    /// The terminal that it runs in, with an open input.
    pub pty: Option<PtySpec>,
    /// The action when the command waits for input.
    pub on_waiting: Option<OnWaitingSpec>,
    /// How long the command may be silent.
    pub idle_timeout: Option<f64>,
    /// How long it may go on in the background.
    pub background_timeout: Option<f64>,
    /// Whether it goes on in the background when its time is up.
    pub moves_to_background: Option<bool>,
    /// The signal that ends it.
    pub kill_signal: Option<i32>,
    /// When SIGKILL follows; infinity for never.
    pub force_kill_after_delay: Option<f64>,
    /// The treatment of processes that it leaves.
    pub leftovers: Option<LeftoversSpec>,
    /// How long output that others hold is waited for.
    pub drain: Option<DrainSpec>,
    /// The part of the output that is kept.
    pub output: Option<OutputSpec>,
    /// The resource limits of the command.
    pub limits: Option<LimitsSpec>,
    /// How much of the latest text can be read by cursor.
    pub ring: Option<u32>,
    /// Whether the command lives on when Node ends.
    pub leave_at_exit: Option<bool>,
    /// Whether a shell that was started ahead may run it.
    pub warm: Option<bool>,
}

/// The action when a command waits for input.
#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
pub enum OnWaitingSpec {
    /// The wait is reported.
    Event,
    /// Its input ends.
    Eof,
    /// The command is ended.
    Kill,
}

/// The treatment of processes that a command leaves.
#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
pub enum LeftoversSpec {
    /// The processes live on.
    Keep,
    /// The processes are ended.
    Kill,
    /// The processes are the job from then on.
    Adopt,
}

/// Which part of the output is kept.
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

/// How long output that others hold is waited for; infinity for as long as they hold it.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct DrainSpec {
    /// Since the last of it.
    pub idle: f64,
    /// In all.
    pub max: f64,
}

/// The part of the output that is kept.
#[derive(Debug, Default)]
#[napi(object, object_to_js = false)]
pub struct OutputSpec {
    /// How much of each stream.
    pub max_bytes: Option<u32>,
    /// Which part.
    pub keep: Option<KeepSpec>,
    /// How much of both is the head.
    pub head_bytes: Option<u32>,
    /// Whether cuts need not fall between lines.
    pub cut_at_character: Option<bool>,
    /// The text where something is left out.
    pub marker: Option<String>,
    /// Whether both streams are one pipe.
    pub merge: Option<bool>,
    /// Whether the output is made plain text.
    pub plain: Option<bool>,
    /// Where all of it goes, if anywhere.
    pub spill: Option<SpillSpec>,
    /// The view for a model.
    pub view: Option<ViewSpec>,
}

/// A file for all of the output.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct SpillSpec {
    /// The directory in which it is made.
    pub directory: String,
    /// Its quota.
    pub max_bytes: f64,
}

/// The resource limits of a command. An absent one does not limit.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct LimitsSpec {
    /// Address space.
    pub memory: Option<f64>,
    /// Processes of the user.
    pub processes: Option<f64>,
    /// Size of any file that is written.
    pub file_size: Option<f64>,
    /// Processor time (seconds).
    pub cpu: Option<f64>,
    /// Open descriptors.
    pub open_files: Option<f64>,
}

/// An option that can't be used.
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
        Spill { directory: self.directory, limit: whole(self.max_bytes) }
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
    /// Two infinities are no drain: the output is waited for until it ends.
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
