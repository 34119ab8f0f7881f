//! Finds the processes of all jobs in the process table.
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

pub use scanner::Scanner;
pub use tracked_job::{ExpectedJob, TrackedJob};
pub use tracker::{AFTER_SIGNAL, AFTER_START, Tracker};
