//! The lines for each kind of shell: its start, its commands and its reports. Pure.
//!
//! Every line begins with a quoted name (`\builtin`), which no alias replaces, and none defines a variable. Lines are
//! short, because zsh reads its standard input byte by byte; the command itself is in a file.
//!
//! A further flavor needs a value of [`SessionFlavor`], its name in the checks of `lib/session/session-options.mjs` and
//! `lib/options/usual-shell.mjs`, and a script in `lib/session/state-scripts.mjs`, which saves and restores its state.

use super::files::{BEGIN, COMMAND, CTL, REPORT, STATUSES, STDERR, STDOUT};
use super::start_files::StartFiles;
use crate::process::signal::RARELY_USED;
use crate::syntax::Syntax;
use crate::syntax::shells::KnownShell;

/// A kind of shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionFlavor {
    /// GNU bash.
    Bash,
    /// zsh.
    Zsh,
    /// dash, the shell of busybox, and any other program called `sh`.
    Posix,
}

/// The standard input of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// An empty input.
    Empty,
    /// A file or named pipe of the session's directory.
    Named(&'static str),
}

/// A command as its line names it.
#[derive(Clone, Copy, Debug)]
pub struct CommandLine<'a> {
    /// The text of the command.
    pub text: &'a str,
    /// Whether the line quotes the text, instead of naming its file.
    pub is_quoted: bool,
    /// The standard input.
    pub source: Source,
    /// Whether standard error goes to standard output.
    pub is_merged: bool,
    /// `$?` before the command.
    pub status: i32,
    /// What the shell traces.
    pub tracing: Tracing,
}

/// What a zsh traces. It shows the trace of a builtin in the stream that was there before the builtin's
/// redirections.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tracing {
    /// Whether it shows commands (`set -x`).
    xtrace: bool,
    /// Whether it shows its input (`set -v`).
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

/// The first of the descriptors at which bash keeps its own standard streams, unless `RLIMIT_NOFILE` is
/// lower. Users take low numbers, and bash itself takes those from 255 down.
const OWN_STREAMS: u64 = 240;

/// The longest command that is quoted in its line (bytes). For a longer one, opening and reading its file takes less
/// time than reading the line byte by byte.
const LONGEST_QUOTED: usize = 80;

impl SessionFlavor {
    /// Returns the flavor of a shell by the name of its program, or `None` for a shell that sessions don't support.
    #[must_use]
    pub fn of(program: &str) -> Option<Self> {
        match KnownShell::of(program).filter(|shell| shell.is_drivable)?.syntax? {
            Syntax::Bash => Some(Self::Bash),
            Syntax::Zsh => Some(Self::Zsh),
            Syntax::Posix => Some(Self::Posix),
        }
    }

    /// Returns the name of the shells of this flavor.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Posix => "sh",
        }
    }

    /// Returns the arguments of an interactive shell that reads its commands from standard input, and no
    /// start files by itself. The shell is interactive because no error ends such a shell.
    #[must_use]
    pub fn arguments(self, start_files: StartFiles) -> Vec<&'static str> {
        let mut arguments = match self {
            // Without line editing, bash reads a pipe block by block, and not byte by byte.
            Self::Bash => vec!["--noprofile", "--norc", "--noediting", "+H", "+o", "history"],
            Self::Zsh => vec!["-f"],
            Self::Posix => Vec::new(),
        };
        arguments.extend((start_files.is_login() && self != Self::Posix).then_some("-l"));
        arguments.extend(["-i", "-s"]);
        arguments
    }

    /// Returns the signal of the stop trap.
    #[must_use]
    pub const fn stop_signal(self) -> i32 {
        match self {
            // zsh traps no real-time signals. A nonzero return of a trap interrupts the list for SIGINT and SIGQUIT
            // only; for other signals it counts as an error, which a command that fails anyway hides.
            Self::Zsh => libc::SIGQUIT,
            // SIGINT alone is not enough: bash forgets a SIGINT that arrives while it waits for a program which then
            // exits by itself, and goes on with its list. A trap runs before the next command of the list in any case.
            // The stop trap sends SIGINT from there, outside of a wait, and an interactive shell then gives up its list. `IFS` may
            // split its pid, functions and aliases may have the names of its commands, and `enable -n` may disable one.
            Self::Bash | Self::Posix => RARELY_USED,
        }
    }

    /// Returns the command that runs a builtin, whatever functions and aliases there are. dash has none that
    /// runs builtins alone.
    #[must_use]
    pub const fn builtin(self) -> &'static str {
        match self {
            Self::Bash | Self::Zsh => "\\builtin",
            Self::Posix => "\\command",
        }
    }

    /// Returns how many descriptors the shell needs for a command, and from which number on. zsh and dash
    /// keep the redirected streams, and dash the file with the command, at numbers from 10 on.
    #[must_use]
    pub const fn needed_descriptors(self) -> (u64, u64) {
        match self {
            Self::Bash => (3, 2),
            Self::Zsh => (10, 3),
            Self::Posix => (10, 4),
        }
    }

    /// Returns whether the shell drops the lines that it has read ahead when a SIGINT comes.
    #[must_use]
    pub const fn forgets_lines(self) -> bool {
        matches!(self, Self::Posix)
    }

    /// Returns the first lines of a shell: they read the start files, with the token around their output, set
    /// the stop trap, and switch off prompts, the timeout, mail checks and history. The prompts come last,
    /// because the start files may have made them read-only: the error drops the rest of the line.
    #[must_use]
    pub fn first_lines(
        self,
        directory: &str,
        start_files: StartFiles,
        own_streams: OwnStreams,
        token: &str,
    ) -> String {
        let stop = self.stop_signal();
        let files = start_files.lines(self, token);
        match self {
            Self::Bash => format!(
                "{}\n{files}\\unset MAILCHECK TMOUT HISTFILE 2>/dev/null; \\shopt -s execfail; \
                 \\trap '{{ \\builtin trap - INT; \\builtin kill -INT \"$$\" || {{ \
                 \\builtin enable kill; \\builtin kill -INT \"$$\"; }}; }} 2>/dev/null' {stop}\nPS1= PS2=\n",
                own_streams.saving_line(),
            ),
            Self::Zsh => format!(
                "\\builtin unsetopt promptcr promptsp 2>/dev/null\n{files}\
                 \\unset TMOUT HISTFILE 2>/dev/null; \\unsetopt zle promptcr promptsp monitor 2>/dev/null; \
                 \\setopt interactivecomments; TRAPQUIT() {{ {{ \\builtin return 130 }} 2>/dev/null }}\nPS1= PS2= RPS1= MAILCHECK=0\n"
            ),
            Self::Posix => format!(
                "{files}\\command unset PS1 PS2 MAILCHECK TMOUT ENV 2>/dev/null; \
                 \\command eval 'PS1= PS2='; __agent_bash_report() {{ \
                 \\command printf '%s %s\\0%s\\0' \"$1\" \"$2\" \"$PWD\" >{directory}/{CTL}; \
                 case $- in *e*) \\return 0;; esac; \\return \"$2\"; }}; \
                 \\trap '{{ \\trap - INT; \\command kill -INT \"$$\"; }} 2>/dev/null' {stop}\n"
            ),
        }
    }

    /// Returns whether a command is short and plain enough for the line by which it runs, so that no file is read.
    /// zsh reads a line byte by byte, a system call each, so quoting a short command takes fewer calls than naming
    /// its file.
    #[must_use]
    pub fn quotes(self, command: &str) -> bool {
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'\'' | b'!');
        self == Self::Zsh && command.len() <= LONGEST_QUOTED && command.as_bytes().iter().all(is_plain)
    }

    /// Returns the line by which a command runs: quoted in the line, or from its file.
    #[must_use]
    pub fn command_line(self, directory: &str, command: CommandLine<'_>) -> String {
        let CommandLine { text, is_quoted, source, is_merged, status, tracing } = command;
        let reader = match self {
            Self::Bash => {
                let begin = if status == 0 {
                    CLOSING.to_owned()
                } else {
                    format!("\\builtin . {directory}/{BEGIN} {status}")
                };
                if is_perhaps_open(text) {
                    format!("{begin}; \\builtin eval \"$(<{directory}/{COMMAND})\"")
                } else {
                    format!("{begin}; \\builtin . {directory}/{COMMAND}")
                }
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
        let stdin = match source {
            Source::Empty => "/dev/null".to_owned(),
            Source::Named(name) => format!("{directory}/{name}"),
        };
        let stderr = if is_merged { "&1".to_owned() } else { format!("{directory}/{STDERR}") };
        format!("{reader} <{stdin} >{directory}/{STDOUT} 2>{stderr}\n")
    }

    /// Returns the text of the file that bash, and a zsh that traces, read before a command, with `$?` as its
    /// argument if that is not 0.
    #[must_use]
    pub fn begin_file(self) -> String {
        if self == Self::Bash { format!("{CLOSING}\n{RETURN_STATUS}") } else { RETURN_STATUS.to_owned() }
    }

    /// Returns the lines by which the shell reports the status of the command before them, and its directory.
    #[must_use]
    pub fn report_line(self, directory: &str, token: &str, own_streams: OwnStreams) -> String {
        match self {
            // The last line is for a command that has removed the file, and for a stop before the file has
            // been read: without its standard input, bash would end.
            Self::Bash => {
                let restoring = own_streams.restoring("\\exec");
                format!("\\builtin . {directory}/{REPORT} {token} \"$?\"\n{restoring}\n")
            }
            Self::Zsh => format!("\\builtin . {directory}/{REPORT} {token} \"$?\"\n"),
            Self::Posix => format!("\\__agent_bash_report {token} \"$?\"\n"),
        }
    }

    /// Returns the text of the file that reports, for shells whose `.` passes arguments on. In bash, it opens
    /// the standard descriptors again, by another name where a function is called `exec`; a shell that has
    /// lost them ends with the status of its command. In zsh, the file keeps `$?`, except under errexit,
    /// where a failing status would end the shell.
    #[must_use]
    pub fn report_file(self, directory: &str, own_streams: OwnStreams) -> String {
        let options = if self == Self::Zsh { " $-" } else { "" };
        let report =
            format!("\\builtin printf '%s %s\\0%s\\0' \"$1\" \"$2{options}\" \"$PWD\" >{directory}/{CTL}\n");
        if self != Self::Bash {
            return report + &RETURN_STATUS.replace("$1", "$2");
        }
        format!(
            "{}\n{HAS_INPUT} || {{ {}; {HAS_INPUT} || \\builtin exit \"$2\"; }}\n{report}\\builtin return 0\n",
            own_streams.restoring("\\exec"),
            own_streams.restoring("\\command exec"),
        )
    }

    /// Returns the line after a command that reports the statuses of its last pipeline; `None` for a shell that does
    /// not record them.
    #[must_use]
    pub fn statuses_line(self, directory: &str, token: &str) -> Option<String> {
        let statuses = match self {
            Self::Bash => "${PIPESTATUS[@]}",
            Self::Zsh => "${pipestatus[@]}",
            Self::Posix => return None,
        };
        Some(format!(
            "\n{{ \\builtin . {directory}/{STATUSES} {token} \"$?\" \"{statuses}\"; }} 2>/dev/null\n"
        ))
    }

    /// Returns the text of the file that reports the statuses.
    #[must_use]
    pub fn statuses_file(self, directory: &str) -> String {
        format!(
            "\\builtin printf ' %s' \"$1\" p \"${{@:3}}\" >{directory}/{CTL}\n\
             \\builtin printf '\\0' >{directory}/{CTL}\n\
             \\builtin return \"$2\"\n"
        )
    }

    /// Returns the line that ends the shell. Its EXIT trap runs.
    #[must_use]
    pub const fn exit_line(self) -> &'static str {
        match self {
            Self::Bash | Self::Zsh => "\\builtin exit 0\n",
            Self::Posix => "\\exit 0\n",
        }
    }
}

/// The command by which bash closes its standard descriptors before it redirects them: to redirect an open
/// one, bash keeps it at a number from 10 on, which a command could close or overwrite.
const CLOSING: &str = "\\exec 0<&- 1>&- 2>&-";

/// The end of a file that keeps `$?`, except under errexit, where a failing status would end the shell.
const RETURN_STATUS: &str = "\\builtin [ \"${-##*e*}\" ] && \\builtin return \"$1\"\n\\builtin return 0\n";

/// The test whether bash can read its lines. It works also where a function is called `builtin`.
const HAS_INPUT: &str = "\\[ -p /dev/fd/0 ]";

/// The descriptors at which bash keeps its own standard streams while a command runs. No program inherits
/// them.
#[derive(Clone, Copy, Debug)]
pub struct OwnStreams(u64);

impl OwnStreams {
    /// Returns the descriptors for a shell with this limit of open files.
    #[must_use]
    pub fn below(open_files: u64) -> Self {
        Self(OWN_STREAMS.min(open_files.saturating_sub(7)))
    }

    /// Returns the list that makes the copies. They are closed on exec because their originals are: bash
    /// keeps a redirected stream at the lowest free descriptor above the one that replaces it, closed on
    /// exec. An older bash keeps it elsewhere, and its programs inherit the copies.
    fn saving_line(self) -> String {
        let [input, output, error, other, kept_input, kept_output, kept_error] =
            std::array::from_fn(|index| self.0 + index as u64);
        format!(
            "\\exec {input}<&0 {output}>&1 {error}>&2 {other}<&0; \
             {{ \\exec {input}<&{kept_input} {output}>&{kept_output} {error}>&{kept_error}; }} \
             0<&{other} 1>&{other} 2>&{other}; \\exec {other}<&-; "
        )
    }

    /// Returns the command that opens the standard descriptors again.
    fn restoring(self, exec: &str) -> String {
        let Self(first) = self;
        format!("{exec} 0<&{first} 1>&{} 2>&{}", first + 1, first + 2)
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

/// Returns whether a substitution may lack its end. bash 5.2 aborts when a file that it reads by `.` has an open
/// substitution. `eval` survives one, but prints `[1] 123` for `&`, and takes one more fork.
fn is_perhaps_open(command: &str) -> bool {
    let count = |bracket| memchr::memchr_iter(bracket, command.as_bytes()).count();
    count(b'(') > count(b')')
}

#[cfg(test)]
mod tests {
    use super::{CommandLine, OwnStreams, SessionFlavor, Source, StartFiles, Tracing};

    fn command(text: &str) -> CommandLine<'_> {
        CommandLine {
            text,
            is_quoted: false,
            source: Source::Empty,
            is_merged: true,
            status: 0,
            tracing: Tracing::default(),
        }
    }

    #[test]
    fn bash_reads_all_lines_of_a_command_at_once() {
        // bash reads 1 KiB at a time, and has no input while a command runs.
        let directory = "/run/user/4294967295/agent-bash.4194304.0123456789abcdef";
        let own_streams = OwnStreams::below(1024);
        let lines = SessionFlavor::Bash.command_line(directory, CommandLine { status: 255, ..command("(") })
            + &SessionFlavor::Bash.report_line(directory, "01234567", own_streams);
        assert!(lines.len() < 1024 / 2, "{}", lines.len());
    }

    #[test]
    fn a_shell_is_known_by_the_name_of_its_program() {
        assert_eq!(SessionFlavor::of("/usr/bin/bash"), Some(SessionFlavor::Bash));
        assert_eq!(SessionFlavor::of("zsh"), Some(SessionFlavor::Zsh));
        for name in ["/bin/sh", "dash", "ash"] {
            assert_eq!(SessionFlavor::of(name), Some(SessionFlavor::Posix));
        }
        for name in ["fish", "/usr/bin/python3", "csh", "bash.exe", ""] {
            assert_eq!(SessionFlavor::of(name), None, "{name}");
        }
    }

    #[test]
    fn no_shell_reads_start_files_by_itself() {
        for start_files in [StartFiles::None, StartFiles::Login, StartFiles::Interactive, StartFiles::Both] {
            let arguments = SessionFlavor::Bash.arguments(start_files);
            assert!(arguments.contains(&"--norc") && arguments.contains(&"--noprofile"));
            assert_eq!(arguments.contains(&"-l"), start_files.is_login());
            assert!(SessionFlavor::Zsh.arguments(start_files).contains(&"-f"));
            assert_eq!(SessionFlavor::Posix.arguments(start_files), ["-i", "-s"]);
        }
    }

    #[test]
    fn both_streams_are_one_where_they_are_merged() {
        let line = SessionFlavor::Bash.command_line("/d", command("echo $(true)"));
        assert_eq!(line, "\\exec 0<&- 1>&- 2>&-; \\builtin . /d/command </dev/null >/d/o 2>&1\n");
        let separate = CommandLine { source: Source::Named("i"), is_merged: false, ..command("true") };
        let line = SessionFlavor::Posix.command_line("/d", separate);
        assert_eq!(line, "\\command . /d/command </d/i >/d/o 2>/d/e\n");
    }

    #[test]
    fn bash_reads_by_eval_what_may_lack_the_end_of_a_substitution() {
        let line = SessionFlavor::Bash.command_line("/d", command("echo $("));
        assert!(line.contains("; \\builtin eval "));
    }

    #[test]
    fn zsh_gets_a_short_text_in_its_line() {
        let line = |is_quoted| {
            SessionFlavor::Zsh.command_line("/d", CommandLine { is_quoted, ..command("echo \"$A\"") })
        };
        assert_eq!(line(true), "{ \\builtin eval 'echo \"$A\"'; } </dev/null >/d/o 2>&1\n");
        assert_eq!(line(false), "{ \\builtin eval \"$(</d/command)\"; } </dev/null >/d/o 2>&1\n");
        assert!(SessionFlavor::Zsh.quotes("echo \"$A\"") && !SessionFlavor::Bash.quotes("echo a"));
        for command in ["echo 'a'", "echo a\necho b", "echo \u{fc}", "echo !!", "echo a\t", &"x".repeat(81)] {
            assert!(!SessionFlavor::Zsh.quotes(command), "{command}");
        }
    }

    #[test]
    fn only_shells_with_statuses_of_a_pipeline_report_them() {
        assert!(SessionFlavor::Bash.statuses_line("/d", "t").is_some());
        assert!(SessionFlavor::Posix.statuses_line("/d", "t").is_none());
    }
}
