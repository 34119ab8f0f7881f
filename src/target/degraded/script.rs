//! The script that runs one command without a helper, for any POSIX shell.
//!
//! ```text
//! sh (reads the script, the text, the input) ─┬─ signaller: reads lines, and signals the group
//!                                             └─ starter ─── leader: sh, then the command by `exec`
//! ```
//!
//! The leader reports its pid, and executes nothing before the signaller has read the pid from the stream. So
//! the end of the stream finds every command. The starter waits in the foreground: a shell without job
//! control makes its background commands ignore SIGINT. It reports the exit code, and when the group is
//! empty. The kernel may reuse the number of an empty group, so nothing signals it. Shells report dead
//! children on standard error, so that of the script is `/dev/null`, and descriptor 3 is the command's.
//! Descriptors are opened for a group of commands: what `exec` opens, a Korn shell closes for its programs.

use std::fmt::Write;

use crate::helper::supervisor::protocol::plan::RemotePlan;
use crate::syntax::quote::quoted;
use crate::target::scripts::{INPUT, LEADER, RUN, one_line};

/// The first byte of a marker, which text rarely has: a stream is held back only where a marker may begin.
const RECORD_SEPARATOR: char = '\x1e';

/// The variable in which the leader gets its surroundings, where no list of processes shows them.
const SURROUNDINGS: &str = "agent_bash";

/// Returns what precedes each line that the script reports.
pub(super) fn marker(nonce: &str) -> String {
    format!("{RECORD_SEPARATOR}agent-bash {nonce} ")
}

/// Returns the script, as one line. It reads `text` bytes of [`text`] first, and then the bytes of the input.
pub(super) fn script(nonce: &str, text: usize, input: usize, is_merged: bool) -> String {
    let say = format!("ab_say() {{ echo \"{RECORD_SEPARATOR}agent-\"\"bash $ab_n $*\"; }};");
    let (has_input, text) = (input > 0, text.to_string());
    let leader = one_line(
        LEADER,
        &[
            ("SAY", &say),
            ("STDIN", if has_input { "exec <&6 6<&-" } else { "exec </dev/null" }),
            ("MERGE", if is_merged { "exec 2>&1;" } else { "" }),
            ("SURROUNDINGS", SURROUNDINGS),
        ],
    );
    let input = if has_input { one_line(INPUT, &[("INPUT", &input.to_string())]) } else { String::new() };
    let end = if has_input { "; } 6<\"$ab_f\" 7>\"$ab_f\" 8<\"$ab_f\"" } else { "" };
    let values = [
        ("NONCE", nonce),
        ("SAY", &say),
        ("TEXT", &text),
        ("INPUT", &input),
        ("END", end),
        ("BYE", BYE),
        ("KILL", KILL),
        ("SURROUNDINGS", SURROUNDINGS),
        ("LEADER", &leader),
    ];
    one_line(RUN, &values) + "\n"
}

/// The line that lets the script end without a signal, because no process is left.
pub(super) const BYE: &str = "BYE";

/// The name of the signal after which the script signals nothing more.
pub(super) const KILL: &str = "KILL";

/// Returns the text that sets the words of the command and its surroundings. It ends with the nonce, without
/// which a part of it would be taken for the whole.
pub(super) fn text(plan: &RemotePlan, nonce: &str) -> String {
    let words = |words: &Vec<Vec<u8>>| {
        words.iter().fold("set --".to_owned(), |text, word| text + " " + &quoted_bytes(word))
    };
    let mut text = format!("{SURROUNDINGS}={};", quoted(&surroundings(plan)));
    // The last alternative needs no test: a missing program is an error.
    let alternatives = plan.whole_words();
    let (last, others) =
        alternatives.split_last().map_or((None, [].as_slice()), |(last, others)| (Some(last), others));
    for alternative in others {
        let program = alternative.first().map(|word| quoted_bytes(word)).unwrap_or_default();
        let _ = write!(text, "if command -v {program} >/dev/null;then {};else ", words(alternative));
    }
    text.push_str(&last.map(words).unwrap_or_default());
    text.extend(others.iter().map(|_| ";fi"));
    let _ = write!(text, "\n#{nonce}");
    text
}

/// Returns the part of the text that the leader evaluates: the environment and the directory.
fn surroundings(plan: &RemotePlan) -> String {
    let mut text = format!("unset {SURROUNDINGS};");
    if plan.has_empty_environment {
        // A shell may refuse to unset a variable of its own, and exit.
        text.push_str(
            "for ab_v in `env|sed -n \"s/^\\([A-Za-z_][A-Za-z0-9_]*\\)=.*/\\1/p\"`;\
             do (unset $ab_v)&&unset $ab_v;done;",
        );
    } else {
        // As the supervisor does, so that bash does not read `~/.bashrc` below a server of ssh.
        text.push_str("case ${SHLVL:-0} in 0)SHLVL=1;export SHLVL;;esac;");
    }
    for name in &plan.unset {
        let _ = write!(text, "unset {};", String::from_utf8_lossy(name));
    }
    for variable in &plan.variables {
        let variable = String::from_utf8_lossy(variable);
        let (name, value) = variable.split_once('=').unwrap_or((&variable, ""));
        let _ = write!(text, "export {name}={};", quoted(value));
    }
    if plan.has_empty_environment && !plan.variables.iter().any(|variable| variable.starts_with(b"PATH=")) {
        // The program is searched all the same, and some shells export a PATH that is set again.
        text.push_str(
            "PATH=/usr/bin:/bin;ab_x=`command -v \"$1\"`;unset PATH;\
             case $ab_x in /*)shift;set -- \"$ab_x\" \"$@\";;esac;",
        );
    }
    if let Some(root) = &plan.root {
        enter(&mut text, "root", root);
        text.push_str("ab_r=$ab_d;");
    }
    if !plan.directory.is_empty() {
        enter(&mut text, "cwd", &plan.directory);
    }
    if plan.root.is_some() {
        text.push_str("case $ab_d/ in \"${ab_r%/}\"/*);;*)ab_no cwd outside;;esac;");
    }
    text
}

/// Appends the change to a directory, whose real path is `$ab_d` then, also with newlines at its end.
fn enter(text: &mut String, option: &str, directory: &str) {
    let _ = write!(
        text,
        "ab_d={};[ -e \"$ab_d\" ]||ab_no {option} missing;[ -d \"$ab_d\" ]||ab_no {option} file;\
         cd -P \"$ab_d\"||ab_no {option} denied;ab_d=`pwd -P;echo x`;ab_d=${{ab_d%?x}};",
        quoted(directory)
    );
}

fn quoted_bytes(word: &[u8]) -> String {
    quoted(&String::from_utf8_lossy(word))
}

/// A line by which the script reports to the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ScriptMessage {
    /// The script takes the input now.
    Input,
    /// The leader runs, and waits for the host. Its pid, and whether it leads a process group.
    Ready { pid: i32, leads_group: bool },
    /// The command is executed next, in this directory by real path, if that is known.
    Started(Option<String>),
    /// The command can't be executed: which option is wrong, and how.
    Failed(String, String),
    /// The exit code, and whether processes of its group are left.
    Exit { code: i32, has_left: bool },
    /// None of these is left any more.
    Gone,
}

impl ScriptMessage {
    /// Returns whether no process of the group is left that could write.
    pub(super) const fn is_last(&self) -> bool {
        matches!(self, Self::Exit { has_left: false, .. } | Self::Gone)
    }

    /// Reads a line behind a marker; `None` for one that only marks its place in the output.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (first, second) = rest.split_once(' ').unwrap_or((rest, ""));
        Some(match word {
            "input" => Self::Input,
            "ready" => Self::Ready {
                pid: first.parse().ok().filter(|&pid| pid > 1)?,
                leads_group: second == "group",
            },
            "started" => Self::Started((!rest.is_empty()).then(|| rest.to_owned())),
            "failed" => Self::Failed(first.to_owned(), second.to_owned()),
            "gone" => Self::Gone,
            "exit" => Self::Exit { code: first.parse().ok()?, has_left: second == "left" },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{RemotePlan, ScriptMessage, marker, script, text};

    const NONCE: &str = "0123456789abcdef";

    #[test]
    fn the_script_is_one_line_without_its_own_marker() {
        for (input, is_merged) in [(0, false), (7, true)] {
            let script = script(NONCE, 100, input, is_merged);
            assert_eq!(script.matches('\n').count(), 1);
            assert!(script.ends_with('\n'));
            assert!(!script.contains(&marker(NONCE)));
            // The leader's own script is one quoted word.
            assert_eq!(script.matches('\'').count(), 2);
            assert_eq!(script.contains("TMPDIR"), input > 0);
        }
    }

    #[test]
    fn a_text_ends_with_the_nonce_and_tries_programs_in_order() {
        let words = |program: &str| vec![program.as_bytes().to_vec(), b"-c".to_vec(), b"it's\n".to_vec()];
        let plan = RemotePlan { words: vec![words("/bin/bash"), words("sh")], ..RemotePlan::default() };
        let text = text(&plan, NONCE);
        let choice = "if command -v '/bin/bash' >/dev/null;then set -- '/bin/bash' '-c' 'it'\\''s\n';\
                      else set -- 'sh' '-c' 'it'\\''s\n';fi";
        assert!(text.ends_with(&format!(";{choice}\n#{NONCE}")), "{text}");
    }

    #[test]
    fn reports_are_read_and_anything_else_is_none() {
        let ready = ScriptMessage::Ready { pid: 7, leads_group: true };
        assert_eq!(ScriptMessage::parse("ready 7 group"), Some(ready));
        assert_eq!(
            ScriptMessage::parse("exit 3 left"),
            Some(ScriptMessage::Exit { code: 3, has_left: true })
        );
        assert_eq!(ScriptMessage::parse("started "), Some(ScriptMessage::Started(None)));
        assert_eq!(
            ScriptMessage::parse("started /a b"),
            Some(ScriptMessage::Started(Some("/a b".to_owned())))
        );
        // A signal to pid 0 or 1, or to a negative number, would reach others.
        for line in ["ready", "ready 0", "ready 1 group", "ready -5", "exit", "exit x", "", "unknown"] {
            assert_eq!(ScriptMessage::parse(line), None, "{line}");
        }
    }
}
