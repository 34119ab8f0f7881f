//! Checks `check` for any text: no panic, an answer within 50 ms, the same answer twice, and no "allow" for a
//! denied command after text that can't swallow it. The directory is one of Unix or of Windows.

#![no_main]

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use agent_bash::policy::{Mode, NoLinks, OnDanger, Policy, PolicyRequest, Syntax, Verdict, check};
use libfuzzer_sys::fuzz_target;

/// The longest time for an answer, for any input up to 1 MiB.
const BOUND: Duration = Duration::from_millis(50);

/// The number of measurements before an answer counts as late: on a busy machine, the thread may wait for a
/// CPU.
const ATTEMPTS: usize = 5;

fn policies() -> &'static [Policy] {
    static POLICIES: OnceLock<Vec<Policy>> = OnceLock::new();
    POLICIES.get_or_init(|| {
        let rules = |rules: &[&str]| rules.iter().map(|rule| (*rule).to_owned()).collect::<Vec<_>>();
        let (deny, ask) = (rules(&["Bash(rm:*)"]), rules(&["Bash(git push:*)"]));
        let allow = rules(&["Bash(git *)", "Bash(echo:*)", "Bash(npm run * --silent)"]);
        [Mode::Default, Mode::BypassPermissions, Mode::ReadOnly]
            .into_iter()
            .filter_map(|mode| Policy::new(mode, OnDanger::Deny, &deny, &ask, &allow).ok())
            .collect()
    })
}

fn verdict(text: &str, policy: &Policy, syntax: Syntax, directory: &str) -> Verdict {
    let request = PolicyRequest {
        policy,
        syntax: Some(syntax),
        directory: Some(directory),
        root: Some(directory),
        environment: Some("HOME=/home/ann\0USERPROFILE=C:\\Users\\ann\0"),
        paths: &NoLinks,
    };
    let mut time = Duration::MAX;
    for _ in 0..ATTEMPTS {
        let begin = Instant::now();
        let verdict = check(text, &request).verdict;
        time = time.min(begin.elapsed());
        if time < BOUND {
            return verdict;
        }
    }
    panic!("an answer took {time:?}");
}

fuzz_target!(|input: (u8, &str)| {
    let (choice, text) = input;
    let policies = policies();
    let policy = &policies[usize::from(choice) % policies.len()];
    let syntax = [Syntax::Bash, Syntax::Posix, Syntax::Zsh][usize::from(choice / 8) % 3];
    let directory = ["/work/project", r"C:\work\project"][usize::from(choice / 32) % 2];
    assert_eq!(verdict(text, policy, syntax, directory), verdict(text, policy, syntax, directory));
    let is_open = text.contains(['\\', '#', '\'']);
    if !is_open {
        assert_ne!(verdict(&format!("{text}\nrm x"), &policies[1], Syntax::Bash, directory), Verdict::Allow);
    }
    let is_quotable = !text.contains(['\'', '\0', '\r']) && text.len() < 9_000;
    if is_quotable {
        assert_eq!(verdict(&format!("echo '{text}'"), &policies[1], Syntax::Bash, directory), Verdict::Allow);
    }
});
