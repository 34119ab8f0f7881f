//! The first process of a job.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::LiveJob;
use crate::engine::Engine;
use crate::process::signal::Signal;
use crate::process::wait::Exit;
use crate::process::wait::ntstatus::CONTROL_C_EXIT;
use crate::process::windows::child::Child;
use crate::process::windows::ctrl_c::{self, Key};
use crate::process::windows::status::{signal_of, signal_of_msys};

/// The longest time that the helper may take to send Ctrl-C. It takes some milliseconds.
const HELPER_DEADLINE: Duration = Duration::from_secs(2);

/// The first process of a job. Dropping it before [`Leader::finish`] ends all processes of the job.
#[derive(Debug)]
pub struct Leader {
    engine: &'static Engine,
    child: Child,
    job: Arc<LiveJob>,
    /// Whether MSYS2 or Cygwin runs the program.
    is_msys: bool,
    is_finished: bool,
}

impl Leader {
    /// Takes over a child that has just been started in the job. `is_msys` says whether MSYS2 or Cygwin runs
    /// its program.
    #[must_use]
    pub const fn new(engine: &'static Engine, child: Child, job: Arc<LiveJob>, is_msys: bool) -> Self {
        Self { engine, child, job, is_msys, is_finished: false }
    }

    /// Returns the process.
    #[must_use]
    pub const fn child(&self) -> &Child {
        &self.child
    }

    /// Returns the job.
    #[must_use]
    pub fn job(&self) -> &LiveJob {
        &self.job
    }

    /// Returns how the process ended, or `None` while it runs.
    #[must_use]
    pub fn exit(&self) -> Option<Exit> {
        match self.child.exit_code() {
            Ok(None) => None,
            Ok(Some(code)) => {
                let interrupted_by = (code == CONTROL_C_EXIT).then(|| self.job.interrupted_by()).flatten();
                let of_msys = || signal_of_msys(code).filter(|_| self.is_msys);
                let signal = signal_of(code).or(interrupted_by).or_else(of_msys);
                Some(signal.map_or(Exit::Code(code.cast_signed()), Exit::Signal))
            }
            Err(_) => Some(Exit::Unknown),
        }
    }

    /// Sends Ctrl-C, or Ctrl-Break to a program that ignores that, to the processes in the console of this
    /// one, in the place of a signal. Returns false if that is not possible: the process has exited or has no
    /// console, or there is no helper.
    pub async fn interrupt(&self, signal: Signal) -> bool {
        let pid = self.child.pid();
        let key = if self.is_msys { Key::CtrlBreak } else { Key::CtrlC };
        let (sender, receiver) = oneshot::channel();
        self.job.note_interrupt(signal);
        // The start of a program may block the thread.
        let work = Box::new(move || drop(sender.send(ctrl_c::press(key, pid))));
        if self.engine.spawners().run(work).is_err() {
            return false;
        }
        let Ok(Ok(helper)) = receiver.await else { return false };
        let Ok(exited) = timeout(HELPER_DEADLINE, helper.exited()).await else {
            // The kernel refuses only after the exit.
            let _ = helper.terminate(1);
            return false;
        };
        exited.is_ok_and(|code| code == 0)
    }

    /// Waits until the process has exited. Cancel-safe.
    pub async fn exited(&self) {
        // After an error, the exit is unknown.
        let _ = self.child.exited().await;
    }

    /// Waits until no other process of the job is left. Cancel-safe.
    pub async fn emptied(&self) {
        self.job.emptied(self.child.pid()).await;
    }

    /// Lets the job go. Other processes of it run on until the end of the host.
    pub fn finish(mut self) {
        self.is_finished = true;
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        if !self.is_finished {
            self.job.end(Signal::KILL);
        }
        self.engine.jobs().release(&self.job);
    }
}
