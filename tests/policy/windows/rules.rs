//! Names and paths in rules, and variables.

use super::{all, decide};
use crate::{Mode, Verdict, policy};

#[test]
fn a_deny_rule_about_a_program_matches_it_with_any_ending_and_case() {
    let policy = policy(Mode::BypassPermissions, &["Bash(rm:*)", "Bash(Deploy.cmd:*)"], &[], &["Bash"]);
    let texts = [
        "RM x",
        "rm.exe x",
        "Rm.Exe x",
        "/usr/bin/rm.exe x",
        "'C:\\Program Files\\Git\\usr\\bin\\rm.exe' x",
        "C:/x/RM x",
        "timeout 5 rm.exe x",
        "deploy",
        "DEPLOY.CMD",
    ];
    all(&texts, &policy, "denied", |decision| decision.verdict == Verdict::Deny);
}

#[test]
fn an_allow_rule_covers_a_program_but_no_path_to_it() {
    let policy = policy(Mode::Strict, &[], &[], &["Bash(npm test)", "Bash(cat src/*)"]);
    all(&["npm test", "npm.cmd test", "NPM test", "cat src/a"], &policy, "allowed", |decision| {
        decision.verdict == Verdict::Allow
    });
    let texts = [
        "./npm.cmd test",
        "'C:\\x\\npm.cmd' test",
        r"cat 'src/..\..\x'",
        r"cat 'src/a\..\..\..\x'",
        "cat 'src/.. /../x'",
        "PATH=/x npm test",
        "Path=/x npm test",
        "ComSpec=x npm test",
    ];
    all(&texts, &policy, "denied", |decision| decision.verdict != Verdict::Allow);
}

#[test]
fn a_deny_rule_about_a_path_matches_each_of_its_forms() {
    let policy =
        policy(Mode::BypassPermissions, &["Bash(cat C:/Secret/*)", "Bash(cat keys/id)"], &[], &["Bash"]);
    for path in [
        "C:/Secret/a",
        r"C:\secret\a",
        "/c/SECRET/a",
        r"\\?\C:\Secret\a",
        r"..\..\Secret\a",
        r"\secret\a",
        "keys/id",
        r"keys\ID",
        r".\keys\id::$DATA",
        "/c/work/project/keys/id.",
    ] {
        assert_eq!(decide(&format!("cat '{path}'"), &policy).verdict, Verdict::Deny, "{path}");
    }
    for path in ["C:/Secrets/a", "keys/other", "/d/secret/a"] {
        assert_eq!(decide(&format!("cat '{path}'"), &policy).verdict, Verdict::Allow, "{path}");
    }
}
