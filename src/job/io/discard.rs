//! Reads and drops the output of processes that outlive their job.

use std::time::Duration;

use tokio::time::sleep;

use crate::process::pipe::{PipeReader, Read};

/// The most output that is read at once (bytes), and the pause after each read: a remaining process may write
/// for ever.
const CHUNK: usize = 64 * 1024;
const INTERVAL: Duration = Duration::from_millis(10);

/// Reads and drops the output of a process that outlives its job: a closed pipe would kill it (SIGPIPE).
pub(crate) async fn discard_output(mut pipe: PipeReader) {
    let mut buffer = Vec::with_capacity(CHUNK);
    loop {
        if pipe.ready().await.is_err() {
            return;
        }
        buffer.clear();
        match pipe.read(&mut buffer) {
            Read::End | Read::Failed(_) => return,
            Read::Empty => {}
            Read::Bytes(_) => sleep(INTERVAL).await,
        }
    }
}
