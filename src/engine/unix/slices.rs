//! Divides work on many processes into slices, between which the I/O thread serves other jobs.

use rustix::process::Pid;
use tokio::task::yield_now;

use crate::process::table::row::Process;
use crate::process::tree::TreeWalk;

/// The number of processes in a slice. Inspecting or signalling a process takes about 10 µs.
pub const SIZE: usize = 32;

/// Returns the items that pass a test.
pub async fn filter<T>(items: Vec<T>, test: impl Fn(&T) -> bool) -> Vec<T> {
    filter_map(items, |item| test(&item).then_some(item)).await
}

/// As [`Iterator::filter_map`], but lets other tasks run after each slice.
pub async fn filter_map<T, R>(items: Vec<T>, map: impl Fn(T) -> Option<R>) -> Vec<R> {
    let mut mapped = Vec::new();
    for (at, item) in items.into_iter().enumerate() {
        pause_before(at).await;
        mapped.extend(map(item));
    }
    mapped
}

/// Calls a function for each item.
pub async fn for_each<T>(items: &[T], call: impl Fn(&T)) {
    for (at, item) in items.iter().enumerate() {
        pause_before(at).await;
        call(item);
    }
}

/// Returns all living descendants of `root`, or `None` if a scan of the whole process table would be needed.
pub async fn descendants(root: Pid) -> Option<Vec<Process>> {
    let mut walk = TreeWalk::from(root);
    loop {
        match walk.step(SIZE) {
            Ok(true) if walk.seen() <= SIZE => {}
            Ok(true) => yield_now().await,
            Ok(false) => return Some(walk.into_found()),
            Err(_) => return None,
        }
    }
}

async fn pause_before(at: usize) {
    if at > 0 && at.is_multiple_of(SIZE) {
        yield_now().await;
    }
}
