//! Each spelling of a path has the same verdict.

use proptest::prelude::*;

use super::decide;
use crate::{Code, Mode, Verdict, policy};

/// Names of which paths are made, some of them protected in some places.
const NAMES: &[&str] = &[
    "Users", "Ann", "Windows", "System32", "Program Files", ".ssh", "Work", "Project", "src", "a.txt",
    "Müller",
];

/// Beginnings of an absolute path on the drive `C`.
const STARTS: &[&str] = &[
    r"C:\", "C:/", "c:/", "/c/", "/C/", "/cygdrive/c/", r"\\?\C:\", r"\\.\c:\", r"\\localhost\C$\",
    r"\\127.0.0.1\c$\", r"\",
];

fn spelled(names: &[&str], start: &str, choices: &[u8]) -> String {
    let mut path = start.to_owned();
    for (name, choice) in names.iter().zip(choices) {
        let name = match choice % 4 {
            0 => name.to_lowercase(),
            1 => name.to_uppercase(),
            _ => (*name).to_owned(),
        };
        path.push_str(&name);
        path.push_str(match choice / 4 % 6 {
            0 => ".",
            1 => " ",
            2 => r"\.",
            3 => r"\x\..",
            4 => "::$INDEX_ALLOCATION",
            _ => "",
        });
        path.push_str(if choice / 24 % 2 == 0 { "/" } else { r"\" });
    }
    path
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_spelling_of_a_path_has_the_same_verdicts(
        names in prop::collection::vec(prop::sample::select(NAMES), 1..5),
        start in prop::sample::select(STARTS),
        choices in prop::collection::vec(any::<u8>(), 5),
    ) {
        let bypass = policy(Mode::BypassPermissions, &[], &[], &["Bash"]);
        let read_only = policy(Mode::ReadOnly, &[], &[], &[]);
        let plain = format!(r"C:\{}", names.join(r"\"));
        let other = spelled(&names, start, &choices);
        for (command, policy) in [("rm -rf", &bypass), ("cat", &read_only), ("echo x >", &bypass)] {
            let verdict = |path: &str| {
                let decision = decide(&format!("{command} '{path}'"), policy);
                (decision.verdict, decision.code)
            };
            prop_assert_eq!(verdict(&plain), verdict(&other), "{} {} {}", command, plain, other);
        }
    }

    #[test]
    fn no_text_of_windows_makes_a_denied_command_allowed(text in "[A-Za-z:\\\\/%$~.\"'^ &|;(){}`*?-]{0,60}") {
        let policy = policy(Mode::BypassPermissions, &["Bash(rm:*)"], &[], &["Bash"]);
        let is_data = text.contains(['\\', '\'', '#']);
        let decision = decide(&format!("{text}\nRM.exe x"), &policy);
        prop_assert!(is_data || decision.verdict != Verdict::Allow, "{}", text);
        for line in [format!("cmd /c '{text}'"), format!("powershell -c '{text}'")] {
            prop_assert!(!decide(&line, &policy).reason.is_empty() || decision.code == Code::Allowed);
        }
    }
}
