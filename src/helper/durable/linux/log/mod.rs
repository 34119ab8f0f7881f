//! The output of a durable job, on disk: the supervisor writes it, and any number of hosts read it.
//!
//! [`format`] has the bytes, and is pure. [`writer`] keeps the head and the latest part, and what a full disk
//! does not take in memory; [`reader`] reads from a cursor on, and counts what is not there any more.

pub mod format;
pub mod reader;
pub mod writer;

/// The name of a segment in the directory of its job.
fn segment_name(number: u64) -> String {
    format!("log.{number}")
}

/// Returns the numbers of the segments in a directory, in ascending order.
fn segments(directory: std::os::fd::BorrowedFd<'_>) -> std::io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in rustix::fs::Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy();
        numbers.extend(name.strip_prefix("log.").and_then(|number| number.parse::<u64>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}
