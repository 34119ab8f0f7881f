//! Which words a rule matches.

use crate::{Code, Mode, Verdict, allowed, asked, decide, denied, never_allowed, policy};

#[test]
fn an_exact_rule_allows_exactly_its_words() {
    allowed(
        &["Bash(npm test)"],
        &[
            "npm test", "  npm   test ", "npm 'test'", "n\\pm test", "npm test 2>&1", "npm test > /dev/null",
            "CI=1 npm test", "npm test >out.txt", "npm\\\n test", "npm test # comment",
        ],
    );
    asked(
        &["Bash(npm test)"],
        &[
            "npm",
            "npm test x",
            "npm tests",
            "./npm test",
            "/usr/bin/npm test",
            "npm test > /etc/x",
            "npm test; ls",
            "npm test && ls",
            "npm test | ls",
            "npm test\nls",
            "npm test &ls",
            "PATH=/x npm test",
            "NODE_OPTIONS=--require=x npm test",
            "npm $x",
            "npm test > $x",
            "npm $(echo test)",
        ],
    );
}

#[test]
fn a_rule_of_a_name_matches_words_and_never_their_begin() {
    allowed(&["Bash(ls:*)"], &["ls", "ls -la", "ls $x", "ls *.c", "ls ~"]);
    asked(
        &["Bash(ls:*)"],
        &[
            "lsof", "lsblk", "ls; rm x", "ls $(rm x)", "ls `rm x`", "ls <(rm x)", "./ls", "/tmp/ls",
            "ls > ../x", "ls > /tmp/x", "$ls", "l?",
        ],
    );
}

#[test]
fn subcommands_are_spelled_in_two_ways() {
    for rule in ["Bash(git push:*)", "Bash(git:push*)", "Bash(git push *)"] {
        allowed(&[rule], &["git push", "git push origin main"]);
        asked(&[rule], &["git pushx", "git pull", "git -C /x push", "git -c a.b=c push", "git"]);
        denied(
            &[rule],
            &[
                "git push",
                "git -C /x push",
                "git --no-pager push origin",
                "/usr/bin/git push",
                "git -c a=b push",
                "true && git push",
                "git-push",
                "sudo git push",
                "env A=1 git push",
                "git p\"us\"h",
            ],
        );
        never_allowed(&[rule], &["git $x", "git $x origin", "git pus?", "g=push; git $g"]);
    }
    allowed(&["Bash(npm run *)"], &["npm run build", "npm run build -- --watch", "npm run"]);
    asked(&["Bash(npm run *)"], &["npm runx", "npm install"]);
}

#[test]
fn the_order_is_deny_ask_allow_mode() {
    let all = policy(
        Mode::BypassPermissions,
        &["Bash(rm:*)"],
        &["Bash(git push:*)"],
        &["Bash(rm x)", "Bash(git push)"],
    );
    assert_eq!(decide("rm x", &all).verdict, Verdict::Deny);
    assert_eq!(decide("git push", &all).verdict, Verdict::Ask);
    assert_eq!(decide("ls", &all).verdict, Verdict::Allow);
    assert_eq!(decide("ls; git push; rm x", &all).verdict, Verdict::Deny);
    for (mode, verdict) in [
        (Mode::Default, Verdict::Ask),
        (Mode::AcceptEdits, Verdict::Ask),
        (Mode::BypassPermissions, Verdict::Allow),
        (Mode::DontAsk, Verdict::Deny),
        (Mode::Strict, Verdict::Deny),
    ] {
        assert_eq!(decide("ls", &policy(mode, &[], &[], &[])).verdict, verdict, "{mode:?}");
        assert_eq!(decide("ls", &policy(mode, &[], &[], &["Bash(ls)"])).verdict, Verdict::Allow, "{mode:?}");
        let unreadable = decide("ls 'x", &policy(mode, &[], &[], &["Bash"]));
        assert_eq!(unreadable.code, Code::Unparseable, "{mode:?}");
        // What can't be read is never allowed.
        assert_eq!(unreadable.verdict, verdict.max(Verdict::Ask), "{mode:?}");
    }
    assert_eq!(
        decide("git push", &policy(Mode::DontAsk, &[], &["Bash(git push:*)"], &[])).verdict,
        Verdict::Deny
    );
    assert_eq!(
        decide("git push", &policy(Mode::Strict, &[], &["Bash(git push:*)"], &[])).verdict,
        Verdict::Ask
    );
}

#[test]
fn flags_of_deny_rules_have_no_order() {
    denied(
        &["Bash(rm -rf:*)"],
        &[
            "rm -rf x",
            "rm -fr x",
            "rm -r -f x",
            "rm -f -r x",
            "rm --recursive --force x",
            "rm x -rf",
            "rm -Rf x",
            "rm -rvf x",
        ],
    );
    denied(
        &["Bash(git push --force:*)"],
        &["git push --force", "git push origin main --force", "git push -f", "git -C x push origin --force"],
    );
    never_allowed(&["Bash(git push --force:*)"], &["git push --forc", "git push $x"]);
    let policy = policy(Mode::BypassPermissions, &["Bash(rm -rf:*)", "Bash(git push --force:*)"], &[], &[]);
    for text in ["rm x", "rm -f x", "git push", "git push origin", "git push --force-with-lease"] {
        assert_eq!(decide(text, &policy).verdict, Verdict::Allow, "{text}");
    }
}

#[test]
fn a_suggestion_is_the_narrowest_rule_and_safe_to_offer() {
    let nothing = policy(Mode::Default, &[], &[], &[]);
    for (text, rules) in [
        ("npm test", &["Bash(npm test:*)"][..]),
        ("npm run build -- --x", &["Bash(npm run build:*)"]),
        ("git commit -m 'a b'", &["Bash(git commit:*)"]),
        ("git push origin main", &["Bash(git push origin main)"]),
        ("timeout 5 npm test", &["Bash(npm test:*)"]),
        ("make test", &["Bash(make test:*)"]),
        ("rm -rf 'a b'", &["Bash(rm -rf 'a b')"]),
        ("ls -la; pwd", &["Bash(ls:*)", "Bash(pwd:*)"]),
        ("npm test | tail -5 && npm test", &["Bash(npm test:*)", "Bash(tail:*)"]),
        ("ls; sudo ls", &[]),
        ("bash x.sh", &[]),
        ("python3 x.py", &[]),
        ("sudo ls", &[]),
        ("env", &[]),
        ("find .", &[]),
        ("ls | xargs rm", &[]),
        ("npx x", &[]),
        ("ls > /etc/x", &[]),
    ] {
        assert_eq!(decide(text, &nothing).suggestions, rules, "{text}");
    }
}

#[test]
fn a_rule_with_a_star_in_a_word_is_not_exact() {
    let rules = ["Bash(sed s/* f)", "Bash(sed -n p f)"];
    asked(&rules, &["sed 's/a/id/e' f", "sed s/a/b/w../x f"]);
    allowed(&rules, &["sed s/a/b/ f", "sed -n p f"]);
}
