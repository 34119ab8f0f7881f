//! Reports about a command without a helper: what it lacks, and why it was not started.

use super::script::ScriptMessage;
use crate::helper::supervisor::protocol::enums::FailedStep;
use crate::helper::supervisor::protocol::plan::RemotePlan;
use crate::target::StartError;
use crate::target::error::TargetError;

/// Returns what a command lacks. `leads_group` is false where no program there starts a process group.
pub(super) fn missing(leads_group: bool) -> Vec<&'static str> {
    let always = ["signal", "daemons", "stdin", "pty", "limits", "usage", "background", "backpressure"];
    always.into_iter().chain((!leads_group).then_some("tree")).collect()
}

/// Returns the reason of a command that was not started. `cut` is the reason for anything unexpected.
pub(super) fn of_failed_start(
    said: ScriptMessage,
    plan: &RemotePlan,
    why: &TargetError,
    cut: &TargetError,
) -> StartError {
    let ScriptMessage::Failed(option, problem) = said else { return StartError::Target(cut.clone()) };
    let errno = match problem.as_str() {
        "missing" => libc::ENOENT,
        "file" => libc::ENOTDIR,
        "outside" => libc::EXDEV,
        _ => libc::EACCES,
    };
    let (step, path) = match option.as_str() {
        "cwd" => (FailedStep::Directory, plan.directory.clone()),
        "root" => (FailedStep::Root, plan.root.clone().unwrap_or_default()),
        "input" => return StartError::Target(TargetError::degraded("input", why)),
        _ => {
            let program = plan.words.last().and_then(|words| words.first()).map_or(&[][..], Vec::as_slice);
            (FailedStep::Execute, String::from_utf8_lossy(program).into_owned())
        }
    };
    StartError::Failed { step, errno, path }
}
