//! The options that a command without a helper can't have.

use std::collections::BTreeSet;

use crate::helper::supervisor::protocol::enums::FailedStep;
use crate::helper::supervisor::protocol::plan::{RemotePlan, Role};
use crate::process::spawn::{Limits, MAX_ARGUMENT};
use crate::syntax::variable::is_name;
use crate::target::StartError;
use crate::target::error::TargetError;

/// Takes the input of a command. Returns an error for a command that a shell alone can't run as asked.
pub(super) fn refusal(
    plan: &RemotePlan,
    adopts_leftovers: bool,
    take_input: Box<dyn FnOnce() -> Option<Vec<u8>> + Send>,
    why: &TargetError,
) -> Result<Vec<u8>, StartError> {
    let refused = |option: &str| StartError::Target(TargetError::degraded(option, why));
    if plan.role != Role::Command {
        return Err(refused("session"));
    }
    if plan.terminal.is_some() {
        return Err(refused("pty"));
    }
    if plan.limits != Limits::default() {
        return Err(refused("limits"));
    }
    if adopts_leftovers {
        return Err(refused("background"));
    }
    if let Some(name) = names(plan).find(|name| !is_name(name)) {
        return Err(refused(&format!("env.{name}")));
    }
    let words = plan.whole_words();
    if let Some(words) = words.iter().find(|words| words.iter().any(|word| word.len() > MAX_ARGUMENT)) {
        let path = String::from_utf8_lossy(words.first().map_or(&[], Vec::as_slice)).into_owned();
        return Err(StartError::Failed { step: FailedStep::Execute, errno: libc::E2BIG, path });
    }
    if plan.has_input { take_input().ok_or_else(|| refused("stdin")) } else { Ok(Vec::new()) }
}

/// Returns the names of the variables that a plan sets or removes.
fn names(plan: &RemotePlan) -> impl Iterator<Item = String> {
    let name = |variable: &Vec<u8>| {
        let name = variable.split(|&byte| byte == b'=').next().unwrap_or_default();
        String::from_utf8_lossy(name).into_owned()
    };
    plan.variables.iter().chain(&plan.unset).map(name).collect::<BTreeSet<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::{Limits, RemotePlan, Role, StartError, TargetError, refusal};

    fn refused(plan: &RemotePlan, input: Option<&[u8]>) -> String {
        let why = TargetError::new("TARGET_PLATFORM", "There is no helper for A b.");
        let given = input.map(<[u8]>::to_vec);
        match refusal(plan, false, Box::new(move || given), &why) {
            Ok(input) => String::from_utf8(input).expect("text"),
            Err(StartError::Target(error)) => error.message,
            Err(error) => format!("{error:?}"),
        }
    }

    #[test]
    fn an_option_that_needs_the_helper_is_named() {
        let limits = Limits { cpu: Some(1), ..Limits::default() };
        let plan = RemotePlan { limits, ..RemotePlan::default() };
        let text = "The option 'limits' is not available on this target. There is no helper for A b.";
        assert_eq!(refused(&plan, None), text);
        let shell = RemotePlan { role: Role::Shell, ..RemotePlan::default() };
        assert!(refused(&shell, None).contains("'session'"));
    }

    #[test]
    fn input_is_taken_if_it_was_given_in_advance() {
        let plan = RemotePlan { has_input: true, ..RemotePlan::default() };
        assert_eq!(refused(&plan, Some(b"in")), "in");
        assert!(refused(&plan, None).contains("'stdin'"));
        assert_eq!(refused(&RemotePlan::default(), None), "");
    }

    #[test]
    fn a_name_that_no_shell_can_set_is_refused() {
        let variables = vec![b"a=1".to_vec(), b"A-B=1".to_vec()];
        let plan = RemotePlan { variables, ..RemotePlan::default() };
        assert!(refused(&plan, None).contains("'env.A-B'"));
    }
}
