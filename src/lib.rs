//! # agent-bash: the native shell tool for TypeScript agents
//!
//! A map of the house. Arrows point down only.
//!
//! ```text
//! index.js, lib/   the public face: EventEmitter, AbortSignal, disposal, iteration
//! node/            the Node.js binding: converts, forwards, decides nothing
//! tools/           what a model sees: a dialect's argument rules and the text of its results
//! job/             a command's life: start, output, timeout, end
//! process/         the operating system: spawn, wait, pipes, signals, the process tree, the guardian
//! text/            bytes to text: incremental UTF-8, bounded capture and excerpts, terminal output to plain text; pure
//! ```
//!
//! [`text::excerpt`] and [`text::plain`] are complete and not used by a tool yet.
//!
//! ## The way of a command
//!
//! 1. `lib/voice-call.js` picks the command out of the arguments and takes a snapshot of `process.env`. `node`'s host
//!    asks the dialect ([`tools::voice::plan`]) for a [`job::Plan`].
//! 2. [`job::start`] queues it for a spawner thread ([`job::spawners`]). That thread sees to it that there is a
//!    guardian ([`process::guardian`]), starts the job's task, and launches: [`job::launch`] opens the working
//!    directory, makes the pipes and starts the process ([`process::spawn`]), which enters itself into the table of
//!    live jobs ([`process::registry`]) before it executes.
//! 3. On the I/O thread [`job::task`] waits for the launch, and for whatever may end the job meanwhile. Then it reads,
//!    decodes and captures the output, keeps time, waits for the exit of the [`job::leader`], and signals what belongs
//!    to the job ([`job::belongings`]); [`job::life`] decides what comes next.
//! 4. The [`job::Outcome`] goes to the binding's mailbox, whose wake-up settles the promise once, on JavaScript's
//!    thread. What was ended by force is looked for once more, and only then is the leader reaped.

#![deny(unsafe_code)]

pub mod job;
#[cfg(feature = "node")]
#[allow(unsafe_code, reason = "napi-derive generates it; none is written by hand there")]
pub mod node;
#[allow(unsafe_code, reason = "this room talks to the kernel; every block has its SAFETY comment")]
pub mod process;
pub mod text;
pub mod tools;
