//! Waits by a thread that sleeps in `waitid`, where no descriptor reports the exit.

use std::io;
use std::thread;

use rustix::process::Pid;
use tokio::sync::oneshot;

use super::await_exit;
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
            await_exit(pid);
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
