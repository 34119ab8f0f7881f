//! Unknown values: what is neither literal nor assigned exactly once, literally.
//!
//! An unknown value asks wherever a rule could depend on it. An option that may run something asks too,
//! without saying what it would run.

use super::{allowed, asked, denied, harmless, never_allowed};

#[test]
fn one_literal_assignment_is_known() {
    denied(
        &["Bash(rm:*)"],
        &[
            "x=rm; $x y",
            "x=rm; \"$x\" y",
            "x='rm y'; $x",
            "x=rm && $x y",
            "(x=rm; $x y)",
            "{ x=rm; }; $x y",
            "if true; then x=rm; $x y; fi",
            "export X=rm; $X y",
            "readonly X=rm; $X y",
            "bash -c 'x=rm; $x y'",
            "rm${IFS}x",
        ],
    );
}

#[test]
fn any_other_value_asks() {
    never_allowed(
        &["Bash(rm:*)"],
        &[
            "x=r; x+=m; $x y",
            "x=ls; x=rm; $x y",
            "x=ls; eval 'x=rm'; $x y",
            "x=ls; read x <<< rm; $x y",
            "x=ls; read x'' <<< rm; $x y",
            "xy=ls; read x''y <<< rm; $xy z",
            "x=ls; printf -v x rm; $x y",
            "x=ls; printf -v \"$n\" rm; $x y",
            "x=ls; . ./f; $x y",
            "x=ls; declare -n r=x; r=rm; $x y",
            "x=ls; declare \"$n=rm\"; $x y",
            "x=ls; : ${!n:=rm}; $x y",
            "x=ls; trap 'x=rm' DEBUG; $x y",
            "x=ls; f() { x=rm; }; f; $x y",
            "x=rm true; $x y",
            "false && x=ls; $x y",
            "(x=ls); $x y",
            "if false; then x=ls; fi; $x y",
            "x=ls & $x y",
            "for x in ls; do :; done; $x y",
            "while $x y; do x=rm; done",
            "x=rm bash -c '$x y'",
            "x=ls; bash -c '$x y'",
            "a=(ls rm); \"${a[1]}\" y",
            "set -- rm; $1 y",
            "f() { \"$@\"; }; f rm y",
            "x=rmx; ${x%x} y",
            "x=RM; ${x,,} y",
            "${u:-rm} y",
            "bash -c '\"$@\"' _ rm y",
            "c=read; x=ls; $c x <<< rm; $x y",
            "IFS=,; x=rm,y; $x",
            "declare -a a=(\"\" x); $a rm z",
        ],
    );
}

#[test]
fn an_option_that_may_run_something_asks() {
    never_allowed(
        &["Bash(rm:*)"],
        &[
            "git -c alias.z='!rm x' z",
            "git -c core.pager='rm x' log",
            "git config core.pager 'rm x'",
            "git submodule foreach 'rm x'",
            "git rebase -ix 'rm x' main",
            "git bisect run rm x",
            "git grep -nO'rm x' y",
            "git clone 'ext::sh -c rm% x'",
            "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=x git p",
            "export GIT_CONFIG_PARAMETERS=\"'alias.p=!rm x'\"; git p",
            "tar -cvIrm -f a b",
            "tar cIf rm a b",
            "sort --co=rm f",
            "scp -oProxyCommand='rm x' a b:",
            "rsync -aerm a b:",
            "go test -exec 'rm x' ./...",
            "npx -c 'rm x'",
            "hash -p /bin/rm ls",
            "socat - EXEC:'rm x'",
            "less '+!rm x' f",
            "vim -es +'!rm x' +q",
            "gdb -ex 'shell rm x'",
            "apt-get -o APT::Update::Pre-Invoke::='rm x' update",
            "rpm --eval '%(rm x)'",
            "rpm -E '%(rm x)'",
            "sqlite3 x '.sys rm y'",
            "echo '.shell rm y' | sqlite3",
            "ed f <<< '!rm x'",
            "psql -c '\\! rm x'",
            "sed '1e rm x' f",
            "sed \"s/a/$(cat f)/\" g",
            "awk 'BEGIN{system(\"rm x\")}'",
            "make SHELL='rm x'",
            "make -sf - <<< 'all:;rm x'",
            "tmux if-shell 'rm x' ''",
            "tmux if-shell rm true",
            "tmux new-session -d 'rm x'",
            "tmux send-keys 'rm x' Enter",
            "npm pkg set scripts.x='rm x'",
            "PROMPT_COMMAND='rm x'",
            "EDITOR=$x git commit",
        ],
    );
    denied(&["Bash(rm:*)"], &["script -q /dev/null rm x", "script -c 'rm x'", "PAGER='rm x' git log"]);
}

#[test]
fn options_that_run_nothing_do_not_ask() {
    super::all(
        &[
            "tmux ls",
            "tmux kill-session -t x",
            "script out.txt",
            "git -c color.ui=never diff",
            "git -c core.pager=cat log",
            "git config user.name x",
            "GIT_EDITOR=true git rebase --continue",
            "GIT_SEQUENCE_EDITOR=: git rebase -i HEAD~2",
            "scp -o StrictHostKeyChecking=no a b:",
            "rpm -q x",
        ],
        &super::policy(super::Mode::BypassPermissions, &["Bash(rm:*)"], &[], &[]),
        "allowed",
        |decision| decision.verdict == super::Verdict::Allow,
    );
}

#[test]
fn an_expression_reads_numbers_only() {
    asked(
        &["Bash(echo:*)", "Bash(cat:*)", "Bash(true:*)"],
        &[
            "echo 'a[$(id)]'; echo $((_))",
            "true 'a[$(id)]'; echo ${a[_]}",
            "true 'a[$(id)]'; [[ _ -eq 1 ]]",
            "[[ $(cat f) =~ .* ]]; echo $((BASH_REMATCH))",
            "[[ $(cat f) =~ .* ]]; echo $((BASH_REMATCH[0]))",
            "x=$(<f); echo $((x))",
            "x=$(cat f); echo $((x))",
            "for x in *; do echo $((x)); done",
            "for x in $(cat f); do [[ $x -gt 1 ]]; done",
            "x=y; y=$(cat f); echo $((x))",
            "x=*; for i in $x; do echo $((i)); done",
            "read x < f; echo $((x))",
            "echo $((x))",
            "echo $((REPLY))",
            "n=1; echo $((a$n))",
            "select x in 1; do echo $((REPLY)); done",
            "x=1; eval \"$(cat f)\"; echo $((x))",
            "declare -i x; x=$(cat f)",
            "echo ${@:$(cat f)}",
        ],
    );
    allowed(
        &[
            "Bash(echo:*)", "Bash(wc:*)", "Bash(date:*)", "Bash(sleep:*)", "Bash(grep:*)", "Bash(seq:*)",
            "Bash(ls:*)", "Bash(stat:*)",
        ],
        &[
            "i=0; while [ $i -lt 3 ]; do i=$((i + 1)); done",
            "for ((i = 0; i < 3; i++)); do echo $i; done",
            "n=$(wc -l < f); echo $((n / 2))",
            "n=$(ls | wc -l); (( n > 2 )) && echo many",
            "start=$(date +%s); sleep 1; echo $(( $(date +%s) - start ))",
            "n=$(grep -c x f || true); echo $((n + 1))",
            "for i in {1..5}; do echo $((i * i)); done",
            "for i in $(seq 1 5); do [[ $i -eq 3 ]] && echo $i; done",
            "[[ $? -eq 0 ]] && echo ok; echo $(( $# + 1 ))",
            "echo $((RANDOM % 6)); echo $((SECONDS / 60))",
            "ls x; (( ${PIPESTATUS[0]} == 0 )) && echo ok",
            "a=(1 2 3); echo $((a[1] + ${#a[@]}))",
            "declare -A m; m[key]=1; echo ${m[key]}",
            "size=$(stat -c %s \"$f\"); [[ $size -gt 10 ]] && echo large",
        ],
    );
}

#[test]
fn what_may_be_a_file_name_is_no_action_of_find() {
    asked(&["Bash(find:*)"], &["find *", "find . -name *", "find $x", "find . $(cat f)", "find -d*"]);
    allowed(
        &["Bash(find:*)"],
        &["find ./*", "find . -name *.py", "find src -name '*'", "find . -name \"$x\""],
    );
}

#[test]
fn what_a_command_writes_for_another_is_left_to_the_sandbox() {
    harmless(&[
        "echo 'rm -rf /' > x.sh; sh x.sh",
        "cat <<'E' > x.sh\nrm -rf /\nE\nbash x.sh",
        "printf 'all:\\n\\trm -rf /\\n' > Makefile; make",
    ]);
}

#[test]
fn an_assignment_that_may_not_have_run_is_not_known() {
    never_allowed(
        &["Bash(rm:*)"],
        &[
            "ls || x=echo && $x rm",
            "ls && ls || x=echo && $x rm",
            "readonly x={rm,echo}; $x y",
            "readonly x=''{rm,echo}''; \"$x\" y",
        ],
    );
    denied(&["Bash(rm:*)"], &["ls && x=rm && $x y", "x=rm && ls && $x y"]);
}

#[test]
fn each_possible_value_of_a_word_is_an_option_that_may_run_something() {
    let rules = ["Bash(tar:*)", "Bash(sort:*)", "Bash(git log:*)", "Bash(echo:*)", "Bash(xargs:*)"];
    asked(
        &rules,
        &[
            "tar -cf x.tar ${z:--Iprog} a",
            "for o in -v -Iprog; do tar -cf x.tar $o a; done",
            "sort ${z:---compress-program=prog} f",
            "sort -S1b $(echo --compress-program=prog) f",
            "tar -cf x.tar a $(echo -I prog)",
            "echo '-Iprog -cf x.tar a' | xargs tar",
            "xargs sort <<< '--compress-program=prog f'",
            "echo /etc/x | xargs sort a -o",
            "sort a ${z:--o/etc/x}",
            "git log ${z:---output=/etc/x}",
            "tar -czf host:a.tar a",
            "tar czf host:a.tar a",
        ],
    );
    allowed(
        &rules,
        &["for o in a b; do sort $o; done", "sort ${z:--r} f", "echo a b | xargs sort", "tar -czf a.tar a:b"],
    );
}

#[test]
fn a_word_that_may_be_an_option_of_printf_or_wait_may_name_a_variable() {
    let rules = ["Bash(printf:*)", "Bash(ls:*)", "Bash(cat:*)"];
    asked(
        &rules,
        &[
            "f() { printf \"$@\"; }; f x",
            "f() { printf \"$1\" x; }; f x",
            "printf ${z:--v} PATH x; ls",
            "a=(-v PATH); printf \"${a[@]}\" x",
            "printf $(cat f) x",
            "printf *",
            "ls & wait $(cat f)",
            "f() { wait \"$@\"; }; f x",
        ],
    );
    allowed(
        &rules,
        &[
            "printf '%s\\n' \"$x\"",
            "x=$(cat f); printf \"$x\"",
            "ls & wait $!",
            "ls & pid=$!; wait $pid",
            "ls & pids+=($!); for p in \"${pids[@]}\"; do wait \"$p\"; done",
        ],
    );
}
