//! Rules about files, and files whose names or contents are not known.

use crate::{allowed, asked, never_allowed};

#[test]
fn an_allow_rule_covers_no_other_command() {
    for rule in ["Bash(git:*)", "Bash(git status:*)", "Bash(git *)"] {
        asked(
            &[rule],
            &[
                "git status; id",
                "git status\nid",
                "git status && id",
                "git status | id",
                "git status & id",
                "git status $(id)",
                "git status `id`",
                "git status <(id)",
                "git status > /etc/x",
                "git status > $f",
                "git status >> ~/.bashrc",
                "env GIT_PAGER=id git status",
                "GIT_EXTERNAL_DIFF=id git status",
                "PATH=. git status",
                "LD_PRELOAD=./x.so git status",
                "env -i PATH=/x git status",
                "env --chdir=/x -S 'git status'",
                "./git status",
                "/tmp/git status",
                "bin/git status",
                "gi? status",
                "$git status",
                "sudo git status",
                "ssh h git status",
                "find . -exec git status \\;",
                "git -c core.fsmonitor=id status",
                "git --exec-path=/x status",
                "git --config-env=a=b status",
                "git -ccore.fsmonitor=id status",
                "git --git-dir=/x status",
                "git --work-tree=/ status",
                "export GIT_DIR=/x; git status",
                "declare -x GIT_DIR=/x; git status",
                "typeset -x PATH=/x; git status",
                "readonly PATH=/x; git status",
                "PATH=/x; git status",
                "read PATH; git status",
                "printf -v PATH /x; git status",
                "for PATH in /x; do git status; done",
                "((PATH=1)); git status",
                ": ${PATH:=/x}; git status",
                "git() { id; }; git status",
                "alias git=id\ngit status",
                "hash -p ./x git; git status",
                "source x; git status",
                "cd /x && ./git status",
                "bash -i -c 'git status'",
                "bash --rcfile x -c 'git status'",
                "BASH_ENV=x bash -c 'git status'",
                "ENV=x sh -c 'git status'",
                "nsenter -t 1 git status",
                "chroot / git status",
                "docker exec c git status",
            ],
        );
    }
}

#[test]
fn a_pattern_among_positional_parameters_may_be_any_file() {
    never_allowed(
        &["Bash(rm:*)"],
        &[
            "set -- *rm; \"$@\"",
            "set -- {*rm,x}; \"$@\"",
            "f() { \"$@\"; }; f *rm x",
            "bash -c '\"$@\"' bash *rm",
            "set -- *; $2",
            "set -- $(x) rm; $1",
        ],
    );
}

#[test]
fn a_rule_about_a_script_covers_no_other_content_of_it() {
    let rules = ["Bash(echo:*)", "Bash(python3 a.py)", "Bash(node a.js:*)"];
    allowed(&rules, &["python3 a.py", "node a.js x", "echo x > b.py; python3 a.py"]);
    never_allowed(&rules, &["echo x > a.py; python3 a.py", "echo x > a.js && node a.js"]);
    allowed(&["Bash(echo:*)", "Bash(python3:*)"], &["echo x > a.py; python3 a.py"]);
}

#[test]
fn a_file_named_by_a_variable_that_may_be_another_one_is_asked_about() {
    asked(
        &[
            "Bash(echo:*)", "Bash(cat:*)", "Bash(unset:*)", "Bash(read:*)", "Bash(.:*)", "Bash(ls:*)",
            "Bash(which:*)",
        ],
        &[
            "n=../../x; echo x > \"logs/$n.log\"",
            "for n in a ../../b; do echo x > \"logs/$n.log\"; done",
            "for n in a b c d e f ../../b; do echo x > \"logs/$n.log\"; done",
            "n=a; unset n; echo x > \"$n/etc/x\"",
            "n=a; read n < f; echo x > \"$n/x\"",
            "n=a; . ./f; echo x > \"$n/x\"",
            "n=a; if ls; then n=/etc; fi; echo x > \"$n/x\"",
            "if ls; then n=a; fi; echo x > \"$n/x\"",
            "n=a | echo x > \"$n/x\"",
            "while ls; do echo x > \"$n/x\"; n=$n/..; done",
            "select n in a b; do echo x > \"$n/etc/x\"; done",
            "for n in a b; do ls; done; echo x > \"$n/x\"",
            "n=$(cat f); echo x > \"logs/$n.log\"",
            "n=$(which ls); echo x > \"$n\"",
            "for f in *.txt; do echo x > \"out/$f\"; done",
            "f() { echo x > \"$1\"; }; f a; f /etc/x",
            "f() { echo x > \"$1\"; }; f \"$(cat g)\"",
            "n=.git; echo x > $n/hooks/x",
        ],
    );
}

#[test]
fn a_file_that_an_option_writes_is_judged_like_that_of_a_redirection() {
    for (rule, text) in [
        ("Bash(git log:*)", "git log --format='[core]%nfsmonitor=x' --output=.git/config -1"),
        ("Bash(git log:*)", "git log --format=%B --output ../../.bashrc"),
        ("Bash(git diff:*)", "git diff --output=\"$x\""),
        ("Bash(git archive:*)", "git archive -o /etc/x HEAD"),
        ("Bash(git:*)", "git format-patch -o ../x HEAD~1"),
        ("Bash(sort:*)", "sort -o ~/.bashrc f"),
        ("Bash(sort:*)", "sort -uo/etc/x f"),
        ("Bash(sort:*)", "sort --out=.git/config f"),
        ("Bash(uniq:*)", "uniq -c f ../x"),
        ("Bash(shuf:*)", "shuf -e a -o ../x"),
        ("Bash(tree:*)", "tree -o ../x"),
        ("Bash(xxd:*)", "xxd -r f ../x"),
        ("Bash(iconv:*)", "iconv -o ../x f"),
        ("Bash(less:*)", "less -o ../x f"),
        ("Bash(find:*)", "find . -fprintf ../x %f"),
        ("Bash(find:*)", "find . -fprint .git/hooks/x"),
        ("Bash(awk:*)", "awk '{print > \"../x\"}' f"),
        ("Bash(awk:*)", "awk '{print $1, $2 >> \"/etc/x\"}' f"),
        ("Bash(awk:*)", "awk -v f=../x '{print > f}' f"),
        ("Bash(sed:*)", "sed -n 's/a/b/w .git/config' f"),
        ("Bash(sed:*)", "sed -i s/a/b/ ../x"),
        ("Bash(sed:*)", "sed -ni.bak p .git/config"),
    ] {
        asked(&[rule], &[text]);
    }
    for (rule, text) in [
        ("Bash(git log:*)", "git log -p --output=x"),
        ("Bash(sort:*)", "sort -t o -uo x f"),
        ("Bash(uniq:*)", "uniq -f 2 f"),
        ("Bash(uniq:*)", "uniq f x"),
        ("Bash(awk:*)", "awk '$1 > 5 {print $2}' f"),
        ("Bash(awk:*)", "awk '{print ($1 > 5)}' f"),
        ("Bash(awk:*)", "awk '{print $1 > \"x\"; print \"a > b\"}' f"),
        ("Bash(awk:*)", "awk '{print $1 > \"/dev/stderr\"}' f"),
        ("Bash(sed:*)", "sed -i s/a/b/ x"),
        ("Bash(sed -i s/a/b/ ../x)", "sed -i s/a/b/ ../x"),
        ("Bash(find:*)", "find . -fprint x"),
    ] {
        allowed(&[rule], &[text]);
    }
}

#[test]
fn a_script_with_text_from_outside_is_never_allowed_unseen() {
    never_allowed(
        &["Bash(rm:*)"],
        &[
            "sed \"s/a/$(cat f)/\" g",
            "x=$(cat f); sed \"s/a/$x/\" g",
            "sed -nf x g",
            "sed --fil=x g",
            "awk \"/$(cat f)/\" g",
            "awk \"$(cat f)\" g",
        ],
    );
    allowed(
        &["Bash(sed:*)", "Bash(awk:*)", "Bash(cat:*)", "Bash(wc:*)"],
        &[
            "sed \"s/a/$x/\" g",
            "sed -n \"$(wc -l < f)p\" g",
            "awk -v x=\"$(cat f)\" '{print x}' g",
            "sed -n '1,5p' \"$(cat f)\"",
        ],
    );
}

#[test]
fn rules_that_the_same_command_line_writes_are_not_run_unseen() {
    let rules = ["Bash(echo:*)", "Bash(make test)", "Bash(npm test)", "Bash(awk -f p.awk:*)"];
    allowed(&rules, &["echo x > notes; make test", "make test", "npm test"]);
    allowed(&["Bash(echo:*)", "Bash(npm install)"], &["echo '{}' > package.json; npm install"]);
}

#[test]
fn names_of_files_are_unknown_commands_and_code() {
    let rules =
        ["Bash(echo:*)", "Bash(cat:*)", "Bash(eval:*)", "Bash(printf:*)", "Bash(let:*)", "Bash(unset:*)"];
    never_allowed(
        &rules,
        &[
            "eval cat *",
            "eval echo a?",
            "bash -c *",
            "echo cat * | sh",
            "printf 'cat %s\\n' * | cat | sh",
            "for f in *; do eval \"cat $f\"; done",
            "for f in *; do bash -c \"cat $f\"; done",
            "for f in *; do echo \"cat $f\" | sh; done",
            "for f in /bin/r?; do \"$f\" x; done",
            "for f in r?; do \"/bin/$f\" x; done",
            "for f in /bin/rm?; do \"${f%?}\" x; done",
            "for f in /bin/rm?; do ${f%?} x; done",
            "for f in /bin/rm?; do $(echo \"${f%?}\") x; done",
            "for f in /bin/rm?; do f+=(x); \"${f[0]}\" x; done",
            "for f in a?; do x=abrm; \"${x#\"$f\"}\"; done",
            "for f in /bin/r?; do bash -c '\"$0\" x' \"$f\"; done",
            "let *",
            "unset *",
            "for f in *; do awk \"$f\" x; done",
        ],
    );
    allowed(
        &rules,
        &[
            "for f in *.ts; do cat \"$f\"; done",
            "for f in *.ts; do echo \"${f%.ts}\"; done",
            "eval 'cat *'",
            "bash -c 'cat *.ts'",
            "unset a[0]",
        ],
    );
}
