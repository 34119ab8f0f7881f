//! Text from outside that a shell evaluates as code, and numbers and known words that look like it.

use super::{allowed, asked, denied, never_allowed};

const WORDS: [&str; 15] = [
    "Bash(echo:*)", "Bash(cat:*)", "Bash(declare:*)", "Bash(local:*)", "Bash(test:*)", "Bash([:*)",
    "Bash(unset:*)", "Bash(printf:*)", "Bash(read:*)", "Bash(let:*)", "Bash(wc:*)", "Bash(date:*)",
    "Bash(grep:*)", "Bash(set:*)", "Bash(true:*)",
];

#[test]
fn arithmetic_on_text_from_outside_is_asked_about() {
    asked(
        &WORDS,
        &[
            "x=$(cat f); echo $((x + 1))",
            "x=$(cat f); echo $(($x + 1))",
            "echo $(( $(cat f) ))",
            "echo $(( $1 ))",
            "x=${1:-3}; echo $((x))",
            "read x < f; ((x))",
            "read -a x < f; echo $((x[0]))",
            "x=$(cat f); let x+=1",
            "x=$(cat f); let \"$x\"",
            "x=$(cat f); y=x; echo $((y))",
            "x=$(cat f); y=${x%%.*}; echo $((y))",
            "x=$(cat f; wc -l < f); echo $((x))",
            "x=$(wc -l *); echo $((x))",
            "for x in $(cat f); do echo $((x)); done",
            "for x in *; do echo $((x)); done",
            "while read -r x; do echo $((x)); done < f",
            "n=$(cat f); for ((i = 0; i < n; i++)); do echo $i; done",
            "x=$(cat f); echo ${y:x}",
            "x=$(cat f); echo ${y[x]}",
            "x=$(cat f); y[$x]=1",
            "x=$(cat f); [[ $x -gt 3 ]]",
            "f() { echo $(($1)); }; f \"$(cat g)\"",
        ],
    );
}

#[test]
fn a_value_of_an_integer_variable_from_outside_is_asked_about() {
    asked(
        &WORDS,
        &[
            "declare -i x; x=$1",
            "declare -i x=$(cat f)",
            "declare -i x; x+=$(cat f)",
            "declare -i x; read x < f",
            "declare -ir x=$1",
            "declare -i x; for x in $(cat f); do echo; done",
            "declare -i x; printf -v x %s \"$(cat f)\"",
        ],
    );
    allowed(&WORDS, &["declare -i x; x=3", "declare -i n=$(wc -l < f)", "declare -i x=0; x+=1; echo $x"]);
}

#[test]
fn a_name_of_a_variable_from_outside_is_asked_about() {
    asked(
        &WORDS,
        &[
            "test -v \"$1\"",
            "x=$(cat f); [ -v \"$x\" ]",
            "x=$(cat f); [[ -v $x ]]",
            "x=$(cat f); [ $x -gt 3 ]",
            "x=$(cat f); y=$(cat g); [ \"$x\" \"$y\" ]",
            "x=$(cat f); unset \"$x\"",
            "x=$(cat f); printf -v \"$x\" 1",
            "x=$(cat f); read \"$x\" < g",
            "x=$(cat f); declare \"$x\"",
            "x=$(cat f); declare \"a[$x]=1\"",
            "x=$(cat f); declare \"$x=1\"",
            "x=$(cat f); local \"$x\"",
        ],
    );
    never_allowed(&["Bash(rm:*)"], &["export \"$(cat f)\"", "readonly \"$1\"", "wait -p \"$1\""]);
}

#[test]
fn text_from_outside_that_nothing_evaluates_is_allowed() {
    allowed(
        &WORDS,
        &[
            "x=$(cat f); [ \"$x\" = a ] && echo y",
            "x=$(cat f); [ \"$x\" -gt 3 ]",
            "x=$(cat f); [ -n \"$x\" ]",
            "x=$(cat f); [[ $x == a* ]]",
            "x=$(cat f); printf '%d\\n' \"$x\"",
            "IFS= read -r x < f; echo \"${x:0:3} ${#x}\"",
            "read -p \"$(cat f)\" x",
            "x=$(cat f); declare y=\"$x\"",
            "unset x",
            "test -v x",
            "declare -A m; k=$(cat f); m[$k]=1; echo \"${m[$k]}\"",
        ],
    );
}

#[test]
fn arithmetic_on_numbers_is_allowed() {
    allowed(
        &WORDS,
        &[
            "n=$(wc -l < f); echo $((n + 1))",
            "n=$(grep -c x f || true); echo $((n + 1))",
            "start=$(date +%s); echo a; end=$(date +%s); echo $((end - start))",
            "n=$(date -d \"$(cat f)\" +%s); echo $((n))",
            "n=$(cat f | wc -l); echo $((n))",
            "i=0; while true; do i=$((i + 1)); echo $i; done",
            "for ((i = 0; i < 3; i++)); do echo $i; done",
            "for i in 1 2 3 4 5 6; do echo $((i * 2)); done",
            "x=$(cat f); echo $((${#x} + $# + $? + RANDOM))",
            "[[ $# -eq 0 ]] && echo none",
            "a=(1 2 3); echo $((a[1] + 1))",
        ],
    );
}

#[test]
fn a_program_that_prints_more_than_numbers_gives_none() {
    let rules =
        [&WORDS[..], &["Bash(stat:*)", "Bash(expr:*)", "Bash(bc:*)", "Bash(date:*)", "Bash(seq:*)"]].concat();
    asked(
        &rules,
        &[
            "n=$(stat -c %n *); echo $((n))",
            "n=$(expr \"$1\" : '\\(.*\\)'); echo $((n))",
            "n=$(cat f | bc); echo $((n))",
            "n=$(date \"$(cat f)\"); echo $((n))",
            "n=$(seq -s \"$1\" 3); echo $((n))",
            "n=$(grep -rc x .); echo $((n))",
            "n=$(grep -h x f); echo $((n))",
            "n=$(echo \"$1\"); echo $((n))",
            "n=$(f=$(cat g); echo $f; f=3); echo $((n))",
        ],
    );
    allowed(&rules, &["n=$(stat -c %s f); echo $((n))"]);
}

#[test]
fn parameters_that_may_be_others_are_not_known() {
    never_allowed(
        &["Bash(rm:*)"],
        &[
            "set -- rm x; false && set -- ls; \"$@\"",
            "set -- rm x; if false; then set -- ls; fi; \"$@\"",
            "set -- rm x; trap 'set -- ls' EXIT; \"$@\"",
            "set -- a rm; false && shift; \"$@\"",
        ],
    );
}

#[test]
fn a_function_is_judged_with_the_arguments_of_its_calls() {
    let rules = ["Bash(echo:*)", "Bash(ls:*)", "Bash(local:*)", "Bash(shift:*)"];
    asked(
        &rules,
        &[
            "f() { \"$@\"; }",
            "f() { \"$@\"; }; f ls; f rm x",
            "f() { \"$@\"; }; f $(cat g)",
            "f() { \"$@\"; }; f *",
            "f() { \"$@\"; }; f ./ls",
            "f() { \"$@\"; }; f 'ls -l'",
            "f() { \"$@\"; }; f ls; export -f f",
            "f() { \"$@\"; }; f ls; set -a",
            "f() { \"$@\"; }; f ls; $x rm",
            "f() { \"$@\"; }; f ls; if ls; then f() { ls; }; fi; f rm",
            "f() { \"$@\" || f rm x; }; f ls",
        ],
    );
}

#[test]
fn a_function_is_judged_again_where_something_that_it_uses_has_changed() {
    denied(&["Bash(rm:*)"], &["g() { ls; }; f() { g; }; f; g() { rm x; }; f"]);
    asked(&["Bash(echo:*)", "Bash(cd:*)"], &["f() { echo x > y; }; f; cd /; f"]);
}

#[test]
fn a_variable_that_bash_makes_an_integer_evaluates_what_any_builtin_puts_into_it() {
    let rules = ["Bash(read:*)", "Bash(mapfile:*)", "Bash(declare:*)", "Bash(echo:*)", "Bash(printf:*)"];
    asked(
        &rules,
        &[
            "read RANDOM <<< 'a[$(id)]'",
            "read SECONDS < f",
            "for RANDOM in 'a[$(id)]'; do echo x; done",
            "for SECONDS in $(cat f); do echo x; done",
            "mapfile SRANDOM < f",
            "printf -v SECONDS %s 'a[$(id)]'",
            "declare -i x; echo ${x:='a[$(id)]'}",
            "declare -i x; echo ${x=a[\\$(id)]}",
        ],
    );
    allowed(&rules, &["SECONDS=0; echo $SECONDS", "declare -i x; echo ${x:=3}"]);
}

#[test]
fn a_redirection_and_an_option_of_set_change_variables_of_programs() {
    let rules = ["Bash(exec:*)", "Bash(set:*)", "Bash(git:*)"];
    asked(
        &rules,
        &[
            "exec {PATH}> /dev/null; git log",
            "git log {PATH}> /dev/null; git log",
            "set -k; git log GIT_PAGER=id",
            "set -ek; git log GIT_PAGER=id",
            "set -o keyword; git log GIT_PAGER=id",
        ],
    );
    allowed(&rules, &["exec {fd}> /dev/null; git log >&3", "set -e; git log", "set -- -k; git log"]);
}
