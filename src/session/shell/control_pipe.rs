//! The pipe by which a shell reports to its session.

use crate::process::pipe::{PipeReader, Read};
use crate::session::report::{ReportReader, ShellReport};

/// The control pipe, with the reports that were read from it.
#[derive(Debug)]
pub(super) struct ControlPipe {
    state: PipeState,
    reports: ReportReader,
}

#[derive(Debug)]
enum PipeState {
    /// A shell on a target does not run yet, so there is no pipe.
    Awaited,
    Open(PipeReader),
    /// The shell has ended, on a target.
    Ended,
}

impl ControlPipe {
    /// Returns the pipe of a shell on a target that does not run yet.
    pub(super) fn awaited() -> Self {
        Self { state: PipeState::Awaited, reports: ReportReader::default() }
    }

    /// Returns the pipe of a shell that runs.
    pub(super) fn open(pipe: PipeReader) -> Self {
        Self { state: PipeState::Open(pipe), reports: ReportReader::default() }
    }

    pub(super) const fn is_awaited(&self) -> bool {
        matches!(self.state, PipeState::Awaited)
    }

    /// Reads from this pipe from now on.
    pub(super) fn set(&mut self, pipe: PipeReader) {
        self.state = PipeState::Open(pipe);
    }

    /// Waits until the pipe may hold a report. After an error, the pipe is not awaited: the next read reports
    /// the error.
    pub(super) async fn ready(&mut self) {
        match &mut self.state {
            PipeState::Open(pipe) => pipe.ready().await.unwrap_or_default(),
            PipeState::Awaited | PipeState::Ended => std::future::pending().await,
        }
    }

    /// Drops all reports.
    pub(super) fn clear(&mut self) {
        if let PipeState::Open(pipe) = &mut self.state {
            pipe.read(self.reports.buffer());
        }
        self.reports.clear();
    }

    /// Reads the pipe, and returns the report with this token, if it is complete. With `ends`, the end of the
    /// pipe is that of the shell: a named pipe may end and be opened again.
    pub(super) fn find(&mut self, token: &str, ends: bool) -> Option<ShellReport> {
        if let PipeState::Open(pipe) = &mut self.state {
            let buffer = self.reports.buffer();
            loop {
                match pipe.read(buffer) {
                    Read::Bytes(_) => {}
                    Read::End if ends => {
                        self.state = PipeState::Ended;
                        break;
                    }
                    Read::Empty | Read::End | Read::Failed(_) => break,
                }
            }
        }
        self.reports.find(token)
    }
}
