//! Waits by a thread that sleeps in `waitid`, for kernels without pidfds.

use std::io;
use std::thread;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use tokio::sync::oneshot;

use crate::process::signal::block_all_signals;

/// The receiving side of a waiting thread.
#[derive(Debug)]
pub struct ThreadWatch {
    exited: oneshot::Receiver<()>,
    has_exited: bool,
}

impl ThreadWatch {
    pub(super) fn new(pid: Pid) -> io::Result<Self> {
        let (sender, exited) = oneshot::channel();
        thread::Builder::new().name("agent-bash-wait".to_owned()).stack_size(64 * 1024).spawn(move || {
            block_all_signals();
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            // An error means that the child has been reaped already.
            let _ = rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid), options));
            let _ = sender.send(());
        })?;
        Ok(Self { exited, has_exited: false })
    }

    pub(super) async fn exited(&mut self) {
        if !self.has_exited {
            let _ = (&mut self.exited).await;
            self.has_exited = true;
        }
    }
}
