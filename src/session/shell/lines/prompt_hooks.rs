//! The hooks that a shell runs before it reads a line: `PROMPT_COMMAND` in bash, `precmd` and
//! `precmd_functions` in zsh. Pure.
//!
//! A command takes several lines, and a hook must run once for it, before its report: then its time and its
//! processes belong to the command, and none of them is left when the next command begins. So the script that
//! reports hides the hooks from the lines behind it, and the script before the next command gives them back.
//! The stop trap hides them too: a stopped command must end soon, and each further attempt to stop it would
//! interrupt a hook, which would then run again. The variables that keep hidden hooks exist only between
//! commands.
//!
//! A read-only hook can't be hidden, and runs before each line.

use crate::session::shell::flavor::SessionFlavor;

/// The mark of a shell that hides hooks, in a report behind the options.
pub(in crate::session) const HIDES_HOOKS: char = '=';

/// Whether bash runs each element of an array, and can quote a variable with its attributes.
const RUNS_ARRAYS: &str = "((${BASH_VERSINFO[0]}${BASH_VERSINFO[1]}>50))";

impl SessionFlavor {
    /// Returns the list that hides the hooks, in one line and without a single quote. It is idempotent.
    #[must_use]
    pub(in crate::session::shell) fn hiding_hooks(self) -> String {
        match self {
            // An older bash runs the first element alone, which `printf -v` sets. It fails for a read-only
            // variable, where an assignment would drop the rest of the line.
            Self::Bash => format!(
                "((${{PROMPT_COMMAND[@]:+1}}0)) && {{ {RUNS_ARRAYS} && \
                 {{ __agent_bash_hook=\"${{PROMPT_COMMAND[@]@A}}\"; \\builtin unset -v PROMPT_COMMAND; }} || \
                 {{ \\builtin printf -v __agent_bash_hook \"PROMPT_COMMAND=%q\" \"${{PROMPT_COMMAND-}}\"; \
                 \\builtin printf -v PROMPT_COMMAND \"\"; }} || \\builtin unset -v __agent_bash_hook; }} 2>/dev/null"
            ),
            Self::Zsh => "\\builtin disable -f precmd 2>/dev/null && __agent_bash_hook=; \
                 [[ ${(t)precmd_functions-} == array* && ${(t)precmd_functions-} != *readonly* && \
                 -n ${precmd_functions[*]-} ]] && \
                 { __agent_bash_hooks=(\"${precmd_functions[@]}\"); precmd_functions=(); }"
                .to_owned(),
            Self::Posix => String::new(),
        }
    }

    /// Returns the list that gives hidden hooks back, in one line. It is idempotent.
    #[must_use]
    pub(in crate::session::shell) const fn showing_hooks(self) -> &'static str {
        match self {
            Self::Bash => {
                "((${__agent_bash_hook+1}0)) && \
                 { \\builtin eval \"$__agent_bash_hook\"; \\builtin unset -v __agent_bash_hook; }"
            }
            Self::Zsh => {
                "[[ -n ${__agent_bash_hook+1} ]] && \
                 { \\builtin enable -f precmd; \\builtin unset __agent_bash_hook; }; \
                 [[ -n ${__agent_bash_hooks+1} ]] && \
                 { precmd_functions=(\"${__agent_bash_hooks[@]}\"); \\builtin unset __agent_bash_hooks; }"
            }
            Self::Posix => "",
        }
    }

    /// Returns the words that have [`HIDES_HOOKS`] where hooks are hidden, in double quotes of the shell.
    #[must_use]
    pub(in crate::session::shell) fn hidden_hooks(self) -> String {
        match self {
            Self::Bash => format!("${{__agent_bash_hook+ {HIDES_HOOKS}}}"),
            Self::Zsh => {
                format!("${{__agent_bash_hook+{HIDES_HOOKS}}}${{__agent_bash_hooks+{HIDES_HOOKS}}}")
            }
            Self::Posix => String::new(),
        }
    }
}
