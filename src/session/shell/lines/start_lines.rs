//! The first lines of a shell, also those that read its start files. Pure.

use super::own_streams::OwnStreams;
use crate::process::signal::RARELY_USED;
use crate::session::shell::files::CTL;
use crate::session::shell::flavor::SessionFlavor;
use crate::session::shell::start_files::{ENV_BEFORE, StartFiles};

/// The first of the files that exists is a login bash's own.
const BASH_PROFILES: &str = "for __agent_bash_file in ~/.bash_profile ~/.bash_login ~/.profile; do \
     \\[ -r $__agent_bash_file ] && break; done";

/// The variable by which a start file of macOS saves and restores no session of its Terminal: a host in a
/// window of Terminal would pass the window's session on, and the shell would take it for its own.
const NO_TERMINAL_SESSIONS: &str = "SHELL_SESSIONS_DISABLE=1";

impl SessionFlavor {
    /// Returns the signal of the stop trap.
    #[must_use]
    pub const fn stop_signal(self) -> i32 {
        match self {
            // zsh traps no real-time signals. A nonzero return of a trap interrupts the list for SIGINT and
            // SIGQUIT only; for other signals it counts as an error, which a command that fails anyway hides.
            Self::Zsh => libc::SIGQUIT,
            // SIGINT alone is not enough: bash forgets a SIGINT that arrives while it waits for a program
            // which then exits by itself, and goes on with its list. A trap runs before the next command of
            // the list in any case. The stop trap sends SIGINT from there, outside of a wait, and an
            // interactive shell then gives up its list. `IFS` may split its pid, functions and aliases may
            // have the names of its commands, and `enable -n` may disable one.
            Self::Bash | Self::Posix => RARELY_USED,
        }
    }

    /// Returns the first lines of a shell: they read the start files, and with `reads_state` the state of a
    /// login shell in the file that `BASH_ENV` names, with the token around their output, set
    /// the stop trap, and switch off prompts, the timeout, mail checks and history. The prompts come last,
    /// because the start files may have made them read-only: the error drops the rest of the line.
    #[must_use]
    pub fn first_lines(
        self,
        directory: &str,
        start_files: StartFiles,
        own_streams: OwnStreams,
        token: &str,
        reads_state: bool,
    ) -> String {
        let stop = self.stop_signal();
        let files = start_files.lines(self, token, reads_state);
        // Hooks of the start files run once, before the shell reports that it is ready.
        let showing_hooks =
            if files.is_empty() { String::new() } else { self.showing_hooks().to_owned() + "; " };
        match self {
            Self::Bash => format!(
                "{}\n{files}\\unset MAILCHECK TMOUT HISTFILE 2>/dev/null; \\shopt -s execfail; \
                 \\trap '{{ {}; {}; }} 2>/dev/null' {stop}\n{showing_hooks}PS1= PS2=\n",
                own_streams.saving_line(),
                self.hiding_hooks(),
                self.interruption(),
            ),
            Self::Zsh => format!(
                "\\builtin unsetopt promptcr promptsp 2>/dev/null\n{files}\
                 \\unset TMOUT HISTFILE 2>/dev/null; \\unsetopt zle promptcr promptsp monitor 2>/dev/null; \
                 \\setopt interactivecomments; TRAPQUIT() {{ {{ {}; \\builtin return 130 }} 2>/dev/null }}\n\
                 {showing_hooks}PS1= PS2= RPS1= MAILCHECK=0\n",
                self.hiding_hooks(),
            ),
            Self::Posix => format!(
                "{files}\\command unset PS1 PS2 MAILCHECK TMOUT ENV 2>/dev/null; \
                 \\command eval 'PS1= PS2='; __agent_bash_report() {{ \
                 \\command printf '%s %s\\0%s\\0' \"$1\" \"$2\" \"$PWD\" >{directory}/{CTL}; \
                 case $- in *e*) \\return 0;; esac; \\return \"$2\"; }}; \
                 \\trap '{{ {}; }} 2>/dev/null' {stop}\n",
                self.interruption(),
            ),
        }
    }

    /// Returns the commands of the stop trap, which interrupt the shell and so end its list.
    ///
    /// A bash before 4.4 forgets the interrupt if the signal of the trap has ended a `wait`: it goes on as if
    /// it still waited for that child. Only an interrupt during another `wait` counts then, so the commands
    /// start one, again if the interrupt came before it. Another shell gets no further than the first `kill`.
    fn interruption(self) -> String {
        let builtin = self.builtin();
        let kill = format!("{builtin} kill -INT \"$$\"");
        let or_enabled = match self {
            Self::Bash => format!(" || {{ {builtin} enable kill; {kill}; }}"),
            Self::Zsh | Self::Posix => String::new(),
        };
        let again = format!("while {kill} & {builtin} wait \"$!\"; do {builtin} :; done");
        // A shell parses the text of `eval` only when it runs it: an alias may have the name of a keyword.
        format!(
            "{}; {kill}{or_enabled}; {builtin} test \"${{BASH_VERSINFO-5}}\" -lt 5 && {builtin} eval {}",
            self.removal_of_interrupt_trap(),
            in_double_quotes(&again),
        )
    }

    /// Returns the command that removes the trap of SIGINT, so that the signal interrupts the list.
    ///
    /// Before version 5, bash removes its own handler too if there is no trap, and the signal would then end
    /// the shell. `/bin/sh` may be such a bash, as it is on macOS.
    fn removal_of_interrupt_trap(self) -> String {
        let builtin = self.builtin();
        format!(
            "{builtin} test \"${{BASH_VERSINFO-5}}\" -lt 5 && {builtin} test -z \"$({builtin} trap -p INT)\" || \
             {builtin} trap - INT"
        )
    }
}

/// Returns a text in double quotes, in which the shell replaces nothing.
fn in_double_quotes(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$"))
}

impl StartFiles {
    /// Returns the lines that read the files. An error in a file ends its line alone. Both streams have the
    /// token and `<` before the output of a file, and the token and `>` behind it.
    fn lines(self, flavor: SessionFlavor, token: &str, reads_state: bool) -> String {
        let builtin = flavor.builtin();
        let mark =
            |end: char| format!("{builtin} printf '{token}{end}'; {builtin} printf '{token}{end}' >&2");
        let (begin, end) = (mark('<'), mark('>'));
        let read = |file: &str| {
            let reading = format!(
                "[ -r {file} ] && {{ {begin}; {NO_TERMINAL_SESSIONS} {builtin} . {file} </dev/null; {end}; }}"
            );
            // A file may add to the hooks of the one before it.
            match flavor {
                SessionFlavor::Posix => reading + "\n",
                _ => format!("{}; {reading}; {}\n", flavor.showing_hooks(), flavor.hiding_hooks()),
            }
        };
        let state =
            if reads_state { read("\"$BASH_ENV\"") + "\\builtin unset BASH_ENV\n" } else { String::new() };
        match flavor {
            SessionFlavor::Bash => self.bash(&read) + &state,
            SessionFlavor::Zsh => self.zsh(&read) + &state,
            SessionFlavor::Posix => self.posix(&read),
        }
    }

    /// Returns the lines for bash, in which a login shell reads no other files than its own.
    fn bash(self, read: &dyn Fn(&str) -> String) -> String {
        match self {
            Self::None => String::new(),
            Self::Login | Self::Both => {
                read("/etc/profile")
                    + BASH_PROFILES
                    + "\n"
                    + &read("$__agent_bash_file")
                    + "\\builtin unset __agent_bash_file\n"
            }
            Self::Interactive => read("/etc/bash.bashrc") + &read("~/.bashrc"),
        }
    }

    fn zsh(self, read: &dyn Fn(&str) -> String) -> String {
        let (is_login, is_interactive) = (self.is_login(), self.is_interactive());
        let files: [(bool, &[&str]); 4] = [
            (is_login || is_interactive, &["${ZDOTDIR:-$HOME}/.zshenv"]),
            (is_login, &["/etc/zsh/zprofile", "/etc/zprofile", "${ZDOTDIR:-$HOME}/.zprofile"]),
            (is_interactive, &["/etc/zsh/zshrc", "/etc/zshrc", "${ZDOTDIR:-$HOME}/.zshrc"]),
            (is_login, &["/etc/zsh/zlogin", "/etc/zlogin", "${ZDOTDIR:-$HOME}/.zlogin"]),
        ];
        let mut lines = String::new();
        for file in files.into_iter().filter(|(is_read, _)| *is_read).flat_map(|(_, files)| files) {
            lines += &read(file);
        }
        lines
    }

    fn posix(self, read: &dyn Fn(&str) -> String) -> String {
        let mut lines = String::new();
        if self.is_login() {
            lines += &read("/etc/profile");
            lines += &read("\"$HOME/.profile\"");
        }
        if self.is_interactive() {
            // A shell expands the value of `ENV`.
            lines.extend([
                "\\command eval \"ENV=\\\"$",
                ENV_BEFORE,
                "\\\"\"; \\command unset ",
                ENV_BEFORE,
                "\n",
            ]);
            lines += &read("\"$ENV\"");
        }
        lines
    }
}
