use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;

use super::pool::MAX_THREADS;
use super::{CreatedFile, Errno, SpillFile, SpillState, SpillWriter};
use crate::job::model::outcome::Spilled;
use crate::job::model::plan::Spill;

fn create(directory: &str, limit: u64) -> SpillFile {
    SpillWriter::default().create(&Spill { directory: directory.to_owned(), limit, above: 0 })
}

/// Returns the report about a file that was needed.
fn spilled_of(file: &SpillFile) -> Spilled {
    file.spilled().expect("a file")
}

#[tokio::test(flavor = "current_thread")]
async fn the_file_has_all_and_is_the_users_own() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut file = create(directory.path().to_str().expect("text"), 1000);
    file.push(b"one ");
    file.push(b"two");
    file.flush().await;
    let spilled = spilled_of(&file);
    assert!(spilled.is_complete);
    assert_eq!((fs::read(&spilled.path).expect("the file"), spilled.bytes), (b"one two".to_vec(), 7));
    assert_eq!(fs::metadata(&spilled.path).expect("the file").permissions().mode() & 0o777, 0o600);
}

#[tokio::test(flavor = "current_thread")]
async fn the_quota_holds() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut file = create(directory.path().to_str().expect("text"), 5);
    file.push(b"1234");
    file.push(b"5678");
    file.push(b"9");
    file.flush().await;
    let spilled = spilled_of(&file);
    assert_eq!((spilled.bytes, spilled.is_complete, spilled.errno), (5, false, None));
    assert_eq!(fs::read(&spilled.path).expect("the file"), b"12345");
}

#[tokio::test(flavor = "current_thread")]
async fn a_quota_that_is_just_enough_is_complete() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut file = create(directory.path().to_str().expect("text"), 4);
    file.push(b"1234");
    file.flush().await;
    assert!(spilled_of(&file).is_complete);
}

/// A file that takes nothing more: a write to it hangs, until the reader is closed.
fn hanging(writer: &SpillWriter) -> (SpillFile, OwnedFd) {
    let (reader, pipe) = rustix::pipe::pipe().expect("a pipe");
    rustix::io::ioctl_fionbio(&pipe, true).expect("set");
    while rustix::io::write(&pipe, &[0; 4096]).is_ok() {}
    rustix::io::ioctl_fionbio(&pipe, false).expect("set");
    let file = CreatedFile::take("hanging".to_owned(), Ok(pipe.into()), u64::MAX, Arc::clone(&writer.pool));
    (SpillFile(SpillState::Created(file)), reader)
}

#[tokio::test(flavor = "current_thread")]
async fn a_file_that_hangs_delays_no_other() {
    let directory = tempfile::tempdir().expect("a directory");
    let writer = SpillWriter::default();
    let mut hanging: Vec<_> = std::iter::repeat_with(|| hanging(&writer)).take(3).collect();
    for (file, _) in &mut hanging {
        file.push(b"never");
    }
    let plan =
        Spill { directory: directory.path().to_str().expect("text").to_owned(), limit: 1000, above: 0 };
    let mut file = writer.create(&plan);
    file.push(b"one ");
    file.push(b"two");
    file.flush().await;
    let spilled = spilled_of(&file);
    assert_eq!((spilled.bytes, spilled.is_complete, spilled.errno), (7, true, None));
    assert_eq!(fs::read(&spilled.path).expect("the file"), b"one two");
    assert_eq!(spilled_of(&hanging[0].0).bytes, 0);
}

#[tokio::test(flavor = "current_thread")]
async fn a_file_that_hangs_holds_one_thread_whatever_is_written_to_it() {
    let writer = SpillWriter::default();
    let (mut file, _reader) = hanging(&writer);
    for _ in 0..5 {
        file.push(b"never");
        file.flush_soon().await;
    }
    assert_eq!(writer.pool.count_threads(), 1);
}

#[tokio::test(flavor = "current_thread")]
async fn more_files_hang_than_there_are_threads_and_are_given_up() {
    let writer = SpillWriter::default();
    let mut hanging: Vec<_> = std::iter::repeat_with(|| hanging(&writer)).take(MAX_THREADS + 4).collect();
    let flushed = hanging.iter_mut().map(|(file, _)| {
        file.push(b"never");
        file.flush()
    });
    for flushed in flushed {
        tokio::time::timeout(Duration::from_millis(80), flushed).await.expect_err("it hangs");
    }
    assert_eq!(writer.pool.count_threads(), MAX_THREADS);
    let (last, _) = &hanging[MAX_THREADS + 3];
    last.flush().await;
    assert_eq!(spilled_of(last).errno, Some(Errno(libc::ETIMEDOUT)));
}

#[tokio::test(flavor = "current_thread")]
async fn the_pieces_of_a_file_stay_in_their_order_beside_many_others() {
    let directory = tempfile::tempdir().expect("a directory");
    let plan =
        Spill { directory: directory.path().to_str().expect("text").to_owned(), limit: u64::MAX, above: 0 };
    let writer = SpillWriter::default();
    let mut files: Vec<_> = std::iter::repeat_with(|| writer.create(&plan)).take(8).collect();
    for number in 0..500 {
        for file in &mut files {
            file.push(format!("{number} ").as_bytes());
        }
    }
    let expected = (0..500).map(|number| format!("{number} ")).collect::<Vec<_>>().concat();
    for file in &files {
        file.flush().await;
        assert_eq!(fs::read_to_string(spilled_of(file).path).expect("the file"), expected);
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_file_that_cant_be_made_says_so_and_takes_no_room() {
    let mut file = create("/proc/none", 5);
    file.push(b"1234");
    file.flush().await;
    assert!(file.has_room());
    let spilled = spilled_of(&file);
    assert_eq!((spilled.bytes, spilled.is_complete), (0, false));
    assert_eq!(spilled.errno, Some(Errno(libc::ENOENT)));
}

#[tokio::test(flavor = "current_thread")]
async fn output_up_to_the_bound_makes_no_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("new");
    let plan = Spill { directory: path.to_str().expect("text").to_owned(), limit: 1000, above: 5 };
    let mut file = SpillWriter::default().create(&plan);
    file.push(b"123");
    file.push(b"45");
    file.flush().await;
    assert!(file.has_room());
    assert!(file.spilled().is_none());
    assert!(!path.exists());
}

#[tokio::test(flavor = "current_thread")]
async fn output_above_the_bound_is_in_the_file_from_its_beginning() {
    let directory = tempfile::tempdir().expect("a directory");
    let plan = Spill { directory: directory.path().to_str().expect("text").to_owned(), limit: 8, above: 5 };
    let mut file = SpillWriter::default().create(&plan);
    for piece in ["123", "456", "789"] {
        file.push(piece.as_bytes());
    }
    file.flush().await;
    let spilled = spilled_of(&file);
    assert_eq!(fs::read_to_string(&spilled.path).expect("the file"), "12345678");
    assert_eq!((spilled.bytes, spilled.is_complete), (8, false));
}
