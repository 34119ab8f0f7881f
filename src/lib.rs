//! # agent-bash: the native shell tool for TypeScript agents
//!
//! A map of the house. Arrows point down only.
//!
//! ```text
//! index.js, lib/   the public face: EventEmitter, AbortSignal, disposal
//! node/            the Node.js binding: converts, forwards, decides nothing
//! tools/           what a model sees: a dialect's argument rules and the text of its results
//! job/             a command's life: start, output, timeout, end
//! process/         the operating system: spawn, wait, pipes, signals, the process tree
//! text/            bytes to text: incremental UTF-8, bounded capture and excerpts, terminal output to plain text; pure
//! ```
//!
//! ## The way of a command
//!
//! 1. `index.js` picks the command out of the arguments, takes a snapshot of `process.env`, and calls
//!    `node`'s host, which asks the dialect ([`tools::voice::plan`]) for a [`job::Plan`].
//! 2. [`job::start`] queues it for a spawner thread, where [`job::launch`] opens the working directory, makes the
//!    pipes and starts the process ([`process::spawn`]).
//! 3. On the I/O thread [`job::task`] reads, decodes and captures its output, keeps time, waits for its exit,
//!    and signals what belongs to it; [`job::life`] decides what comes next.
//! 4. The [`job::Outcome`] goes to the binding's mailbox, whose wake-up settles the promise once, on
//!    JavaScript's thread.

#![deny(unsafe_code)]

pub mod job;
#[cfg(feature = "node")]
#[allow(unsafe_code, reason = "napi-derive generates it; none is written by hand there")]
pub mod node;
#[allow(unsafe_code, reason = "this room talks to the kernel; every block has its SAFETY comment")]
pub mod process;
pub mod text;
pub mod tools;
