//! Everyday commands of agents, under rules that a person would write: a needless question is a defect too.

use super::usual_commands::{BUILDS, GIT, LOOKS, WITHOUT_RULES};
use super::{Mode, Verdict, all, allowed, asked, policy};

const RULES: &[&str] = &[
    "Bash(git status:*)",
    "Bash(git diff:*)",
    "Bash(git log:*)",
    "Bash(git show:*)",
    "Bash(git add:*)",
    "Bash(git commit:*)",
    "Bash(git branch:*)",
    "Bash(git checkout:*)",
    "Bash(git stash:*)",
    "Bash(git rev-parse:*)",
    "Bash(npm test:*)",
    "Bash(npm run:*)",
    "Bash(npm ci)",
    "Bash(npm install:*)",
    "Bash(npx tsc:*)",
    "Bash(npx vitest:*)",
    "Bash(npx eslint:*)",
    "Bash(cargo:*)",
    "Bash(pytest:*)",
    "Bash(python -m pytest:*)",
    "Bash(python3 -m pytest:*)",
    "Bash(go test:*)",
    "Bash(go build:*)",
    "Bash(make test:*)",
    "Bash(make build)",
    "Bash(ls:*)",
    "Bash(cat:*)",
    "Bash(grep:*)",
    "Bash(rg:*)",
    "Bash(find:*)",
    "Bash(sed:*)",
    "Bash(head:*)",
    "Bash(tail:*)",
    "Bash(wc:*)",
    "Bash(sort:*)",
    "Bash(uniq:*)",
    "Bash(cut:*)",
    "Bash(awk:*)",
    "Bash(tr:*)",
    "Bash(jq:*)",
    "Bash(echo:*)",
    "Bash(printf:*)",
    "Bash(pwd)",
    "Bash(cd:*)",
    "Bash(mkdir:*)",
    "Bash(cp:*)",
    "Bash(mv:*)",
    "Bash(touch:*)",
    "Bash(test:*)",
    "Bash([:*)",
    "Bash(true)",
    "Bash(xargs:*)",
    "Bash(tee:*)",
    "Bash(diff:*)",
    "Bash(which:*)",
    "Bash(date:*)",
    "Bash(sleep:*)",
    "Bash(tar:*)",
    "Bash(docker ps:*)",
    "Bash(docker logs:*)",
    "Bash(gh pr view:*)",
    "Bash(gh pr list:*)",
    "Bash(node --version)",
    "Bash(export:*)",
    "Bash(exit:*)",
    "Bash(wait)",
    "Bash(du:*)",
    "Bash(file:*)",
    "Bash(stat:*)",
    "Bash(basename:*)",
    "Bash(dirname:*)",
    "Bash(read:*)",
    "Bash(set:*)",
    "Bash(ruff:*)",
    "Bash(mypy:*)",
    "Bash(uv run pytest:*)",
    "Bash(pnpm test:*)",
    "Bash(yarn test:*)",
    "Bash(curl:*)",
];

#[test]
fn git_is_not_asked_about() {
    allowed(RULES, GIT);
}

#[test]
fn builds_and_tests_are_not_asked_about() {
    allowed(RULES, BUILDS);
}

#[test]
fn looking_around_is_not_asked_about() {
    allowed(RULES, LOOKS);
}

#[test]
fn other_commands_beside_allowed_ones_are_asked_about() {
    asked(
        RULES,
        &[
            "git push",
            "git -C /other status && git push",
            "npm publish",
            "npx prettier --write .",
            "python -c 'print(1)'",
            "pytest; ./deploy.sh",
            "ls && kubectl get pods",
            "cat a | bash",
            "find . -name a -exec sh {} \\;",
            "find . -name a -delete",
            "xargs rm < list",
            "echo x > /etc/motd",
            "echo x > ~/.bashrc",
            "echo x > ../y",
            "cat x >> .git/hooks/pre-commit",
            "export PATH=/tmp/x:$PATH",
            "PAGER=x git log",
            "GIT_DIR=/x git status",
            "make deploy",
            "make",
            "docker rm web",
            "gh pr merge 12",
            "node server.js",
            "node --version x",
            "npm ci --ignore-scripts",
            "cargo-evil test",
            "tar --to-command=x -xf a.tar",
            "sort -o x y --compress-program=z",
            "rg --pre=x y",
            "awk 'BEGIN{system(\"id\")}'",
            "sed -n '1e id' f",
            "awk '{print | \"sh\"}' f",
            "$(cat cmd)",
            "a=ls; ${a}x",
            "source env.sh",
            ". ./env.sh && npm test",
        ],
    );
}

#[test]
fn what_a_mode_allows_needs_no_rule() {
    let bypass = policy(Mode::BypassPermissions, &[], &[], &[]);
    all(WITHOUT_RULES, &bypass, "allowed", |decision| decision.verdict == Verdict::Allow);
    for mode in [Mode::Default, Mode::AcceptEdits] {
        all(WITHOUT_RULES, &policy(mode, &[], &[], &[]), "asked about", |decision| {
            decision.verdict == Verdict::Ask
        });
    }
    for mode in [Mode::DontAsk, Mode::Strict] {
        all(WITHOUT_RULES, &policy(mode, &[], &[], &[]), "denied", |decision| {
            decision.verdict == Verdict::Deny
        });
    }
}

#[test]
fn a_file_named_by_a_constant_is_as_good_as_a_literal_one() {
    allowed(
        &["Bash(echo:*)", "Bash(cat:*)"],
        &[
            "name=a; echo x > \"logs/$name.log\"",
            "for name in a b; do echo x > \"logs/$name.log\"; done",
            "for i in 1 2 3 4 5 6; do echo x >> logs/$i.log; done",
            "for i in 1 2; do for j in x y; do echo x > out/$i/$j; done; done",
            "out=build/x.txt; echo x > $out; echo y >> $out; cat $out",
        ],
    );
}

#[test]
fn a_prompt_without_an_expansion_is_text() {
    allowed(
        &["Bash(echo:*)", "Bash(set -x)", "Bash(bash x.sh)", "Bash(export:*)"],
        &[
            "PS3='Pick one: '; echo x",
            "PS1='> ' echo x",
            "PS4='+ '; set -x; echo x",
            "PS4=; echo x",
            "export PS4='+ '; set -x; echo x",
            "PS4='+ ' bash x.sh",
            "env PS0='- ' bash x.sh",
        ],
    );
    asked(
        &["Bash(echo:*)"],
        &[
            "PS3=\"$x\"; echo x",
            "PS3='$(id)'; echo x",
            "PS1='`id`' echo x",
            "PS4='$(id)'; echo x",
            "PS4='\\044(id)'; echo x",
            "PS4=\"+ $(id)\"; echo x",
            "PS4+='`id`'; echo x",
            "PS4='$x'; echo x",
        ],
    );
}

#[test]
fn a_quoted_value_behind_a_test_or_a_command_of_find_is_data() {
    allowed(
        &["Bash(find:*)", "Bash(cat:*)", "Bash(ls:*)"],
        &[
            "find . -name \"$x\" -exec cat \"$x\" \\;",
            "find . -exec cat {} \"$1\" +",
            "find . -newer \"$(cat f)\" -exec ls {} \\;",
        ],
    );
}

#[test]
fn a_script_of_ten_functions_and_loops_is_judged() {
    let rules = [
        "Bash([:*)",
        "Bash(cat:*)",
        "Bash(cd:*)",
        "Bash(command:*)",
        "Bash(continue)",
        "Bash(date:*)",
        "Bash(dirname:*)",
        "Bash(echo:*)",
        "Bash(exit:*)",
        "Bash(find:*)",
        "Bash(grep:*)",
        "Bash(local:*)",
        "Bash(ls:*)",
        "Bash(mkdir:*)",
        "Bash(npm:*)",
        "Bash(npx eslint:*)",
        "Bash(pwd)",
        "Bash(read:*)",
        "Bash(return:*)",
        "Bash(set -euo pipefail)",
        "Bash(sleep:*)",
        "Bash(stat:*)",
        "Bash(true)",
        "Bash(wc:*)",
    ];
    allowed(&rules, &[include_str!("release.sh")]);
}

#[test]
fn words_of_loops_need_no_rule() {
    allowed(
        &["Bash(curl:*)", "Bash(sleep:*)"],
        &["for i in 1 2 3; do curl -s localhost:3000 > /dev/null && break; sleep 1; continue; done"],
    );
    asked(&["Bash(curl:*)"], &["break > /etc/x", "breaks"]);
}
