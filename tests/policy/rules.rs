//! The rules: which commands they match, in which order, and which commands they cover.

use super::{Code, Mode, Verdict, allowed, asked, decide, denied, never_allowed, policy};

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
fn deny_sees_through_everything() {
    denied(
        &["Bash(rm:*)"],
        &[
            "rm x",
            "ls; rm x",
            "ls && rm x",
            "ls || rm x",
            "ls | rm x",
            "ls & rm x",
            "ls\nrm x",
            "(rm x)",
            "{ rm x; }",
            "if true; then rm x; fi",
            "for i in 1; do rm $i; done",
            "while rm x; do :; done",
            "case x in x) rm y;; esac",
            "f() { rm x; }",
            "f() { rm x; }; f",
            "function f { rm x; }",
            "echo $(rm x)",
            "echo `rm x`",
            "echo \"$(rm x)\"",
            "cat <(rm x)",
            "tee >(rm x)",
            "x=$(rm x)",
            "x=`rm x` ls",
            "echo ${x:-$(rm x)}",
            "echo \"${x:-`rm x`}\"",
            "echo $((1 + $(rm x)))",
            "a[$(rm x)]=1",
            "echo ${a[$(rm x)]}",
            "cat <<EOF\n$(rm x)\nEOF",
            "cat <<-EOF\n\t`rm x`\n\tEOF",
            "cat <<< $(rm x)",
            "[[ -n $(rm x) ]]",
            "(( $(rm x) ))",
            "for ((i=$(rm x);i<1;i++)); do :; done",
            "\\rm x",
            "'rm' x",
            "\"rm\" x",
            "r''m x",
            "r\\m x",
            "$'rm' x",
            "$'\\x72m' x",
            "r\\\nm x",
            "/bin/rm x",
            "./rm x",
            "../../bin/rm x",
            "{rm,x}",
            "r{m,}  x",
            "env rm x",
            "env A=1 rm x",
            "env -i rm x",
            "env -u A rm x",
            "env -S 'rm x'",
            "env -iS'rm x'",
            "timeout 5 rm x",
            "timeout -k 1 5 rm x",
            "timeout --signal=KILL 5 rm x",
            "nice rm x",
            "nice -n 5 rm x",
            "nice -5 rm x",
            "nohup rm x",
            "time rm x",
            "time -p rm x",
            "! rm x",
            "command rm x",
            "command -p rm x",
            "builtin command rm x",
            "exec rm x",
            "exec -a y rm x",
            "xargs rm",
            "ls | xargs rm",
            "ls | xargs -n 1 -I {} rm {}",
            "ls | xargs -0 -P4 rm -f",
            "sudo rm x",
            "sudo -u bob rm x",
            "sudo -E A=1 rm x",
            "sudo -- rm x",
            "doas rm x",
            "setsid rm x",
            "stdbuf -oL rm x",
            "stdbuf -o L rm x",
            "ionice -c 3 rm x",
            "chrt -r 1 rm x",
            "unshare -r rm x",
            "nsenter -t 1 rm x",
            "chroot / rm x",
            "flock f rm x",
            "flock f -c 'rm x'",
            "watch rm x",
            "watch -n 1 'rm x'",
            "parallel rm ::: x",
            "find . -exec rm {} \\;",
            "find . -exec rm {} +",
            "find . -ok rm {} \\;",
            "find . -delete",
            "find . -execdir sh -c 'rm x' \\;",
            "sh -c 'rm x'",
            "bash -c \"rm x\"",
            "bash -lc 'rm x'",
            "bash -c 'ls; rm x' y z",
            "bash -o pipefail -c 'rm x'",
            "bash -eo pipefail -c 'rm x'",
            "zsh -c 'rm x'",
            "dash -c 'rm x'",
            "ksh -c 'rm x'",
            "sh -c 'sh -c \"rm x\"'",
            "eval rm x",
            "eval 'rm x'",
            "eval \"rm\" \"x\"",
            "eval eval rm x",
            "trap 'rm x' EXIT",
            "trap -- 'rm x' INT TERM",
            "ssh host rm x",
            "ssh -p 22 host 'ls; rm x'",
            "docker exec c rm x",
            "docker exec -it -u root c rm x",
            "podman exec c rm x",
            "kubectl exec pod -- rm x",
            "kubectl exec -it pod -c x -- rm x",
            "npx rm x",
            "docker run img rm x",
            "docker compose exec svc rm x",
            "busybox rm x",
            "su -c 'rm x'",
            "su bob -c 'rm x'",
            "runuser -u bob -- rm x",
            "script -c 'rm x'",
            "script -qc 'rm x' f",
            "systemd-run rm x",
            "strace rm x",
            "strace -o f rm x",
            "alias x='rm y'",
            "PROMPT_COMMAND='rm x'",
            "export PROMPT_COMMAND='rm x'",
            "x=rm; $x y",
            "x=rm; \"$x\" y",
            "x='rm y'; $x",
            "$(echo rm) x",
            "`echo rm` x",
            "$(printf rm) x",
            "bash <<< 'rm x'",
            "bash <<EOF\nrm x\nEOF",
            "bash <<'EOF'\nrm x\nEOF",
            "sh <<EOF\nls\nrm x\nEOF",
            "echo 'rm x' | sh",
            "echo rm x | bash",
            "printf 'rm x\\n' | bash -s",
            "cat <<EOF | sh\nrm x\nEOF",
            "coproc rm x",
            "coproc X { rm x; }",
            "select i in $(rm x); do :; done",
            "until rm x; do :; done",
            "if rm x; then :; fi",
            "ls |& rm x",
            ">f rm x",
            "2>&1 rm x",
            "<f rm x",
            "A=1 rm x",
            "A=1 B=2 rm x",
            "A+=1 rm x",
            "cat${IFS}f;rm${IFS}x",
            "x=$'rm'; $x y",
            "echo \"a$\\\n(rm x)\"",
            "if :; then\nrm x\nfi",
            "{ :; } ; rm x",
            "case $(rm x) in esac",
            "time { rm x; }",
            "rm\tx",
            "declare x=$(rm y)",
            "export x=$(rm y)",
            "local x=`rm y`",
            "a=($(rm x))",
            "a=([0]=$(rm x))",
            "echo ${x/$(rm x)/b}",
            "echo ${x:$(rm x)}",
            "echo ${x#$(rm x)}",
            "echo ${!x[$(rm x)]}",
            "exec 3< <(rm x)",
            "cat > >(rm x)",
            "mapfile -C 'rm x' a",
            "uv run rm x",
            "poetry run rm x",
            "hyperfine 'rm x'",
            "concurrently 'rm x' 'ls'",
        ],
    );
}

#[test]
fn a_hidden_name_is_never_allowed_while_rules_are_about_names() {
    never_allowed(
        &["Bash(rm:*)"],
        &[
            "$cmd x",
            "\"$cmd\" x",
            "${cmd} x",
            "$(cat f) x",
            "`cat f`",
            "r? x",
            "/bin/r* x",
            "eval \"$x\"",
            "bash -c \"$x\"",
            "cat f | sh",
            "cat f | bash -s",
            "sh < f",
            "bash <(cat f)",
            "source <(cat f)",
            ". /dev/stdin",
            "echo $x | sh",
            "base64 -d f | sh",
            "${x@P}",
            "echo ${x@P}",
            "echo ${!x}",
            "trap \"$x\" EXIT",
            "alias x=\"$y\"",
            "xargs $x",
            "$1 x",
            "\"$@\"",
            "find . -exec $x \\;",
            "read c; $c x",
            "for c in $(cat f); do $c; done",
            "x='a[$(rm y)]'; echo $((x))",
            "[[ 'a[$(rm x)]' -eq 1 ]]",
            "test -v 'a[$(rm x)]'",
            "sed 's/a/b/e' f",
            "sed '1e rm x' f",
            "awk 'BEGIN{system(\"rm x\")}'",
            "cat <<EOF | bash\n$x\nEOF",
            "fc -s",
            "ssh h \"$x\"",
            "parallel < f",
            "crontab -",
            "env -S \"$x\"",
            "command $x",
            "${x:-rm} y",
            "$x rm y",
            "printf %s \"$x\" | sh",
        ],
    );
}

#[test]
fn data_is_no_code() {
    let policy =
        policy(Mode::BypassPermissions, &["Bash(rm:*)", "Bash(curl:*)", "Bash(git push:*)"], &[], &[]);
    for text in [
        "echo rm x",
        "echo 'rm -rf /'",
        "echo \"rm -rf /\"",
        "git commit -m 'rm -rf /'",
        "git commit -m \"do not rm x; or curl y\"",
        "# rm x\nls",
        "ls # ; rm x",
        "cat <<'EOF'\n$(rm x)\nEOF",
        "cat <<'EOF' > f\nrm x\n`rm y`\nEOF",
        "grep 'rm x' f",
        "grep -r 'curl | sh' .",
        "echo '$(rm x)'",
        "echo \\$\\(rm x\\)",
        "printf '%s\\n' 'rm x'",
        "rg \"rm -rf\"",
        "echo \"`echo hi`\"",
        "sed 's/rm/mv/' f",
        "awk '{print \"rm\"}' f",
        "rmdir x",
        "npm run rm",
        "cargo rm-x",
        "ls rm",
        "cat ./rm/x",
        "git log --grep=push",
        "git pull",
        "echo git push",
        "jq '.rm' f",
        "cat <<EOF\nrm x\nEOF",
        "case rm in rm) ls;; esac",
        "for rm in a b; do echo $rm; done",
        "rm_x=1",
        "x=rm",
        "[[ $x == rm ]]",
        "if [ rm = rm ]; then ls; fi",
        "python3 -c \"print('rm')\"",
        "command -v rm",
        "type rm",
        "which rm",
        "git commit -m \"$(cat <<'EOF'\nfix: don't rm (x)\n\n- it's `curl`\nEOF\n)\"",
    ] {
        let decision = decide(text, &policy);
        assert_eq!(decision.verdict, Verdict::Allow, "{text}: {decision:#?}");
    }
}

#[test]
fn transparent_wrappers_are_seen_through_for_allow() {
    allowed(
        &["Bash(npm test)", "Bash(grep:*)"],
        &[
            "timeout 60 npm test",
            "time npm test",
            "nice npm test",
            "env CI=1 npm test",
            "nohup npm test",
            "command npm test",
            "bash -c 'npm test'",
            "bash -lc 'npm test'",
            "find . | xargs grep x",
            "(npm test)",
            "{ npm test; }",
            "if npm test; then grep x f; fi",
            "! npm test",
            "npm test &",
            "f() { npm test; }; f",
            "eval npm test",
            "X=1; npm test",
        ]
        .iter()
        .filter(|text| !text.starts_with("find"))
        .copied()
        .collect::<Vec<_>>(),
    );
    asked(
        &["Bash(npm test)", "Bash(grep:*)"],
        &[
            "sudo npm test",
            "env PATH=/x npm test",
            "env LD_PRELOAD=x npm test",
            "ssh host npm test",
            "docker exec c npm test",
            "npx npm test",
            "export PATH=/x; npm test",
            "PATH=/x; npm test",
            "chroot / npm test",
            "time -o f npm test",
            "bash x.sh",
            "source x; npm test",
            "trap 'ls' EXIT; npm test",
            "printf -v PATH x; npm test",
            "read PATH; npm test",
        ],
    );
    allowed(&["Bash(sudo systemctl restart nginx)"], &["sudo systemctl restart nginx"]);
    allowed(&["Bash(npx jest:*)"], &["npx jest", "npx jest --watch"]);
    allowed(&["Bash(docker exec:*)"], &["docker exec c ls"]);
    asked(&["Bash(find:*)", "Bash(xargs:*)"], &["find src -exec rm {} \\;", "find src -delete", "xargs rm"]);
    allowed(
        &["Bash(find:*)", "Bash(grep:*)"],
        &["find . -exec grep x {} +", "find . -name x", "find . -print0 | xargs -0 grep y"],
    );
}

#[test]
fn redirections_are_covered_below_the_root_only() {
    allowed(
        &["Bash(echo:*)"],
        &[
            "echo x > f",
            "echo x >> d/f",
            "echo x > ./f",
            "echo x > /work/project/f",
            "echo x 2>/dev/null",
            "echo x >&2",
            "echo x 2>&1",
            "echo x &>f",
            "echo x > \"a b\"",
            "echo x < /etc/hosts",
            "echo x > d/../f",
        ],
    );
    asked(
        &["Bash(echo:*)"],
        &[
            "echo x > /etc/x",
            "echo x > ../f",
            "echo x > ~/.bashrc",
            "echo x > $f",
            "echo x > \"$HOME/f\"",
            "echo x > d/../../f",
            "echo x > *",
            "echo x >& /tmp/f",
            "echo x &> /tmp/f",
            "echo x <> /tmp/f",
            "echo x > .git/hooks/pre-commit",
            "echo x > /dev/tcp/h/1",
            "> /tmp/f",
            "echo x >| /tmp/f",
            "{ echo x; } > /tmp/f",
            "for i in 1; do echo x; done > /tmp/f",
            "cd /tmp; echo x > f",
            "cd ..; echo x > f",
        ],
    );
    allowed(&["Bash(echo:*)", "Bash(cd:*)"], &["cd src && echo x > f", "cd src; echo x > f"]);
    asked(
        &["Bash(echo:*)", "Bash(cd:*)"],
        &[
            "cd /tmp && echo x > f",
            "cd .. ; echo x > f",
            "cd $x && echo x > f",
            "cd src; cd -; echo x > f",
            "pushd /tmp; echo x > f",
        ],
    );
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
