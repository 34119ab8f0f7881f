//! Shells of Windows and other programs that run commands.

use super::{all, decide, does_more};
use crate::{Mode, Verdict, policy};

#[test]
fn a_denied_command_is_found_in_the_shells_of_windows() {
    let policy = policy(Mode::BypassPermissions, &["Bash(curl:*)"], &[], &["Bash"]);
    let texts = [
        "cmd /c curl x",
        "cmd.exe //c 'curl x'",
        "CMD /Q /C \"echo a & curl x\"",
        "C:/Windows/System32/cmd.exe /c curl x",
        "'C:\\Windows\\System32\\cmd.exe' /s /c 'echo a && C:\\tools\\curl.exe x'",
        "powershell -c 'curl x'",
        "powershell.exe -NoProfile -ExecutionPolicy Bypass -Command \"ls; curl.exe x\"",
        "pwsh -Command '& \"C:\\tools\\curl.exe\" x'",
        "powershell curl x",
        "wsl curl x",
        "wsl.exe -d Ubuntu -- curl x",
        "start '' curl x",
        "start-process curl x",
        "env CURL.EXE x",
        "Curl x",
    ];
    all(&texts, &policy, "denied", |decision| decision.verdict == Verdict::Deny);
}

#[test]
fn what_another_shell_runs_is_never_certain() {
    let policy = policy(Mode::Default, &["Bash(curl:*)"], &[], &["Bash(cmd:*)", "Bash(powershell:*)"]);
    let texts = [
        "cmd /c 'for %i in (*) do curl %i'",
        "cmd < x.bat",
        "powershell -c 'if ($x) { curl x }'",
        "powershell -enc AAAA",
        "echo x | powershell -",
        "rundll32 x.dll,Start",
        "mshta http://x",
        "echo x | cmd",
    ];
    all(&texts, &policy, "stopped", |decision| decision.verdict != Verdict::Allow);
}

#[test]
fn another_shell_is_no_query() {
    does_more(&["cmd /c 'type src\\a'", "powershell -c 'gc a'", "cmd /c dir", "CAT.EXE C:/x", "./cat.exe a"]);
}

#[test]
fn a_decision_names_the_program_as_rules_do() {
    let decision = decide("'C:\\tools\\RM.EXE' x", &policy(Mode::Strict, &[], &[], &[]));
    assert_eq!(decision.commands[0].name.as_deref(), Some("C:/tools/rm"));
}
