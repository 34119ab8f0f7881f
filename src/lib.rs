//! # agent-bash: the native shell tool for TypeScript agents
//!
//! A map of the house. Arrows point down only.
//!
//! ```text
//! index.js, lib/   the public face: options, EventEmitter, AbortSignal, tables of jobs, iteration, disposal
//! node/            the Node.js binding: converts, forwards, decides nothing
//! tools/           what a model sees: a dialect's argument rules and the text of its results
//! job/             a command's life: plan, start, input, output, times, end
//! process/         the operating system: spawn, wait, pipes, signals, the process tree, tags, the guardian
//! bin/             the helper program, which uses process/ alone: the guardian
//! text/            bytes to text: incremental UTF-8, plain text, bounded excerpts, a ring; pure
//! ```
//!
//! ## The way of a command
//!
//! 1. `lib/` checks the options (`run()`, `Jobs`) or picks the command out of the arguments (`bash()`, `BashJob`), and
//!    takes a snapshot of `process.env`, or leaves that to the addon where it is the process's own. `node` makes a
//!    [`job::Plan`] of it, plain data: by its `run_spec`, or by the dialect ([`tools::voice::plan`]).
//! 2. [`job::start`] queues it for a spawner thread ([`job::spawners`]). That thread gives the command to a shell
//!    that was started ahead ([`job::warm`]) if it may, or launches: [`job::launch`] opens the working directory
//!    ([`job::directory`]), makes the pipes, waits for the guardian ([`process::guardian`]) and starts
//!    the process ([`process::spawn`]), which enters itself into the table of live jobs ([`process::registry`]) and
//!    takes its tag ([`process::tag`]) before it executes.
//! 3. On the I/O thread [`job::task`] begins when there is a process; or earlier, when something is asked of the job
//!    or the launch takes long, and then it waits for it, and for whatever may end the job meanwhile. It reads, keeps
//!    and hands out the output ([`job::output`], [`job::spill`]), feeds the input ([`job::input`]), keeps time, waits
//!    for the exit of the [`job::leader`], and signals what belongs to the job ([`job::processes`]); [`job::life`]
//!    decides what comes next: to drain, to count who is left, to end, adopt or leave them.
//! 4. The [`job::Outcome`] goes to the binding's mailbox, whose wake-up settles the promise once, on JavaScript's
//!    thread; one before that if the job goes on in the background. What was ended by force is looked for once more, unless
//!    a look has found nobody, and only then is the leader reaped.

#![deny(unsafe_code)]

pub mod job;
#[cfg(feature = "node")]
#[allow(unsafe_code, reason = "napi-derive generates it; none is written by hand there")]
pub mod node;
#[allow(unsafe_code, reason = "this room talks to the kernel; every block has its SAFETY comment")]
pub mod process;
pub mod text;
pub mod tools;
