//! A session that keeps its shell (`keep: 'process'`): runs commands one after another inside of one job.
//! `lib/session/` alone has the sessions that keep a state and no shell (`keep: 'state'`).
//!
//! ```text
//! DIR (mode 0700)          the engine             the shell (interactive, without a terminal)
//!   command  the text      ◀── writes             \builtin . DIR/command </dev/null >DIR/o 2>DIR/e
//!   o, e     named pipes   ──▶ reads
//!   ctl      a named pipe  ──▶ reads the report   \builtin . DIR/report TOKEN "$?"
//! ```
//!
//! * The shell is interactive, because only an interactive shell ends its list at a SIGINT, and survives
//!   errors of expansion.
//! * A command's text is in a file, so that no quote or here-document of the command can swallow a line of
//!   the engine. (For zsh, which reads lines byte by byte, a short plain command is quoted in the line.)
//! * The engine opens the streams for each command, and the shell opens and closes them around it. A stream
//!   that a process still holds after the report is left to that process, so that late output is in no
//!   result.
//! * A command inherits nothing of the engine: no descriptor, no variable.
//!
//! Read [`handle`] for the requests to a session, `task` for its life, and `frame` for the way of one command
//! through it.
//!
//! * [`plan`] has the options of a session; [`shell::flavor`] has the lines for each kind of shell, and
//!   [`report`] parses its answers. [`status`] is the state of a session for other threads.
//! * [`shell`] is one shell with its job, and with the files of its [`shell::directory`]. On a
//!   [target](crate::target), the supervisor there writes the files and has the named pipes, and the facts
//!   about the shell's processes are asked for before a decision needs them (`LiveShell::refresh`).
//! * `session_command` is a command, queued or running. `shell_start` starts a shell; `stop` ends a command
//!   without losing the shell; `report_wait` waits for the report of an idle shell.

mod frame;
pub mod handle;
pub mod plan;
pub mod report;
mod report_wait;
mod session_command;
pub mod shell;
mod shell_start;
pub mod status;
mod stop;
mod task;

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Once};

use tokio::sync::mpsc;

pub use self::handle::SessionHandle;
pub use self::plan::SessionPlan;
use self::task::SessionTask;
use crate::engine::engine;
use crate::process::directory::private::remove_orphans;
use crate::process::registry::Owner;

/// Opens a session. Nothing is started before its first command.
///
/// # Errors
///
/// The system's error when the engine can't be started.
pub fn open(plan: SessionPlan, owner: &Owner) -> io::Result<SessionHandle> {
    let engine = engine()?;
    clean_up_once();
    let (messages, inbox) = mpsc::unbounded_channel();
    let handle = SessionHandle {
        messages: messages.clone(),
        status: Arc::default(),
        last_number: Arc::default(),
        is_elsewhere: plan.is_elsewhere(),
    };
    let session = SessionTask {
        directory: plan.surroundings.directory.clone(),
        plan,
        owner: owner.clone(),
        inbox,
        messages,
        status: Arc::clone(&handle.status),
        queue: VecDeque::new(),
        shell: None,
        ended_shells: Vec::new(),
        last_shell: 0,
        has_lost_shell: false,
        control: None,
    };
    engine.runtime().spawn(session.run());
    Ok(handle)
}

/// Removes the directories of killed hosts, in the background and once per process.
fn clean_up_once() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| remove_orphans(None));
}
