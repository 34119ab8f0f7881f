//! The spellings of a path, in commands that read, write and remove.

use super::{ENVIRONMENT, ROOT, dangerous, decide, does_more, harmless, reads};
use crate::{Mode, NoLinks, PolicyRequest, Syntax, Verdict, check, policy};

/// Spellings of a file outside of the root.
const KEY: [&str; 24] = [
    r"C:\Users\Ann\.ssh\id_rsa",
    "C:/Users/Ann/.ssh/id_rsa",
    "/c/Users/Ann/.ssh/id_rsa",
    "/cygdrive/c/Users/Ann/.ssh/id_rsa",
    "/mnt/c/Users/Ann/.ssh/id_rsa",
    r"\\?\C:\Users\Ann\.ssh\id_rsa",
    r"\\.\C:\Users\Ann\.ssh\id_rsa",
    r"\\?\UNC\localhost\C$\Users\Ann\.ssh\id_rsa",
    r"\\?\Volume{00000000-0000-0000-0000-000000000000}\Users\Ann\.ssh\id_rsa",
    r"\Users\Ann\.ssh\id_rsa",
    r"C:Users\Ann\.ssh\id_rsa",
    r"C:id_rsa",
    r"\\localhost\c$\Users\Ann\.ssh\id_rsa",
    r"\\127.0.0.1\C$\Users\Ann\.ssh\id_rsa",
    r"\\server\share\.ssh\id_rsa",
    "//server/share/id_rsa",
    r"..\..\Users/Ann\.ssh/id_rsa",
    r"src\..\..\..\Users\Ann\.ssh\id_rsa",
    r"C:\Work\Project\..\..\Users\Ann\.ssh\id_rsa",
    r"C:\Users\Ann\.ssh.\id_rsa. ",
    r"C:\Users\Ann\.ssh\id_rsa::$DATA",
    r"C:\Users\Ann\SSH~1\ID_RSA",
    r"%USERPROFILE%\.ssh\id_rsa",
    r"%APPDATA%\..\..\.ssh\id_rsa",
];

/// Spellings of the home of a user.
const HOME: [&str; 22] = [
    r"C:\Users\Ann",
    r"C:\Users\Ann\",
    "C:/Users/Ann/",
    r"c:\uSERS\aNN",
    "/c/Users/Ann",
    "/cygdrive/c/Users/Ann",
    r"\\?\C:\Users\Ann",
    r"\\.\c:\Users\Ann",
    r"\\localhost\c$\Users\Ann",
    r"\\127.0.0.1\C$\Users\Ann",
    r"\\ann-pc\C$\Users\Ann",
    r"\\?\Volume{1}\Users\Ann",
    r"\Users\Ann",
    r"C:Users\Ann",
    r"C:\Users\.\Ann\..\Ann",
    r"..\..\Users\Ann",
    r"C:\Users.\Ann. .",
    r"C:\Users\Ann::$INDEX_ALLOCATION",
    r"C:\USERS~1\Ann",
    r"%USERPROFILE%",
    r"%userprofile%\*",
    r"%APPDATA%\..\..",
];

#[test]
fn a_file_outside_of_the_root_is_refused_in_each_form() {
    let texts: Vec<String> = KEY.iter().map(|path| format!("cat '{path}'")).collect();
    does_more(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let texts: Vec<String> = KEY.iter().map(|path| format!("wc -l < '{path}'")).collect();
    does_more(&texts.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn a_file_in_the_root_may_be_read_in_each_form() {
    reads(&[
        "cat src/a.rs",
        r"cat 'src\a.rs'",
        r"cat 'C:\Work\Project\src\a.rs'",
        "cat C:/work/project/src/a.rs",
        "cat /c/Work/PROJECT/src/a.rs",
        "cat /cygdrive/c/Work/Project/a",
        r"cat '\\?\C:\Work\Project\a'",
        r"cat '\Work\Project\a'",
        r"cat '\\localhost\c$\work\project\a'",
        r"cat '..\project\a'",
        "cat src/*.rs",
        r"ls 'src\sub'",
        "cd 'C:\\Work\\Project\\src' && cat a",
        "git -C 'C:\\work\\project\\src' status",
    ]);
}

#[test]
fn the_home_is_not_removed_in_any_form() {
    let texts: Vec<String> = HOME.iter().map(|path| format!("rm -rf '{path}'")).collect();
    dangerous(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let texts: Vec<String> = HOME.iter().map(|path| format!("cmd /c 'rd /s /q \"{path}\"'")).collect();
    dangerous(&texts.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn variables_have_the_home_and_its_directories() {
    dangerous(&[
        "rm -rf ~",
        "rm -rf ~/",
        "rm -rf $HOME",
        "rm -rf \"$USERPROFILE\"",
        "rm -rf $USERPROFILE/*",
        "rm -rf \"$APPDATA/../..\"",
        "rm -rf \"$SYSTEMROOT\"",
        "rm -rf ~bob",
        "cd ~ && rm -rf *",
        "cd \"$USERPROFILE\\..\" && rm -rf Ann",
    ]);
}

#[test]
fn an_unquoted_backslash_is_read_in_both_ways() {
    dangerous(&[
        r"rm -rf C:\Users\Ann",
        r"rm -rf C:\",
        r"rm -rf C:\\",
        r"rm -rf C:\*",
        r"rm -rf \Windows",
        r"rm -rf ..\..",
        r"rm -rf ~\.",
        r"cd C:\ && rm -rf Users\Ann",
        r"\rm -rf C:\Windows",
        r"bash -c 'rm -rf C:\Users\Ann'",
        r"eval 'rm -rf \\localhost\c$\Windows'",
        r"r\m -rf C:/Windows",
    ]);
    does_more(&[r"cat ..\..\x", r"cat C:\Users\Ann\.ssh\id_rsa", r"cat \\server\share\x"]);
    reads(&[r"grep a\.b src/a.rs", r"find . -name \*.rs", r"cat src\a.rs"]);
}

#[test]
fn a_path_that_only_looks_like_a_protected_one_is_not() {
    harmless(&[
        r"rm -rf 'C:\Users\Ann\project\x'",
        "rm -rf /c/Users/Ann/tmp",
        r"rm -rf 'C:\WindowsApps'",
        "rm -rf C:/Work/Project/build",
        r"rm -rf 'C:\Work\Other'",
        "rm -rf node_modules build",
        r"rm -rf 'build\out'",
        r"rm -rf '\\server\share\build'",
        "rm -rf /tmp/x",
        r"rm -rf 'D:\build'",
    ]);
}

#[test]
fn files_with_commands_are_not_written_by_a_rule_in_any_form() {
    let policy = policy(Mode::Strict, &[], &[], &["Bash(echo:*)"]);
    for path in [
        ".git/config",
        r".git\config",
        ".GIT/hooks/pre-commit",
        "GIT~1/config",
        r"C:\Work\Project\.git.\config",
        ".git::$INDEX_ALLOCATION/config",
        "_netrc",
        ".npmrc",
        ".ssh/config",
        "Documents/WindowsPowerShell/profile.ps1",
        r"..\..\Users\Ann\x",
        r"\\.\PhysicalDrive0",
    ] {
        assert_ne!(decide(&format!("echo x > '{path}'"), &policy).verdict, Verdict::Allow, "{path}");
    }
    for path in ["src/a", r"src\a", r"C:\work\project\a", "/c/Work/Project/a", "gitx/a", "/dev/null"] {
        assert_eq!(decide(&format!("echo x > '{path}'"), &policy).verdict, Verdict::Allow, "{path}");
    }
}

#[test]
fn a_request_is_of_windows_by_its_directory_its_root_or_its_home() {
    let policy = policy(Mode::BypassPermissions, &[], &[], &["Bash"]);
    let verdict = |directory, root, environment| {
        let request = PolicyRequest {
            policy: &policy,
            syntax: Some(Syntax::Bash),
            directory,
            root,
            environment,
            paths: &NoLinks,
        };
        check(r"rm -rf 'C:\Windows'", &request).verdict
    };
    assert_eq!(verdict(Some(ROOT), None, None), Verdict::Deny);
    assert_eq!(verdict(Some("D:/x"), None, None), Verdict::Deny);
    assert_eq!(verdict(Some(r"\\server\share"), None, None), Verdict::Deny);
    assert_eq!(verdict(None, Some(ROOT), None), Verdict::Deny);
    assert_eq!(verdict(None, None, Some(ENVIRONMENT)), Verdict::Deny);
    assert_eq!(verdict(Some("/work"), Some("/work"), Some(ENVIRONMENT)), Verdict::Allow);
}
