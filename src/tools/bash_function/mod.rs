//! The contract of `bash()` and `BashJob`: `bash(args, workspaceRoot, safeMode)`. The dialect
//! [`voice`](super::dialects::voice) offers it to `agent-bash/tools`, with more options of the host.
//!
//! * [`arguments`] chooses the command.
//! * In safe mode [`tokenizer`] splits it and [`safe_mode`] has the allow list.
//! * [`result`] writes the text of the answer, and [`truncate`] has its limit of 102,400 bytes, and the
//!   marker of longer output ([`truncate::TRUNCATION_MARKER`]).

pub mod arguments;
pub mod result;
pub mod safe_mode;
pub mod tokenizer;
pub mod truncate;

use std::path::Path;
use std::time::Duration;

use crate::job::model::plan::{
    Invocation, KILL_GRACE, Output, Plan, Shell, Surroundings, Termination, Times,
};
use crate::job::model::shell::BASH;
use crate::text::Keeping;

/// The arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BashCall {
    /// `args.command` and `args.cmd`, where they are strings.
    pub candidates: [Option<String>; 2],
    /// The surroundings, or `None` where the working directory is not a string. The contract has its own
    /// shell.
    pub surroundings: Option<Surroundings>,
    /// Whether only programs of the allow list may run, without a shell.
    pub safe_mode: bool,
    /// Whether bash, or else `sh`, reads the command, and never zsh.
    pub keeps_to_bash: bool,
    /// The timeout of the command; `None` for no limit.
    pub timeout: Option<Duration>,
}

/// The reasons for which a call runs nothing. `bash()` answers `Error: ` and the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BashRefusal {
    /// Neither argument is a usable command.
    #[error("Missing required parameter 'command'")]
    MissingCommand,
    /// Safe mode can't split the command.
    #[error("Invalid command syntax in safe mode")]
    InvalidSyntax,
    /// Safe mode does not have the program on its list.
    #[error("Command not allowed in safe mode")]
    NotAllowed,
    /// The working directory is not a string.
    #[error("Invalid parameter 'workspaceRoot': expected a string")]
    RootNotString,
    /// The operating system can't take the parameter.
    #[error("Invalid parameter '{0}': must not contain null bytes")]
    NullByte(&'static str),
}

impl BashRefusal {
    /// Returns the answer of `bash()`.
    #[must_use]
    pub fn text(self) -> String {
        format!("Error: {self}")
    }

    /// Returns the stable error code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::MissingCommand => "MISSING_COMMAND",
            Self::InvalidSyntax => "INVALID_SYNTAX",
            Self::NotAllowed => "DENIED",
            Self::RootNotString | Self::NullByte(_) => "ERR_INVALID_ARG_VALUE",
        }
    }
}

/// Decides what a call runs.
///
/// # Errors
///
/// The reason for which the call runs nothing.
pub fn plan(call: BashCall) -> Result<Plan, BashRefusal> {
    let command = arguments::choose_command(call.candidates).ok_or(BashRefusal::MissingCommand)?;
    let has_nul = command.contains('\0');
    let invocation = if call.safe_mode { safe_invocation(&command)? } else { Invocation::Line(command) };
    let surroundings = call.surroundings.ok_or(BashRefusal::RootNotString)?;
    if has_nul {
        return Err(BashRefusal::NullByte("command"));
    }
    if surroundings.directory.path.contains('\0') {
        return Err(BashRefusal::NullByte("workspaceRoot"));
    }
    let [program, flag] = usual_shell(call.keeps_to_bash);
    let mut surroundings = Surroundings { shell: Shell::new(program, flag), ..surroundings };
    if let Some(elsewhere) = &mut surroundings.target {
        elsewhere.shells = shells_there(call.keeps_to_bash);
    }
    Ok(Plan {
        output: Output::keeping(Keeping::Prefix { limit: truncate::CAPTURE_LIMIT }),
        times: Times { timeout: call.timeout, ..Times::default() },
        ending: Termination { grace: Some(KILL_GRACE), ..Termination::default() },
        ..Plan::new(invocation, surroundings)
    })
}

/// Returns the shell of the contract and its flag: `/bin/zsh -c`, else `/bin/bash -lc`, else `sh -c` from
/// PATH.
pub(super) fn usual_shell(keeps_to_bash: bool) -> [&'static str; 2] {
    // On Windows, these are paths on whatever drive is the current one.
    let exists = |path: &str| Path::new(path).is_absolute() && Path::new(path).exists();
    choose_shell(|path| !(keeps_to_bash && path == ZSH) && exists(path))
}

/// Returns the shells of the contract for another machine, where the first one that exists is chosen.
fn shells_there(keeps_to_bash: bool) -> Vec<Shell> {
    let bash = [Shell::new(BASH, "-lc"), Shell::new("sh", "-c")];
    let zsh = (!keeps_to_bash).then(|| Shell::new(ZSH, "-c"));
    zsh.into_iter().chain(bash).collect()
}

fn choose_shell(exists: impl Fn(&str) -> bool) -> [&'static str; 2] {
    if exists(ZSH) {
        [ZSH, "-c"]
    } else if exists(BASH) {
        [BASH, "-lc"]
    } else {
        ["sh", "-c"]
    }
}

const ZSH: &str = "/bin/zsh";

pub(super) fn safe_invocation(command: &str) -> Result<Invocation, BashRefusal> {
    let words = tokenizer::split(command).ok_or(BashRefusal::InvalidSyntax)?;
    if !safe_mode::is_allowed(&words) {
        return Err(BashRefusal::NotAllowed);
    }
    Invocation::of_words(words).map_err(|_| BashRefusal::InvalidSyntax)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{BashCall, BashRefusal, Invocation, Surroundings, choose_shell, plan};
    use crate::job::model::plan::Directory;

    fn surroundings(directory: &str) -> Surroundings {
        let directory = Directory { path: directory.to_owned(), root: None };
        Surroundings { directory, ..Surroundings::default() }
    }

    fn call(command: &str) -> BashCall {
        BashCall {
            candidates: [Some(command.to_owned()), None],
            surroundings: Some(surroundings("/")),
            safe_mode: false,
            keeps_to_bash: false,
            timeout: None,
        }
    }

    #[test]
    fn the_command_goes_to_the_shell_untrimmed() {
        let plan = plan(call(" echo hi ")).expect("a plan");
        assert_eq!(plan.invocation, Invocation::Line(" echo hi ".to_owned()));
    }

    #[test]
    fn zsh_comes_first_and_bash_is_a_login_shell() {
        let chosen = |present: &[&str]| choose_shell(|path| present.contains(&path));
        assert_eq!(chosen(&["/bin/zsh", "/bin/bash"]), ["/bin/zsh", "-c"]);
        assert_eq!(chosen(&["/bin/bash"]), ["/bin/bash", "-lc"]);
        assert_eq!(chosen(&[]), ["sh", "-c"]);
    }

    #[test]
    fn the_time_is_the_callers_and_without_one_there_is_no_limit() {
        let timed = |timeout| plan(BashCall { timeout, ..call("true") }).expect("a plan").times.timeout;
        let time = Duration::from_millis(1_500);
        assert_eq!([timed(Some(time)), timed(None)], [Some(time), None]);
    }

    #[test]
    fn safe_mode_runs_the_words_without_a_shell() {
        let plan = plan(BashCall { safe_mode: true, ..call("ls '$HOME'") }).expect("a plan");
        let expected = Invocation::Program { program: "ls".to_owned(), arguments: vec!["$HOME".to_owned()] };
        assert_eq!(plan.invocation, expected);
    }

    #[test]
    fn safe_mode_refuses_in_the_documented_words() {
        let refuse =
            |command| plan(BashCall { safe_mode: true, ..call(command) }).expect_err("a refusal").to_string();
        assert_eq!(refuse("rm -rf /"), "Command not allowed in safe mode");
        assert_eq!(refuse("ls '"), "Invalid command syntax in safe mode");
    }

    #[test]
    fn a_null_byte_names_its_parameter() {
        assert_eq!(plan(call("a\0b")), Err(BashRefusal::NullByte("command")));
        let bad_root = BashCall { surroundings: Some(surroundings("/\0")), ..call("true") };
        assert_eq!(plan(bad_root), Err(BashRefusal::NullByte("workspaceRoot")));
    }

    #[test]
    fn a_root_that_is_no_string_is_refused() {
        assert_eq!(plan(BashCall { surroundings: None, ..call("true") }), Err(BashRefusal::RootNotString));
    }
}
