//! The options of `run()`, as JavaScript hands them over: checked there one by one, with their defaults in place.

use std::time::Duration;

use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;
use rustix::process::Signal;

use crate::job::Plan;
use crate::job::model::invocation::{Invocation, WordsError};
use crate::job::model::plan::{
    Directory, Drain, Ending, Environment, Input, Leftovers, Limits, Output, Spill, Times,
};
use crate::process::signal;
use crate::text::{Cut, Keep, Keeping, Marker, Shape};

/// What to run, and how. Times are milliseconds, sizes are bytes; what is absent does not limit.
#[napi(object, object_to_js = false)]
#[allow(clippy::struct_excessive_bools, reason = "they are options of the caller's, and independent")]
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct RunSpec {
    /// The command as text.
    pub command: String,
    /// A program and its arguments, instead of text.
    pub argv: Option<Vec<String>>,
    /// Whether the text is split into words, and run without a shell.
    pub split: bool,
    /// The shell and its flags; absent for the usual one.
    pub shell: Option<Vec<String>>,
    /// The working directory, absolute.
    pub cwd: String,
    /// The directory that it must lie in, absolute.
    pub root: Option<String>,
    /// The environment: `NAME=value`, with a NUL after each.
    pub environment: String,
    /// All of standard input.
    pub input: Option<Uint8Array>,
    /// Whether standard input is written to while the command runs.
    pub open_input: bool,
    /// How long the command may take.
    pub timeout: Option<f64>,
    /// How long it may be silent.
    pub idle_timeout: Option<f64>,
    /// How long it may go on in the background.
    pub background_timeout: Option<f64>,
    /// Whether it goes on in the background when its time is up.
    pub moves_to_background: bool,
    /// The signal that ends it.
    pub kill_signal: i32,
    /// When SIGKILL follows.
    pub force_kill_after_delay: Option<f64>,
    /// What becomes of processes that it leaves: `keep`, `kill` or `adopt`.
    pub leftovers: String,
    /// How long output that others hold is waited for; absent for as long as they hold it.
    pub drain: Option<DrainSpec>,
    /// What is kept of the output.
    pub output: OutputSpec,
    /// What the command may use.
    pub limits: Option<LimitsSpec>,
    /// How much of the latest text can be read by cursor.
    pub ring: Option<u32>,
    /// Whether the command lives on when Node ends.
    pub leave_at_exit: bool,
    /// Whether a shell that was started ahead may run it.
    pub warm: bool,
}

/// How long output that others hold is waited for.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct DrainSpec {
    /// Since the last of it.
    pub idle: f64,
    /// In all.
    pub max: f64,
}

/// What is kept of the output.
#[derive(Debug, Default)]
#[napi(object, object_to_js = false)]
pub struct OutputSpec {
    /// How much of each stream.
    pub max_bytes: u32,
    /// Which part: `head`, `tail` or `both`.
    pub keep: String,
    /// How much of both is the head.
    pub head_bytes: Option<u32>,
    /// Whether cuts need not fall between lines.
    pub cut_at_character: bool,
    /// What stands where something is left out.
    pub marker: Option<String>,
    /// Whether both streams are one pipe.
    pub merge: bool,
    /// Whether the output is made plain text.
    pub plain: bool,
    /// Where all of it goes, if anywhere.
    pub spill: Option<SpillSpec>,
}

/// A file for all of the output.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct SpillSpec {
    /// Where it is made.
    pub directory: String,
    /// Its quota.
    pub max_bytes: f64,
}

/// What a command may use. What is absent does not limit.
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
    /// A stable name.
    pub code: &'static str,
    /// Which one, as JavaScript knows it.
    pub option: &'static str,
    /// What is wrong with it.
    pub message: String,
}

impl TryFrom<RunSpec> for Plan {
    type Error = WrongOption;

    fn try_from(mut spec: RunSpec) -> Result<Self, WrongOption> {
        let kill_signal = signal::by_number(spec.kill_signal)
            .ok_or_else(|| wrong("killSignal", format!("there is no signal {}", spec.kill_signal)))?;
        let input = spec.input();
        let output = std::mem::take(&mut spec.output).output(spec.ring)?;
        let leftovers = spec.leftovers()?;
        Ok(Self {
            directory: Directory { path: std::mem::take(&mut spec.cwd), root: spec.root.take() },
            environment: Environment(std::mem::take(&mut spec.environment)),
            input,
            output,
            limits: spec.limits.as_ref().map_or_else(Limits::default, LimitsSpec::limits),
            times: spec.times(),
            ending: Ending { signal: kill_signal, grace: spec.force_kill_after_delay.and_then(duration) },
            drain: spec.drain.as_ref().map(DrainSpec::drain),
            leftovers: Some(leftovers),
            is_tagged: true,
            outlives_host: spec.leave_at_exit,
            is_warm: spec.warm,
            ..Self::new(spec.invocation()?)
        })
    }
}

impl RunSpec {
    fn invocation(self) -> Result<Invocation, WrongOption> {
        let wrong_words = |error: WordsError| wrong("command", error.to_string());
        if let Some(words) = self.argv {
            return Invocation::of_words(words).map_err(wrong_words);
        }
        if self.split {
            return Invocation::split(&self.command).map_err(wrong_words);
        }
        let Some(shell) = self.shell else {
            return Ok(Invocation::by_usual_shell(no_flag(self.command)));
        };
        let mut words = shell.into_iter();
        let program =
            words.next().ok_or_else(|| wrong("shell", "expected the path of a shell".to_owned()))?;
        let flags: Vec<String> = words.collect();
        let command = if flags == ["-c"] { no_flag(self.command) } else { self.command };
        Ok(Invocation::Shell { program, flags, command })
    }

    fn input(&self) -> Input {
        match &self.input {
            Some(bytes) => Input::Bytes(bytes.to_vec()),
            None if self.open_input => Input::Open,
            None => Input::Empty,
        }
    }

    fn leftovers(&self) -> Result<Leftovers, WrongOption> {
        match self.leftovers.as_str() {
            "keep" => Ok(Leftovers::Keep),
            "kill" => Ok(Leftovers::Kill),
            "adopt" => Ok(Leftovers::Adopt),
            other => Err(wrong("background", format!("there is no way {other}"))),
        }
    }

    fn times(&self) -> Times {
        Times {
            timeout: self.timeout.and_then(duration),
            idle: self.idle_timeout.and_then(duration),
            moves_to_background: self.moves_to_background,
            in_background: self.background_timeout.and_then(duration),
        }
    }
}

impl OutputSpec {
    fn output(self, ring: Option<u32>) -> Result<Output, WrongOption> {
        let keep = match self.keep.as_str() {
            "head" => Keep::Head,
            "tail" => Keep::Tail,
            "both" => Keep::Both,
            other => return Err(wrong("output.keep", format!("there is no part {other}"))),
        };
        let shape = Shape {
            head: self.head_bytes.map(in_memory),
            cut: if self.cut_at_character { Cut::Character } else { Cut::Line },
            marker: self.marker.map(Marker::new),
            ..Shape::new(in_memory(self.max_bytes), keep)
        };
        Ok(Output {
            is_merged: self.merge,
            is_plain: self.plain,
            ring: ring.map(in_memory),
            spill: self.spill.map(SpillSpec::spill),
            ..Output::keeping(Keeping::Excerpt(shape))
        })
    }
}

impl SpillSpec {
    fn spill(self) -> Spill {
        Spill { directory: self.directory, limit: whole(self.max_bytes) }
    }
}

impl LimitsSpec {
    fn limits(&self) -> Limits {
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
    fn drain(&self) -> Drain {
        let limit = |ms: f64| duration(ms).unwrap_or(Duration::MAX);
        Drain { idle: limit(self.idle), most: limit(self.max) }
    }
}

/// A shell takes what begins like a flag for one of its own. A space before it changes nothing else.
fn no_flag(command: String) -> String {
    if command.starts_with(['-', '+']) { format!(" {command}") } else { command }
}

/// The signal of a name or number.
#[must_use]
pub fn signal_of(signal: &napi::Either<String, i32>) -> Option<Signal> {
    match signal {
        napi::Either::A(name) => signal::by_name(name),
        napi::Either::B(number) => signal::by_number(*number),
    }
}

fn wrong(option: &'static str, message: String) -> WrongOption {
    WrongOption { code: "ERR_INVALID_ARG_VALUE", option, message }
}

/// `None`, which is no limit, for a time beyond all that there are.
fn duration(ms: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(ms / 1000.0).ok()
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
