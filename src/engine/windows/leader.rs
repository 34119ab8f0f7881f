//! The first process of a job.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::LiveJob;
use crate::engine::Engine;
use crate::process::signal::Signal;
use crate::process::wait::Exit;
use crate::process::wait::ntstatus::CONTROL_C_EXIT;
use crate::process::windows::child::Child;
use crate::process::windows::ctrl_c::{self, Key};
use crate::process::windows::msys::{self, Runtime, kill};
use crate::process::windows::status::signal_of;

/// The longest time that a program may take to pass a signal on: the helper takes some milliseconds for
/// Ctrl-C, the `kill.exe` of MSYS2 a tenth of a second, or with wine on a busy machine one.
const PASS_ON_DEADLINE: Duration = Duration::from_secs(3);

/// The longest time that a process of MSYS2 may take from its start until it can be signaled: some
/// milliseconds, or with wine on a busy machine a second.
const STARTUP_DEADLINE: Duration = Duration::from_secs(3);

/// The time between two attempts to signal a process that starts.
const STARTUP_INTERVAL: Duration = Duration::from_millis(20);

/// Which of several processes have got a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    All,
    Some,
    None,
}

/// The first process of a job. Dropping it before [`Leader::finish`] ends all processes of the job.
#[derive(Debug)]
pub struct Leader {
    engine: &'static Engine,
    child: Child,
    job: Arc<LiveJob>,
    /// The runtime of the program, if MSYS2 or Cygwin runs it.
    runtime: Option<Runtime>,
    is_finished: bool,
}

impl Leader {
    /// Takes over a child that has just been started in the job. `runtime` is that of its program, if MSYS2
    /// or Cygwin runs it.
    #[must_use]
    pub const fn new(
        engine: &'static Engine,
        child: Child,
        job: Arc<LiveJob>,
        runtime: Option<Runtime>,
    ) -> Self {
        Self { engine, child, job, runtime, is_finished: false }
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
                let by_runtime = self.runtime.as_ref().and_then(|_| msys::status::signal_of(code));
                let signal = signal_of(code).or(interrupted_by).or(by_runtime);
                Some(signal.map_or(Exit::Code(code.cast_signed()), Exit::Signal))
            }
            Err(_) => Some(Exit::Unknown),
        }
    }

    /// Asks the processes to end. Those of MSYS2 and Cygwin get the signal itself, or Ctrl-Break where there
    /// is no program for that; the others in the console of this one get Ctrl-C. Returns false if none of it
    /// is possible: the process has exited or has no console, or there is no helper.
    pub async fn interrupt(&self, signal: Signal) -> bool {
        let delivery = self.signal_runtime(signal).await;
        if delivery == Delivery::All {
            return true;
        }
        // Ctrl-Break would end a shell that handles the signal.
        let is_deaf = self.runtime.is_some() && delivery == Delivery::None;
        let key = if is_deaf { Key::CtrlBreak } else { Key::CtrlC };
        let pid = self.child.pid();
        self.job.note_interrupt(signal);
        let pressed = self.passes_on(move || Ok((ctrl_c::press(key, pid)?, || ()))).await;
        pressed.is_some_and(|(code, ())| code == 0) || delivery == Delivery::Some
    }

    /// Sends a signal to the processes that MSYS2 or Cygwin runs, if they run the command. Waits for the
    /// first one while the command starts.
    ///
    /// A process that another one is starting meanwhile misses the signal, and ends after the grace. It can't
    /// be told from one that a handler of the signal has started, which has to go on.
    pub async fn signal_runtime(&self, signal: Signal) -> Delivery {
        let Some(runtime) = self.runtime.as_ref().filter(|runtime| kill::is_there(&runtime.directory)) else {
            return Delivery::None;
        };
        let began_at = Instant::now();
        loop {
            let delivery = self.signal_processes_of(runtime, signal).await;
            let is_last = self.exit().is_some() || began_at.elapsed() > STARTUP_DEADLINE;
            if delivery != Delivery::None || is_last {
                return delivery;
            }
            sleep(STARTUP_INTERVAL).await;
        }
    }

    async fn signal_processes_of(&self, runtime: &Runtime, signal: Signal) -> Delivery {
        let leader = self.child.pid();
        // A wrapper ends after the program that it has started.
        let leads = (!runtime.is_behind_wrapper).then_some(leader);
        let pids: Vec<u32> = leads.into_iter().chain(self.job.processes_besides(leader)).collect();
        let count = pids.len();
        if count == 0 {
            return Delivery::None;
        }
        let directory = runtime.directory.clone();
        match self.passes_on(move || kill::start(&directory, signal, &pids)).await {
            Some((0, _)) => Delivery::All,
            Some((_, missed)) if missed < count => Delivery::Some,
            _ => Delivery::None,
        }
    }

    /// Starts a program that passes a signal on. Returns its exit code, and what it has said until then;
    /// `None` if it does not exit in time.
    async fn passes_on<T, F: FnOnce() -> T + Send + 'static>(
        &self,
        start: impl FnOnce() -> io::Result<(Child, F)> + Send + 'static,
    ) -> Option<(u32, T)> {
        let (sender, receiver) = oneshot::channel();
        // The start of a program may block the thread.
        let work = Box::new(move || drop(sender.send(start())));
        self.engine.spawners().run(work).ok()?;
        let (program, more) = receiver.await.ok()?.ok()?;
        let Ok(exited) = timeout(PASS_ON_DEADLINE, program.exited()).await else {
            // The kernel refuses only after the exit.
            let _ = program.terminate(1);
            return None;
        };
        Some((exited.ok()?, more()))
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
