//! # agent-bash: the native shell tool for TypeScript agents
//!
//! The layers, from the top down. Imports point down only, and a pure layer uses no file, process, thread or
//! network (`scripts/check-structure.mjs` checks both).
//!
//! ```text
//! index.js, lib/   the public API: options, EventEmitter, AbortSignal, tables of jobs, sessions, tools,
//!                  adapters
//! node/            the Node.js binding: converts and forwards
//! tools/           what a model sees: the dialects of a shell tool, from arguments to the text of a result.
//!                  `bash_function/` is the contract of `bash()` and `BashJob`
//! session/         one shell for many commands, framed inside of one job
//! job/             one command's life: plan, launch, input, output, terminal, end
//! target/          another machine or a container: a transport, and the connection to a supervisor there
//! durable/         jobs that outlive the host: starts, finds and attaches to them
//! engine/          what all jobs share: threads, the process-table scans, the guardian's watch
//! bin/             the helper program, which chooses its role, and the interceptor program. The feature
//!                  `helper` leaves out what the former does not use
//! intercept/       the interceptor program: TLS, rules and masks for hosts with secrets
//! helper/          the roles of the helper program, a folder each: the guardian, the sandbox and others
//! sandbox/         what a command can touch: plans in plain data, their protocol, overlays, allowed hosts
//! process/         the operating system: spawn, wait, pipes, terminals, signals, process table
//! policy/          whether a command line may run: rules, dangerous effects, queries; pure
//! syntax/          the text of a command line, parsed as a shell does, and the known shells; pure
//! wire/            the encoding of what passes between the addon and its helper; pure
//! text/            bytes to text: incremental UTF-8, plain text, excerpts, a ring, screens, views; pure
//! ```
//!
//! Some paths differ from that of a job. Before there is a plan, a [`policy`] decides about the command line:
//! `lib/policy/` calls [`policy::check()`], and only allowed or approved commands go on. A command of a
//! [`session`] has a plan, but no process of its own: [`session::SessionHandle::run`] writes it to the shell,
//! which is one job, and makes an outcome from the shell's report. A command on a [`target`] has a job, but
//! its process is elsewhere: [`target::Target::start`] sends the plan over the connection, and
//! [`job::processes`] asks the supervisor there.
//!
//! ## The lifecycle of a command
//!
//! 1. `lib/` checks the options (`run()`, `Jobs`) or picks the command out of the arguments (`bash()`,
//!    `BashJob`), and takes a snapshot of `process.env`. `node` makes a [`job::Plan`] of that, plain data:
//!    from the options (`node/spec/run.rs`), or by the rules of the bash tool
//!    ([`tools::bash_function::plan`]). `node/state.rs` starts the job, and posts its events to the mailbox.
//! 2. [`job::start`] queues the launch for a spawner thread ([`engine::spawners`]). There, [`job::launch`]
//!    opens the working directory ([`process::directory`]), makes the pipes, waits for the guardian
//!    ([`engine::guardian_watch`]) and spawns the process ([`process::spawn`]). The process enters itself
//!    into the table of live jobs ([`process::registry`]) and takes its [tag](process::tag) before it
//!    executes.
//! 3. On the I/O thread, `job/task.rs` runs the job. It reads, keeps and passes on the output and writes the
//!    input ([`job::io`]; output of a terminal also goes to its screen, [`job::terminal`]), keeps the
//!    deadlines ([`job::life::clock`]), and waits for the exit of the leader. [`job::life`] decides each next
//!    step: drain the output, count the remaining processes, then end, adopt or leave them. [`engine::scan`]
//!    finds the processes of the job, and [`job::processes`] signals them.
//! 4. The [`job::Outcome`] goes to the binding's mailbox, whose wake-up settles the promise once, on
//!    JavaScript's thread. If the job goes on in the background, an interim outcome is sent before that.
//!    After an end by force, a last scan kills the remaining processes, unless an earlier scan has found
//!    none, and only then is the leader reaped.
//!
//! ## Windows
//!
//! A part runs there: commands, each in a job object, and the layers above [`job`] that need no more than
//! that. The types of sessions, targets and overlays are without a value there, and one role of the helper is
//! for it. A module with a difference has a platform file for it; `process/windows/` has what only Windows
//! needs.

#![deny(unsafe_code)]
#![cfg_attr(
    feature = "emulate-darwin",
    allow(dead_code, unreachable_pub, reason = "the shape of macOS uses a part of the files for Linux")
)]
#![cfg_attr(
    any(feature = "helper", windows),
    allow(dead_code, unused_imports, reason = "the helper program and Windows use a part of the layers")
)]

#[cfg(not(feature = "helper"))]
pub mod durable;
#[cfg(not(feature = "helper"))]
pub mod engine;
#[allow(unsafe_code, reason = "its roles fork and confine processes; every block has its SAFETY comment")]
pub mod helper;
#[cfg(all(target_os = "linux", feature = "intercept"))]
pub mod intercept;
#[cfg(not(feature = "helper"))]
pub mod job;
#[cfg(feature = "node")]
#[allow(unsafe_code, reason = "napi-derive generates it; none is written by hand there")]
pub mod node;
#[cfg(not(feature = "helper"))]
pub mod policy;
#[allow(unsafe_code, reason = "this layer talks to the kernel; every block has its SAFETY comment")]
pub mod process;
pub mod sandbox;
#[cfg(not(feature = "helper"))]
#[cfg_attr(windows, path = "session/windows.rs")]
pub mod session;
pub mod syntax;
#[cfg(not(feature = "helper"))]
#[cfg_attr(windows, path = "target/windows.rs")]
pub mod target;
#[cfg(any(feature = "intercept", not(feature = "helper")))]
pub mod text;
#[cfg(not(feature = "helper"))]
pub mod tools;
pub mod wire;
