//! A comparison of the policy with bash, by random command lines.
//!
//! Bash runs each line with programs that only record their names. A policy that denies one of the recorded
//! names must never decide "allow", nor must one that allows only the other names.
//!
//! All programs in PATH are stand-ins, or run other programs (`env`, `xargs`, …), and no generated text has a
//! path, so a line can only change the empty directory of the test. `POLICY_SEED` repeats a run,
//! `POLICY_CASES` sets the number of cases.

#![allow(clippy::disallowed_methods, reason = "nobody changes the environment of a test")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "the number of misses is what the test is for")]

mod values;

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use agent_bash::policy::{Mode, NoLinks, OnDanger, Policy, Request, Syntax, Verdict, check};

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

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % limit
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    fn name(&mut self) -> String {
        let plain = if self.below(4) == 0 { self.pick(&PROGRAMS) } else { self.pick(&NAMES) };
        let (first, last) = plain.split_at(1);
        match self.below(12) {
            0 => format!("'{plain}'"),
            1 => format!("\"{plain}\""),
            2 => format!("\\{plain}"),
            3 => format!("{first}''{last}"),
            4 => {
                let escape = self.pick(&["\\x", "\\x{", "\\u", "\\u00"]);
                format!("$'{first}{escape}{:x}'", last.as_bytes()[0])
            }
            5 => format!("{first}\\\n{last}"),
            6 => format!("{{{plain},x}}"),
            7 => format!("{first}\"{last}\""),
            _ => plain.to_owned(),
        }
    }

    fn word(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self
                .pick(&[
                    "a", "b", "1", "''", "-n", "$u", "\"$u\"", "*", "~", "x=1", "#", "a#b", "!", "{}", "\\;",
                    "-",
                ])
                .to_owned();
        }
        let depth = depth - 1;
        match self.below(30) {
            0 => format!("$({})", self.list(depth)),
            1 => format!("\"$({})\"", self.list(depth)),
            2 => format!("`{}`", self.flat(depth)),
            3 => format!("\"a `{}` b\"", self.flat(depth)),
            4 => format!("<({})", self.list(depth)),
            5 => format!(">({})", self.list(depth)),
            6 => format!("${{u:-{}}}", self.word(depth)),
            7 => format!("\"${{u:-{}}}\"", self.word(depth)),
            8 => format!("${{u:={}}}", self.word(depth)),
            9 => format!("${{h:+{}}}", self.word(depth)),
            10 => format!("${{h/{}/x}}", self.word(depth)),
            11 => format!("${{h#{}}}", self.word(depth)),
            12 => format!("$((1 + $({})))", self.list(depth)),
            13 => format!("$(({}))", self.pick(&["1+2", "(1)*2", "q0 q1", "1 )", "x[$(q1)]", "`q2`"])),
            14 => format!("${{a[$({})]}}", self.list(depth)),
            15 => format!("'{}'", self.list(0).replace('\'', "")),
            16 => format!("\"{}\"", self.word(0).replace('"', "")),
            17 => format!("$( ({}) )", self.list(depth)),
            18 => format!("$((q{}) | cat)", self.below(6)),
            19 => format!("$\\\n({})", self.list(depth)),
            20 => format!("\"x$\\\n({})\"", self.list(depth)),
            21 => format!("{}{}", self.word(depth), self.word(depth)),
            22 => format!("${{u:-'{}'}}", self.pick(&["}", "$(q1)", "a"])),
            23 => format!("\"${{u:-\"{}\"}}\"", self.word(0).replace('"', "")),
            24 => format!("$'{}'", self.pick(&["a\\'b", "\\n", "$(q0)", "\\\\"])),
            25 => format!("${{u-$({})}}", self.list(depth)),
            26 => format!("$(case {} in a) {};; esac)", self.word(0), self.simple(depth)),
            27 => format!("$(cat <<E\n$({})\nE\n)", self.list(depth)),
            28 => format!("$(cat <<'E'\n$({}) ' ) `\nE\n)", self.list(0)),
            _ => self.word(0),
        }
    }

    /// Returns text for backticks, which has no backticks itself.
    fn flat(&mut self, depth: usize) -> String {
        let list = self.list(depth.min(1));
        if list.contains(['`', '\\']) { self.name() } else { list }
    }

    fn simple(&mut self, depth: usize) -> String {
        let mut text = String::new();
        if self.below(5) == 0 {
            let name = self.pick(&["A", "B", "u", "h", "a[0]", "A+", "IFS"]);
            let _ = write!(text, "{name}={} ", self.word(depth));
        }
        if self.below(10) == 0 {
            text.push_str(self.pick(&["<in ", ">out ", "2>&1 ", "&>out ", ">|out ", "{fd}>out ", "3<&0 "]));
        }
        match self.below(26) {
            0 => text = format!("v={}; $v", self.name()),
            13 => return self.values(),
            1 => text.push_str(self.pick(&[
                "eval ", "command ", "builtin command ", "exec ", "env ", "env A=1 ", "env -u A ", "nice ",
                "nohup ", "timeout 5 ", "setsid -w ", "stdbuf -oL ", "time ", "! ", "command -p ",
            ])),
            2 => {
                let code = self.list(depth.min(1)).replace('\'', "");
                let shell = self.pick(&[
                    "bash -c", "sh -c", "eval", "bash -ec", "timeout 5 bash -c", "env -S",
                    "bash -o pipefail -c", "trap",
                ]);
                let tail = if shell == "trap" { " EXIT" } else { "" };
                return format!("{text}{shell} '{code}'{tail}");
            }
            3 => return format!("{text}echo {} | xargs -n1 {}", self.word(0), self.pick(&PROGRAMS)),
            4 => return format!("{text}find . -maxdepth 0 -exec {} {{}} \\;", self.pick(&PROGRAMS)),
            5 => return format!("{text}set -- {} {}; \"$@\"", self.name(), self.word(0)),
            6 => return format!("{text}echo '{}' | bash", self.pick(&NAMES)),
            7 => return format!("{text}bash <<< '{}'", self.pick(&NAMES)),
            8 => return format!("{text}cat <<{}\n$({})\n{}", "E", self.list(depth.saturating_sub(1)), "E"),
            9 => return format!("{text}bash <<E\n{}\nE", self.pick(&NAMES)),
            10 => return format!("{text}$(echo {}) {}", self.name(), self.word(0)),
            11 => {
                return format!(
                    "{text}cat <<'E' <<F\n$({})\nE\n$({})\nF",
                    self.pick(&NAMES),
                    self.pick(&NAMES)
                );
            }
            12 => return format!("{text}cat <<-E\n\t`{}`\n\tE", self.pick(&NAMES)),
            _ => {}
        }
        text.push_str(&self.name());
        for _ in 0..self.below(3) {
            text.push(' ');
            text.push_str(&self.word(depth));
        }
        if self.below(8) == 0 {
            text.push_str(self.pick(&[" >out", " 2>nul", " <in", " >&2", " # q5", " <<<x", " &>>out"]));
        }
        text
    }

    fn compound(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.simple(0);
        }
        let depth = depth - 1;
        let separator = self.pick(&["; ", "\n", " \\\n; "]).to_owned();
        match self.below(26) {
            0 => format!("({})", self.list(depth)),
            1 => format!("( ({}) )", self.list(depth)),
            2 => format!("{{ {}{separator}}}", self.list(depth)),
            3 => format!(
                "if {}{separator}then {}{separator}else {}{separator}fi",
                self.list(depth),
                self.list(depth),
                self.list(depth)
            ),
            4 => format!(
                "for i in {} {}{separator}do {}{separator}done",
                self.word(depth),
                self.word(depth),
                self.list(depth)
            ),
            5 => format!(
                "while {}{separator}do {}{separator}break{separator}done",
                self.list(depth),
                self.list(depth)
            ),
            6 => format!(
                "case {} in a|b) {};; ({}) {};; *) {};; esac",
                self.word(depth),
                self.list(depth),
                self.word(0),
                self.list(depth),
                self.list(depth)
            ),
            7 => format!("f() {{ {}{separator}}}; f {}", self.list(depth), self.word(depth)),
            8 => format!("function g {{ {}{separator}}}; g", self.list(depth)),
            9 => format!("h() ( {} ); h", self.list(depth)),
            10 => format!("[[ {} == {} ]]", self.word(depth), self.word(depth)),
            11 => format!("[[ -n {} && {} =~ ^(a|b) ]]", self.word(depth), self.word(0)),
            12 => format!("(( $({}) + 1 ))", self.list(depth)),
            13 => format!("(({}))", self.pick(&["q0", "1+1", "q1 x", "a[$(q2)]=1"])),
            14 => format!("for ((i=$({});i<1;i++)); do {}; done", self.list(depth), self.list(depth)),
            15 => format!("a=({} {})", self.word(depth), self.word(depth)),
            16 => format!("a[$({})]={}", self.list(depth), self.word(depth)),
            17 => format!("until {}; do {}; break; done", self.list(depth), self.list(depth)),
            18 => format!("coproc {}", self.simple(depth)),
            19 => format!("f() {{ \"$@\"; }}; f {} {}", self.name(), self.word(0)),
            20 => format!("x={}", self.word(depth)),
            21 => format!("declare x={}", self.word(depth)),
            22 => format!("for c in {} {}; do $c; done", self.name(), self.name()),
            _ => self.simple(depth),
        }
    }

    fn list(&mut self, depth: usize) -> String {
        let mut text = self.compound(depth);
        for _ in 0..self.below(3) {
            text.push_str(
                self.pick(&["; ", " && ", " || ", " | ", "\n", " |& ", " & ", ";", "&&", " |\n", " &\\\n& "]),
            );
            text.push_str(&self.compound(depth));
        }
        text
    }

    /// Returns a command line, sometimes with a character inserted or removed.
    fn case(&mut self) -> String {
        let depth = 1 + self.below(3);
        let mut text = if self.below(5) == 0 { self.values() } else { self.list(depth) };
        if self.below(4) == 0 {
            let mut places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
            places.push(text.len());
            let place = places[self.below(places.len())];
            if self.below(3) == 0 && place < text.len() {
                text.remove(place);
            } else {
                text.insert_str(
                    place,
                    self.pick(&[
                        "'", "\"", "`", "$", "(", ")", "{", "}", "\\", "\n", ";", "&", "|", "<", ">", "#",
                        " ", "[", "]", "!", "=", "*", "\\\n", "$(", "${", "((", "))", "<<", "\t",
                    ]),
                );
            }
        }
        text
    }
}

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
    let request = Request {
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

fn compare(seed: u64, count: usize) {
    let directory = tempfile::tempdir().expect("a directory");
    let directory = directory.path();
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
    let policies: Vec<(&str, Policy)> = NAMES
        .into_iter()
        .chain(PROGRAMS)
        .flat_map(|name| [(name, without(name)), (name, with_all_but(name))])
        .collect();
    let place = directory.join("work").to_string_lossy().into_owned();
    let mut random = Random(seed | 1);
    let (mut ran, mut misses, mut unread) = (0, Vec::new(), 0);
    let everything =
        Policy { mode: Mode::BypassPermissions, dangerous: OnDanger::Ignore, ..Policy::default() };
    for _ in 0..count.div_ceil(BATCH) {
        let cases: Vec<String> = (0..BATCH).map(|_| random.case()).collect();
        for (case, names) in cases.iter().zip(run(directory, &cases)) {
            if names.is_empty() {
                continue;
            }
            ran += 1;
            unread += usize::from(verdict(case, &everything, &place) != Verdict::Allow);
            for (name, policy) in &policies {
                if names.iter().any(|ran| ran == name) && verdict(case, policy, &place) == Verdict::Allow {
                    misses.push(format!("{name}: {case:?}"));
                }
            }
        }
    }
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

/// Returns the number of cases: `POLICY_CASES`, or `usual` without it.
fn count(usual: usize) -> usize {
    number("POLICY_CASES").and_then(|count| usize::try_from(count).ok()).unwrap_or(usual)
}

#[test]
fn what_runs_is_among_the_commands_that_were_found() {
    compare(0x5eed, count(19_000));
}

#[test]
fn what_runs_is_among_the_commands_of_other_cases_each_time() {
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(1, |time| time.as_secs());
    compare(number("POLICY_SEED").unwrap_or(now), count(1_000));
}
