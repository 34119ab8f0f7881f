//! Variables, arithmetic and quotes.

use super::RM;
use crate::{allowed, denied, never_allowed};

#[test]
fn what_changes_the_meaning_of_a_variable_hides_no_command() {
    never_allowed(
        RM,
        &[
            "IFS=$u; c=rmyx; $c",
            "read IFS < f; c=rmyx; $c",
            "((IFS=1)); c=rm1x; $c",
            "let IFS=1; c=rm1x; $c",
            "declare -l c; c=RM; $c x",
            "typeset -u c=rm; $c x",
            "c=ls; declare -n r=c; r=rm; $c x",
            "f() { local -n r=$1; r=rm; }; c=ls; f c; $c x",
            "c=ls; ((c=1)); $c",
            "BASH_CMDS[ls]=/bin/rm; ls x",
            "declare -A BASH_CMDS=([ls]=/bin/rm); ls x",
            "shopt -s expand_aliases; BASH_ALIASES[a]=rm\na x",
            "declare -a 'a=($(rm x))'",
            "declare -a a='($(rm x))'",
            "export -a e='(`rm x`)'",
            "printf -v PS4 %s '$(rm x)'; set -x; ls",
            "read PS4 <<< '$(rm x)'; set -x; ls",
            "for PS4 in '$(rm x)'; do set -x; ls; done",
            "env PS4='$(rm x)' bash -xc ls",
            "env BASH_FUNC_ls%%='() { rm x; }' bash -c ls",
        ],
    );
}

#[test]
fn history_expansion_is_off_and_needs_no_question() {
    // A shell that is not interactive does not expand `!`: bash prints it.
    allowed(&["Bash(echo:*)"], &["echo hi!", "echo !!", "echo \"!x\"", "echo a !$"]);
}

#[test]
fn text_right_behind_an_array_is_no_comment() {
    never_allowed(&["Bash(rm:*)"], &["a=(x)# ; rm x", "declare -a a=(x)# ; rm x"]);
}

#[test]
fn a_here_document_inside_of_arithmetic_is_never_allowed() {
    never_allowed(&["Bash(ls:*)"], &["(( $(cat <<E\nx\nE\necho 1) + 1 ))"]);
}

#[test]
fn single_quotes_hide_nothing_in_the_arithmetic_of_a_subscript_or_a_substring() {
    never_allowed(
        &["Bash(echo:*)"],
        &[
            "u=abc; echo ${u:'$(rm y)'}",
            "u=abc; echo ${u: -'`rm y`'}",
            "u=abc; echo ${u:1:$'$(rm y)'}",
            "u=abc; [[ a == ${u:$v'$(rm y)'} ]]",
            "echo ${a['$(rm y)']}",
            "echo ${a['$(rm y)']:1}",
            "a['`rm y`']=1",
            "a=(['$(rm y)']=1)",
        ],
    );
    allowed(&["Bash(echo:*)"], &["u=abc; echo ${u:1:2} ${u: -1}"]);
}

#[test]
fn text_that_arithmetic_evaluates_is_never_allowed_unseen() {
    let rules = ["Bash(echo:*)", "Bash(cat:*)", "Bash(printf:*)"];
    never_allowed(
        &rules,
        &[
            "echo $(( $(echo 'a[$(rm y)]') ))",
            "echo $(( $(cat <<< 'a[$(rm y)]') ))",
            "x=$(cat <<< 'a[$(rm y)]'); echo $((x))",
            "x=$(cat <<'E'\na[$(rm y)]\nE\n); echo $((x + 1))",
            "f() { echo $(($1)); }; f 'a[$(rm y)]'",
            "bash -c 'echo $(($1))' _ 'a[$(rm y)]'",
            "f() { echo ${b[$1]}; }; f 'a[$(rm y)]'",
            "f() { b[$1]=1; }; f 'a[$(rm y)]'",
            "b=xyz; f() { echo ${b:$1}; }; f 'a[$(rm y)]'",
            "f() { [[ $1 -eq 1 ]] && cat x; }; f 'a[$(rm y)]'",
            "x=$(cat <<< 'a[$(rm y)]'); echo ${b[x]}",
            "x=$(cat <<< 'a[$(rm y)]'); b[$x]=1",
            "x=$(cat <<< 'a[$(rm y)]'); [[ $x -gt 0 ]] && cat x",
            "x=$(cat <<< 'a[$(rm y)]'); y=$x; echo $((y))",
            "x=$(cat <<< 'a[$(rm y)]'); y=x; echo $((y))",
            "echo 'a[$(rm y)]' > f; echo $(( $(cat f) ))",
            "echo 'a[`rm y`]' > f; x=$(< f); echo $((x))",
            "echo -e 'a[\\x24(rm y)]' > f; x=$(cat f); echo $(($x))",
        ],
    );
    allowed(
        &["Bash(echo:*)", "Bash(cat:*)", "Bash(wc:*)"],
        &[
            "echo 'a $(b)'; n=$(wc -l < f); echo $((n + 1))",
            "echo 'a `b`'; i=0; for x in a b c; do i=$((i + 1)); echo $((i * 2)); done",
        ],
    );
}

#[test]
fn a_value_that_doubles_again_and_again_ends_the_search() {
    never_allowed(&["Bash(rm:*)"], &[&format!("a=b;{}$a", "a=$a$a;".repeat(60))]);
}

#[test]
fn a_line_that_goes_on_inside_backticks_is_joined_in_quotes_too() {
    denied(&["Bash(rm:*)"], &["h=`'\\\nrm' x`", "echo \"`'r\\\nm' x`\"", "h=`\"\\\nrm\" x`"]);
}
