//! A command's life: start, output, timeout, end.
//!
//! * [`plan`] says what to run: plain data; [`invocation`] is its program and arguments.
//! * [`engine`] is the one place where threads live: an I/O thread for all jobs, and the spawners.
//! * [`guardian_watch`] keeps a guardian running beside the engine.
//! * [`launch`] turns a plan into a running process, on a spawner thread; [`directory`] opens where it runs.
//! * `beginning` waits for the process; [`task`] is the one loop that accompanies the process, on the I/O thread; `clock` knows when something is due.
//! * [`warm`] keeps shells that were started ahead and wait for a command.
//! * [`life`] decides what comes next: a state machine without a system call.
//! * [`output`] reads, captures, decodes and hands out; [`flow`] is how the consumer slows it down; [`spill`] writes all
//!   of it to a file. [`input`] is what the process reads.
//! * [`leader`] is the process itself, which is never left alone; [`processes`] are all processes of the job: found, tracked and
//!   signalled.
//! * [`outcome`] is what is left at the end, and [`error`] why there was no process; [`handle`] is how the outside reaches a live job.

mod beginning;
mod clock;
pub mod directory;
pub mod engine;
pub mod error;
pub mod flow;
pub mod guardian_watch;
pub mod handle;
pub mod input;
pub mod invocation;
pub mod launch;
pub mod leader;
pub mod life;
pub mod outcome;
pub mod output;
pub mod plan;
pub mod processes;
pub mod spawners;
pub mod spill;
pub mod task;
mod unattended;
pub mod warm;

pub use engine::start;
pub use handle::JobHandle;
pub use outcome::Outcome;
pub use plan::Plan;
