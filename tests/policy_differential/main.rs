//! A comparison of the policy with bash, by random command lines.
//!
//! Bash runs each line with programs that only record their names. A policy that denies one of the recorded
//! names must never decide "allow", nor must one that allows only the other names.
//!
//! All programs in PATH are stand-ins, or run other programs (`env`, `xargs`, …), and no generated text has a
//! path, so a line can only change the empty directory of the test. `POLICY_SEED` gives other lines,
//! `POLICY_CASES` sets their number.

#![allow(clippy::disallowed_methods, reason = "nobody changes the environment of a test")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "the number of misses is what the test is for")]

mod cases;
mod values;

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use cases::Random;

use agent_bash::policy::{Mode, NoLinks, OnDanger, Policy, PolicyRequest, Syntax, Verdict, check};

/// Names that no program has: bash calls a function for each of them, which records the name.
const NAMES: [&str; 6] = ["q0", "q1", "q2", "q3", "q4", "q5"];
/// Programs that record their names, for wrappers.
const PROGRAMS: [&str; 3] = ["p0", "p1", "p2"];
/// Programs that run others.
const WRAPPERS: [&str; 12] =
    ["env", "xargs", "timeout", "nice", "nohup", "bash", "sh", "find", "setsid", "stdbuf", "cat", "tee"];

const BUILTINS: [&str; 17] = [
    "echo", "printf", "read", "set", "shift", "eval", "command", "builtin", "exec", "trap", "declare",
    "readonly", "unset", "local", "mapfile", "export", "time",
];

/// The number of cases that one bash runs.
const BATCH: usize = 250;

/// The longest time for a case; most take 2 ms. A case that hangs is skipped, which costs only its own
/// coverage.
const CASE_TIMEOUT: Duration = Duration::from_millis(700);

/// The number of threads that run cases: half of the time is the waiting for cases that hang.
const WORKERS: usize = 4;

fn program(path: &Path, text: &str) {
    std::fs::write(path, text).expect("a program");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("its mode");
}

fn found(name: &str) -> String {
    for directory in ["/usr/bin", "/bin"] {
        let path = format!("{directory}/{name}");
        if Path::new(&path).exists() {
            return path;
        }
    }
    panic!("there is no {name}");
}

/// Returns the options with which `unshare` makes a pid namespace that ends with its bash.
///
/// A case may fork for ever, in a new session, where no signal to a group reaches it.
fn namespace() -> &'static [&'static str] {
    const OF_ROOT: &[&str] = &["--pid", "--kill-child", "--fork"];
    const OF_USER: &[&str] = &["--user", "--map-root-user", "--pid", "--kill-child", "--fork"];
    let works = |options: &[&str]| {
        let status = Command::new(found("unshare")).args(options).arg(found("true")).status();
        status.is_ok_and(|status| status.success())
    };
    if works(OF_ROOT) {
        return OF_ROOT;
    }
    assert!(works(OF_USER), "these tests need a pid namespace");
    OF_USER
}

/// Runs the cases in one bash after another, and returns the names that ran in each case.
///
/// A case that hangs ends its bash; the next bash continues after that case.
fn run(directory: &Path, cases: &[String]) -> Vec<Vec<String>> {
    // Each bash has its own log: processes left by other cases live for some moments longer, and their cases
    // have the same numbers.
    static BATCHES: AtomicUsize = AtomicUsize::new(0);

    for (number, case) in cases.iter().enumerate() {
        std::fs::write(directory.join(format!("case{number}")), case).expect("a case");
    }
    let log = directory.join(format!("log{}", BATCHES.fetch_add(1, Ordering::Relaxed)));
    std::fs::write(&log, "").expect("a log");
    let mut next = 0;
    while next < cases.len() {
        let begun = run_from(directory, &log, next, cases.len());
        next = begun.max(next) + 1;
    }
    names_by_case(&log, cases.len())
}

/// Runs the cases from `first` on until all have run or one hangs. Returns the number of the last case that
/// began.
fn run_from(directory: &Path, log: &Path, first: usize, end: usize) -> usize {
    // A separate process evaluates each case, so that its exit closes what a coprocess or a substitution
    // waits for.
    let name = log.file_name().unwrap_or_default().display();
    let script = format!(
        "exec 9>>../{name}; ulimit -t 2\n\
         command_not_found_handle() {{ echo \"$CASE ${{1@Q}}\" >&9; return 0; }}\n\
         export -f command_not_found_handle\n\
         for ((CASE = {first}; CASE < {end}; CASE++)); do export CASE; \
         echo \"begin $CASE\" >&9; echo $CASE >../running\n\
         (eval \"$(<../case$CASE)\"; exec </dev/null >/dev/null 2>&1; \
         [[ -z ${{COPROC[1]}} ]] || eval \"exec ${{COPROC[1]}}>&-\"; wait) <in >/dev/null 2>&1\n\
         done"
    );
    let mut child = Command::new(found("unshare"))
        .args(namespace())
        .args([&found("bash"), "-c", &script])
        .current_dir(directory.join("work"))
        .env_clear()
        .env("PATH", directory.join("bin"))
        .env("HOME", directory.join("work"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("bash");
    let (mut running, mut since) = (String::new(), Instant::now());
    loop {
        if child.try_wait().expect("its state").is_some() {
            break;
        }
        // The number of cases counts, not the length of the log: a case may start programs for ever.
        let case = std::fs::read_to_string(directory.join("running")).unwrap_or_default();
        if case != running {
            (running, since) = (case, Instant::now());
        }
        if since.elapsed() > CASE_TIMEOUT {
            let group = rustix::process::Pid::from_child(&child);
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            child.wait().expect("its end");
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let text = std::fs::read(log).expect("the log");
    let text = String::from_utf8_lossy(&text).into_owned();
    let begun = text.lines().filter_map(|line| line.strip_prefix("begin ")?.parse().ok());
    begun.max().unwrap_or(end)
}

fn names_by_case(log: &Path, count: usize) -> Vec<Vec<String>> {
    let text = std::fs::read(log).expect("the log");
    let text = String::from_utf8_lossy(&text).into_owned();
    let mut names = vec![Vec::new(); count];
    for line in text.lines() {
        // Processes of an earlier case may still be running, so each line names its case.
        let Some((number, name)) = line.split_once(' ') else { continue };
        // Bash quotes a name that it could not find, so that `q0` followed by a line break is another name.
        let name = name.strip_prefix('\'').and_then(|name| name.strip_suffix('\'')).unwrap_or(name);
        let is_ours = NAMES.contains(&name) || PROGRAMS.contains(&name);
        if let Some(names) = number.parse().ok().and_then(|number: usize| names.get_mut(number))
            && is_ours
            && !names.iter().any(|known| known == name)
        {
            names.push(name.to_owned());
        }
    }
    names
}

fn verdict(text: &str, policy: &Policy, directory: &str) -> Verdict {
    let request = PolicyRequest {
        policy,
        syntax: Some(Syntax::Bash),
        directory: Some(directory),
        root: None,
        environment: Some("HOME=/home/x\0"),
        paths: &NoLinks,
    };
    check(text, &request).verdict
}

/// Returns a policy that denies a name, and allows all others.
fn without(name: &str) -> Policy {
    let deny = [format!("Bash({name}:*)")];
    Policy::new(Mode::BypassPermissions, OnDanger::Ignore, &deny, &[], &[]).expect("a policy")
}

/// Returns a policy that allows all names but one, by a rule for each.
fn with_all_but(name: &str) -> Policy {
    let others =
        NAMES.into_iter().chain(PROGRAMS).chain(WRAPPERS).chain(BUILTINS).filter(|other| *other != name);
    let allow: Vec<String> = others.map(|other| format!("Bash({other}:*)")).collect();
    Policy::new(Mode::Default, OnDanger::Ignore, &[], &[], &allow).expect("a policy")
}

/// Makes a directory with the programs that cases may run, and the directory in which they run.
fn directory_of_cases() -> tempfile::TempDir {
    let temporary = tempfile::tempdir().expect("a directory");
    let directory = temporary.path();
    std::fs::create_dir(directory.join("bin")).expect("a directory");
    std::fs::create_dir(directory.join("work")).expect("a directory");
    // The names of the last two files are code, if a glob passes them to `eval`.
    for name in ["in", "q0", ";q1", "$(q2)"] {
        std::fs::write(directory.join("work").join(name), "").expect("a file");
    }
    for name in PROGRAMS {
        program(&directory.join("bin").join(name), &format!("#!/bin/sh\necho \"$CASE {name}\" >&9\n"));
    }
    for name in WRAPPERS {
        std::os::unix::fs::symlink(found(name), directory.join("bin").join(name)).expect("a link");
    }
    temporary
}

/// The findings about cases.
#[derive(Default)]
struct Findings {
    ran: usize,
    unread: usize,
    misses: Vec<String>,
}

/// Runs batches, one after another, in a directory of their own.
fn compare_batches<'a>(batches: impl Iterator<Item = &'a [String]>) -> Findings {
    let temporary = directory_of_cases();
    let directory = temporary.path();
    let policies: Vec<(&str, Policy)> = NAMES
        .into_iter()
        .chain(PROGRAMS)
        .flat_map(|name| [(name, without(name)), (name, with_all_but(name))])
        .collect();
    let place = directory.join("work").to_string_lossy().into_owned();
    let everything =
        Policy { mode: Mode::BypassPermissions, dangerous: OnDanger::Ignore, ..Policy::default() };
    let mut findings = Findings::default();
    for cases in batches {
        for (case, names) in cases.iter().zip(run(directory, cases)) {
            if names.is_empty() {
                continue;
            }
            findings.ran += 1;
            findings.unread += usize::from(verdict(case, &everything, &place) != Verdict::Allow);
            for (name, policy) in &policies {
                if names.iter().any(|ran| ran == name) && verdict(case, policy, &place) == Verdict::Allow {
                    findings.misses.push(format!("{name}: {case:?}"));
                }
            }
        }
    }
    findings
}

fn compare(seed: u64, count: usize) {
    let mut random = Random(seed | 1);
    let cases: Vec<String> = (0..count.next_multiple_of(BATCH)).map(|_| random.case()).collect();
    let batches: Vec<&[String]> = cases.chunks(BATCH).collect();
    let batches_of = |worker: usize| batches.iter().copied().skip(worker).step_by(WORKERS);
    let all: Vec<Findings> = std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..WORKERS).map(|worker| scope.spawn(move || compare_batches(batches_of(worker)))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker")).collect()
    });
    let ran: usize = all.iter().map(|findings| findings.ran).sum();
    let unread: usize = all.iter().map(|findings| findings.unread).sum();
    let misses: Vec<&str> = all.iter().flat_map(|findings| &findings.misses).map(String::as_str).collect();
    println!(
        "seed {seed}: {count} cases, {ran} of them ran something, {unread} were not read, {} silent misses",
        misses.len()
    );
    assert!(ran * 3 > count, "too few of the cases run anything: {ran} of {count}");
    assert!(misses.is_empty(), "seed {seed}: {} programs ran unseen:\n{}", misses.len(), misses.join("\n"));
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn what_runs_is_among_the_commands_that_were_found() {
    let count = number("POLICY_CASES").and_then(|count| usize::try_from(count).ok());
    compare(number("POLICY_SEED").unwrap_or(0x5eed), count.unwrap_or(20_000));
}
