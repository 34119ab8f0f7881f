//! The permission check: what stands between a command and its start.

use std::hint::black_box;

use agent_bash::policy::{Mode, NoLinks, OnDanger, Policy, PolicyRequest, Syntax, Verdict, check};
use criterion::{Criterion, Throughput};

use crate::usual_commands::{BUILDS, GIT, LOOKS, WITHOUT_RULES};

/// A policy like those of people: some twenty rules.
fn policy(mode: Mode) -> Policy {
    let rules = |rules: &[&str]| rules.iter().map(|rule| (*rule).to_owned()).collect::<Vec<_>>();
    let allow = [
        "Bash(git status:*)", "Bash(git diff:*)", "Bash(git log:*)", "Bash(git commit:*)",
        "Bash(npm test:*)", "Bash(npm run *)", "Bash(cargo:*)", "Bash(pytest:*)", "Bash(ls:*)",
        "Bash(cat:*)", "Bash(grep:*)", "Bash(rg:*)", "Bash(find:*)", "Bash(sed:*)", "Bash(head:*)",
        "Bash(echo:*)",
    ];
    let deny = ["Bash(git push --force:*)", "Bash(sudo:*)"];
    Policy::new(mode, OnDanger::Deny, &rules(&deny), &rules(&["Bash(git push:*)"]), &rules(&allow))
        .unwrap_or_default()
}

pub(crate) fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("policy");
    let environment =
        format!("HOME=/home/ann\0PATH=/usr/bin:/bin\0{}", "SOME_VARIABLE=value of it\0".repeat(60));
    let usual = [GIT, BUILDS, LOOKS, WITHOUT_RULES].concat();
    let policy_of = [("rules", policy(Mode::Default)), ("read-only", policy(Mode::ReadOnly))];
    for (name, policy) in &policy_of {
        let request = PolicyRequest {
            policy,
            syntax: Some(Syntax::Bash),
            directory: Some("/work/project"),
            root: Some("/work/project"),
            environment: Some(&environment),
            paths: &NoLinks,
        };
        // The time of all of them: divide by their number.
        group.throughput(Throughput::Elements(usual.len() as u64));
        group.bench_function(format!("usual-{name}"), |bencher| {
            bencher.iter(|| usual.iter().filter(|text| decides(text, &request)).count());
        });
        for (kind, text) in long() {
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_function(format!("{kind}-{name}"), |bencher| {
                bencher.iter(|| decides(&text, &request));
            });
        }
    }
    group.finish();
}

fn decides(text: &str, request: &PolicyRequest) -> bool {
    check(black_box(text), request).verdict == Verdict::Allow
}

/// Texts of about 10,000 bytes: a script as people write it, and those that are made to be slow.
fn long() -> [(&'static str, String); 6] {
    let fill = |unit: &str| unit.repeat(9_900 / unit.len());
    [
        (
            "10k-script",
            fill("for f in src/*.ts; do grep -n 'x y' \"$f\" | head -5 || echo \"no $f\"; done\n"),
        ),
        ("10k-words", format!("echo {}", fill("word "))),
        ("10k-variables", fill("a=$b$c; b=$a; echo $(x $a)\n")),
        ("10k-braces", format!("echo {}", fill("{a,b}{c,d}{e,f}{g,h} "))),
        ("10k-functions", fill("f() { f; g; }; g() { f; }; f\n")),
        ("10k-wrappers", format!("{}ls", fill("timeout -k 5 6 "))),
    ]
}
