//! Finds the processes of all jobs in the process table.
//!
//! Linux assigns pids in rising order, and `/proc/loadavg` has the latest one, so a scan inspects each
//! process once, when its pid is new. The kernel assigns a pid some time before the process is visible:
//! absent pids are checked again for a second, less and less often. While a leader lives, a signal also walks
//! down from it through `/proc/<pid>/task/<tid>/children`, which misses no process.
//!
//! Holders of an output pipe are searched only after the exit of the leader and while the pipe is open, among
//! processes that are younger than the job. A child of the host that still runs the host's program is being
//! spawned and has copies of all descriptors, so it is skipped.
//!
//! Read in this order: `index` decides which process belongs to which job; `scanner` keeps the index up to
//! date, up to the pid in `progress`, and asks `kernel` about orphans; `tracked_job` is a job's registration
//! with the scanner. `tracker` schedules the scans, and `scan_thread` runs the long ones.

mod index;
mod kernel;
mod progress;
mod scan_thread;
mod scanner;
mod tracked_job;
mod tracker;

pub use index::SandboxRoots;
pub use scanner::Scanner;
pub use tracked_job::{ExpectedJob, TrackedJob};
pub use tracker::{AFTER_SIGNAL, AFTER_START, Tracker};
