//! Properties of any text: `check` neither panics nor hangs, a denied command stays denied after any text,
//! and quoted text is data.

use std::time::{Duration, Instant};

use agent_bash::policy::{Mode, Policy, PolicyRequest, Syntax, Verdict, check};
use proptest::prelude::*;

use super::{NoLinks, decide, policy};

/// Pieces of the grammar, nested and unbalanced, from which texts are made.
const PIECES: &[&str] = &[
    "echo ", "rm ", "x", "$x", "${x:-", "${x/", "}", "$(", ")", "`", "'", "\"", "\\", "\n", ";", "&", "|",
    "<", ">", "<<E\n", "\nE\n", "<<'E'\n", "<<<", "((", "))", "$((", "[[ ", " ]]", "{ ", "{a,b}", "{1..9}",
    "f() ", "function g ", "if ", "then ", "fi", "for i in ", "do ", "done", "while ", "case x in ", "esac",
    ";;", "a=", "a+=(", "a[", "]", "!", "*", "~", "#", " ", "\t", "coproc ", "eval ", "bash -c ", "xargs ",
    "env ", "find . -exec ", "trap ", "alias a=", "é", "\u{0}", "\r", "$'", "${!x}", "${x@P}", "<(", ">(",
    "sudo ", "timeout 5 ", "git -c ", "sed 's/", "awk '{",
];

/// The longest time for an answer: far more than any takes in a test build on a busy machine, and less than a
/// hang.
const BOUND: Duration = Duration::from_secs(5);

fn texts() -> impl Strategy<Value = String> {
    let pieces =
        prop::collection::vec(prop::sample::select(PIECES), 0..60).prop_map(|pieces| pieces.concat());
    let repeated = (prop::collection::vec(prop::sample::select(PIECES), 1..6), 1..400_usize, 0..4_usize)
        .prop_map(|(pieces, count, tail)| {
            let piece = pieces.concat();
            piece.repeat((count * 25 / piece.len().max(1)).max(1)) + &"}".repeat(tail)
        });
    let bytes = prop::collection::vec(any::<u8>(), 0..400)
        .prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    prop_oneof![4 => pieces, 3 => repeated, 1 => bytes]
}

fn verdict(text: &str, syntax: Syntax, policy: &Policy) -> Verdict {
    let request = PolicyRequest {
        policy,
        syntax: Some(syntax),
        directory: Some("/work/project"),
        root: None,
        environment: Some("HOME=/home/ann\0"),
        paths: &NoLinks,
    };
    check(text, &request).verdict
}

fn no_rm(mode: Mode) -> Policy {
    policy(mode, &["Bash(rm:*)"], &[], &["Bash"])
}

#[test]
fn a_declaration_of_thousands_of_variables_needs_no_longer_than_other_words() {
    let begin = Instant::now();
    assert_eq!(verdict(&"local x={1..9}".repeat(700), Syntax::Bash, &no_rm(Mode::Strict)), Verdict::Allow);
    assert!(begin.elapsed() < Duration::from_secs(1), "it took {:?}", begin.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_has_an_answer(text in texts()) {
        let read_only = policy(Mode::ReadOnly, &[], &[], &[]);
        let policies = [no_rm(Mode::BypassPermissions), no_rm(Mode::Strict), read_only];
        let begin = Instant::now();
        for policy in &policies {
            for syntax in [Syntax::Bash, Syntax::Posix, Syntax::Zsh] {
                let first = verdict(&text, syntax, policy);
                prop_assert_eq!(first, verdict(&text, syntax, policy), "the same twice");
            }
        }
        prop_assert!(begin.elapsed() < BOUND, "it took {:?}", begin.elapsed());
    }

    #[test]
    fn a_denied_command_behind_any_text_is_never_allowed(text in texts()) {
        let policy = no_rm(Mode::BypassPermissions);
        for end in ["\nrm x\n", "; rm x", " | rm x", " && (rm x)", " $(rm x)"] {
            let whole = format!("{text}{end}");
            // After a backslash, a comment or an open quote, the denied command is data, or the text can't be
            // read.
            if verdict(&whole, Syntax::Bash, &policy) == Verdict::Allow {
                let is_data = text.contains(['\\', '#', '\'']);
                prop_assert!(is_data, "{whole:?} is allowed");
            }
        }
    }

    #[test]
    fn quoted_text_is_data(text in texts()) {
        prop_assume!(!text.contains(['\'', '\0', '\r']) && text.len() < 9_000);
        let policy = no_rm(Mode::BypassPermissions);
        prop_assert_eq!(verdict(&format!("echo '{text}'"), Syntax::Bash, &policy), Verdict::Allow);
    }
}

#[test]
fn a_text_that_is_too_long_is_never_allowed() {
    let policy = policy(Mode::BypassPermissions, &["Bash(rm:*)"], &[], &["Bash"]);
    for text in
        ["a".repeat(1 << 20), "(".repeat(1 << 20), "$(".repeat(5_000), "{ ".repeat(5_000), "a;".repeat(9_000)]
    {
        assert_ne!(decide(&text, &policy).verdict, Verdict::Allow, "{} bytes", text.len());
    }
}

#[test]
fn an_option_without_its_value_has_an_answer() {
    let names = [
        "time", "env", "xargs", "find .", "sudo", "docker run", "docker exec", "docker compose exec",
        "parallel", "git", "git log", "git archive", "git config", "sort", "uniq", "less", "fd", "ssh",
        "ssh h", "autossh", "sed", "awk", "bash", "sh", "trap", "watch", "flock", "su", "script", "nix",
        "npx", "npm exec", "kubectl exec", "nc", "tar", "rsync", "scp", "curl", "wget", "make", "go run",
        "gdb", "sqlite3", "psql", "ed", "hash", "enable", "socat", "vim", "cp", "mv", "install", "ln", "dd",
        "tee", "rm", "chmod", "chown", "read", "printf", "mapfile", "export", "getopts", "timeout", "nice",
        "nohup", "stdbuf", "chrt", "command", "builtin", "exec", "unshare", "start-stop-daemon", "at",
        "crontab", "python3", "perl", "node", "tmux", "screen", "apt-get", "dpkg", "iconv", "shuf", "tree",
        "xxd", "kill", "systemctl", "git -C", "git rebase", "git clean", "rsync --delete", "find . -exec",
        "rg", "jq", "date", "stat",
    ];
    let policies =
        [policy(Mode::BypassPermissions, &["Bash(rm:*)"], &[], &[]), policy(Mode::ReadOnly, &[], &[], &[])];
    for name in names {
        for letter in ('a'..='z').chain('A'..='Z').chain(['-', '0', ';']) {
            for text in
                [format!("{name} -{letter}"), format!("{name} -{letter} x"), format!("{name} --{letter}=")]
            {
                for policy in &policies {
                    assert!(!decide(&text, policy).reason.is_empty(), "{text}");
                }
            }
        }
    }
}
