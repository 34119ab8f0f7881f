//! The line by which a shell runs a command. Pure.

use super::own_streams::OwnStreams;
use super::report_lines::RETURN_STATUS;
use crate::session::shell::files::{BEGIN, COMMAND, STDERR, STDOUT};
use crate::session::shell::flavor::SessionFlavor;

/// The longest command that is quoted in its line (bytes). For a longer one, opening and reading its file
/// takes less time than reading the line byte by byte.
const MAX_QUOTED: usize = 80;

/// The command by which bash closes its standard descriptors before it redirects them: to redirect an open
/// one, bash keeps it at a number from 10 on, which a command could close or overwrite.
///
/// Before 5.1, bash keeps its standard input open. It reads 128 bytes at a time, and not all lines of a
/// command at once, so it ends (3.2 by SIGSEGV) where it reads on from a closed descriptor. Arithmetic,
/// because neither an alias nor a function can replace it.
const CLOSING: &str = "((${BASH_VERSINFO[0]}${BASH_VERSINFO[1]}<51))||\\exec 0<&-; \\exec 1>&- 2>&-";

/// The standard input of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandInput {
    Empty,
    /// A file or named pipe of the session's directory.
    Named(&'static str),
}

/// A command as its line names it.
#[derive(Clone, Copy, Debug)]
pub struct LineParts<'a> {
    pub text: &'a str,
    /// Whether the line quotes the text, instead of naming its file.
    pub is_quoted: bool,
    pub input: CommandInput,
    /// Whether standard error goes to standard output.
    pub is_merged: bool,
    /// `$?` before the command.
    pub status: i32,
    /// The streams that the shell traces.
    pub tracing: Tracing,
    /// Whether the shell has hidden hooks.
    pub hides_hooks: bool,
}

/// The traces of a zsh, which shows the trace of a builtin in the stream that was there before the builtin's
/// redirections.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tracing {
    /// Whether the shell shows commands (`set -x`).
    xtrace: bool,
    /// Whether the shell shows its input (`set -v`).
    verbose: bool,
}

impl Tracing {
    /// Returns what a shell with these options traces.
    #[must_use]
    pub fn of(options: &str) -> Self {
        Self { xtrace: options.contains('x'), verbose: options.contains('v') }
    }

    /// Returns whether the shell traces anything.
    #[must_use]
    pub const fn is_on(self) -> bool {
        self.xtrace || self.verbose
    }
}

impl SessionFlavor {
    /// Returns whether a command is short and plain enough for the line by which it runs, so that no file is
    /// read. zsh reads a line byte by byte, a system call each, so quoting a short command takes fewer calls
    /// than naming its file.
    #[must_use]
    pub fn quotes(self, command: &str) -> bool {
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'\'' | b'!');
        self == Self::Zsh && command.len() <= MAX_QUOTED && command.as_bytes().iter().all(is_plain)
    }

    /// Returns the line by which a command runs: quoted in the line, or from its file.
    #[must_use]
    pub fn command_line(self, directory: &str, own_streams: OwnStreams, command: LineParts<'_>) -> String {
        let LineParts { text, is_quoted, input, is_merged, status, tracing, hides_hooks } = command;
        let stdin = match input {
            CommandInput::Empty => "/dev/null".to_owned(),
            CommandInput::Named(name) => format!("{directory}/{name}"),
        };
        let stderr = if is_merged { "&1".to_owned() } else { format!("{directory}/{STDERR}") };
        let streams = format!("<{stdin} >{directory}/{STDOUT} 2>{stderr}");
        let begin = format!("\\builtin . {directory}/{BEGIN} {status}");
        let reader = match self {
            Self::Bash => {
                let begin = if status == 0 && !hides_hooks { CLOSING } else { &begin };
                let reader = if is_perhaps_open(text) {
                    format!("\\builtin eval \"$(<{directory}/{COMMAND})\"")
                } else {
                    format!("\\builtin . {directory}/{COMMAND}")
                };
                if hides_hooks {
                    return format!("{{ {begin}; {reader} {streams}; }} {}\n", own_streams.around_command());
                }
                format!("{begin}; {reader}")
            }
            // The braces are redirected in place of the builtin, so that the command's trace goes to its own
            // stream.
            Self::Zsh if is_quoted => format!("{{ \\builtin eval '{text}'; }}"),
            Self::Zsh if tracing.is_on() => traced(directory, status, tracing),
            // zsh's `.` turns the status of an error into 126.
            Self::Zsh => format!("{{ \\builtin eval \"$(<{directory}/{COMMAND})\"; }}"),
            // `command` keeps an error from ending the shell.
            Self::Posix => format!("\\command . {directory}/{COMMAND}"),
        };
        let begin = if self == Self::Zsh && hides_hooks { begin + "; " } else { String::new() };
        format!("{begin}{reader} {streams}\n")
    }

    /// Returns the text of the file that gives hidden hooks back and sets `$?` to its argument. bash reads it
    /// where either is needed, and closes its standard descriptors by it; zsh reads it for hidden hooks, and
    /// where it traces.
    #[must_use]
    pub fn begin_file(self) -> String {
        let closing = if self == Self::Bash { CLOSING } else { "" };
        format!("{}\n{closing}\n{RETURN_STATUS}", self.showing_hooks())
    }
}

/// Returns what runs a command in a zsh that traces: without a trace of the lines around it, and with `$?` of
/// the last command.
fn traced(directory: &str, status: i32, tracing: Tracing) -> String {
    let text = format!("$(<{directory}/{COMMAND})");
    let shown = if tracing.verbose { format!("\\builtin print -ru2 -- \"{text}\"; ") } else { String::new() };
    let options = [tracing.xtrace.then_some("xtrace"), tracing.verbose.then_some("verbose")];
    let mut set = String::new();
    for option in options.into_iter().flatten() {
        set.extend(["\\builtin setopt ", option, "; "]);
    }
    let status = match status {
        0 => String::new(),
        status => format!("{{ \\builtin . {directory}/{BEGIN} {status}; }} 2>/dev/null; "),
    };
    format!("\\builtin unsetopt xtrace verbose; {{ {shown}\\builtin eval \"{set}{status}{text}\"; }}")
}

/// Returns whether a substitution may lack its end. bash 5.2 aborts when a file that it reads by `.` has an
/// open substitution. `eval` survives one, but prints `[1] 123` for `&`, and takes one more fork.
fn is_perhaps_open(command: &str) -> bool {
    let count = |bracket| memchr::memchr_iter(bracket, command.as_bytes()).count();
    count(b'(') > count(b')')
}

#[cfg(test)]
mod tests {
    use super::{CLOSING, CommandInput, LineParts, SessionFlavor, Tracing};
    use crate::session::shell::lines::own_streams::OwnStreams;

    fn command(text: &str) -> LineParts<'_> {
        LineParts {
            text,
            is_quoted: false,
            input: CommandInput::Empty,
            is_merged: true,
            status: 0,
            tracing: Tracing::default(),
            hides_hooks: false,
        }
    }

    fn line(flavor: SessionFlavor, command: LineParts<'_>) -> String {
        flavor.command_line("/d", OwnStreams::below(1024), command)
    }

    #[test]
    fn bash_reads_all_lines_of_a_command_at_once() {
        // bash reads 1 KiB at a time from 5.1 on, and has no input while a command runs.
        let directory = "/run/user/4294967295/agent-bash.4194304.0123456789abcdef";
        let own_streams = OwnStreams::below(1024);
        let lines = SessionFlavor::Bash.command_line(
            directory,
            own_streams,
            LineParts { status: 255, hides_hooks: true, ..command("(") },
        ) + &SessionFlavor::Bash.report_line(directory, "01234567", own_streams);
        assert!(lines.len() < 1024 / 2, "{}", lines.len());
    }

    #[test]
    fn both_streams_are_one_where_they_are_merged() {
        let bash = line(SessionFlavor::Bash, command("echo $(true)"));
        assert_eq!(bash, format!("{CLOSING}; \\builtin . /d/command </dev/null >/d/o 2>&1\n"));
        let separate = LineParts { input: CommandInput::Named("i"), is_merged: false, ..command("true") };
        assert_eq!(line(SessionFlavor::Posix, separate), "\\command . /d/command </d/i >/d/o 2>/d/e\n");
    }

    #[test]
    fn hooks_of_bash_have_the_standard_streams_of_the_shell() {
        let line = line(SessionFlavor::Bash, LineParts { hides_hooks: true, ..command("true") });
        let expected =
            "{ \\builtin . /d/b 0; \\builtin . /d/command </dev/null >/d/o 2>&1; } 0<&240 1>&241 2>&242\n";
        assert_eq!(line, expected);
    }

    #[test]
    fn bash_reads_by_eval_what_may_lack_the_end_of_a_substitution() {
        assert!(line(SessionFlavor::Bash, command("echo $(")).contains("; \\builtin eval "));
    }

    #[test]
    fn zsh_gets_a_short_text_in_its_line() {
        let line = |is_quoted| line(SessionFlavor::Zsh, LineParts { is_quoted, ..command("echo \"$A\"") });
        assert_eq!(line(true), "{ \\builtin eval 'echo \"$A\"'; } </dev/null >/d/o 2>&1\n");
        assert_eq!(line(false), "{ \\builtin eval \"$(</d/command)\"; } </dev/null >/d/o 2>&1\n");
        assert!(SessionFlavor::Zsh.quotes("echo \"$A\"") && !SessionFlavor::Bash.quotes("echo a"));
        for command in ["echo 'a'", "echo a\necho b", "echo \u{fc}", "echo !!", "echo a\t", &"x".repeat(81)] {
            assert!(!SessionFlavor::Zsh.quotes(command), "{command}");
        }
    }
}
