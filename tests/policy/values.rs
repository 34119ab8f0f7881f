//! The values of variables, arrays and the output of builtins: the policy computes what bash computes, or
//! calls the value unknown.

use super::{Mode, OnDanger, Syntax, Verdict, all, decide_for, denied, never_allowed, policy};

#[test]
fn what_builtins_do_to_a_variable_is_known() {
    never_allowed(
        &["Bash(rm:*)"],
        &[
            "x=ls; unset x; $x rm z",
            "x=ls; unset -v x; $x rm z",
            "a=(ls); unset a; $a rm z",
            r#"a=(ls rm); unset 'a[0]'; "${a[@]}" z"#,
            "f() { local x; $x rm z; }; x=ls; f",
            "f() { declare x; $x rm z; }; x=ls; f",
            "x=r; declare x+=m; $x z",
            "x=r; export x+=m; $x z",
            "a=(ls); declare 'a[0]=rm'; $a z",
            r#"declare -a a=("" x); $a rm z"#,
            "readonly x=rm; eval x=ls; $x z",
            "readonly x=rm; read x <<< ls; $x z",
            "readonly x=rm; export x=ls; $x z",
            "x=ls; printf -vx rm; $x z",
            "a=(ls); printf -v 'a[0]' rm; $a z",
            "a=(ls); read 'a[0]' <<< rm; $a z",
            "x=ls; wait -p x; $x rm z",
            "x=ls; getopts r x -r; $x rm z",
            "x=ls; g() { $x z; }; x=rm g",
            "x=rm; eval x=ls < nothing; $x z",
            "shopt -s lastpipe; x=ls; true | x=rm; $x z",
        ],
    );
}

#[test]
fn the_elements_of_an_array_are_told_apart() {
    never_allowed(
        &["Bash(rm:*)"],
        &[
            "a=(r{m,n}); $a z",
            r#"a=("" x); $a rm z"#,
            "a=(x); ${a[1]} rm z",
            r#"a=('/tmp/a b/rm'); "${a[@]}" z"#,
            "a=([1]=x [0]=rm); $a z",
            r#"a=(q rm); "${a[@]:1}" z"#,
            r#"a=(q rm); "${a[@]:1:1}" z"#,
            "a=(rmx q); ${a%x} z",
            r#"a=(rmx q); "${a[@]%x}" z"#,
            "a=(rmx q); ${a[*]%x} z",
            r#"a=(q rm); a=("${a[@]:1}"); "${a[@]}" z"#,
            "a=(q); unset a; a+=(rm); $a z",
            "y=12rm; i=0; a[i=2]=1; ${y:$i} z",
        ],
    );
}

#[test]
fn an_edited_value_is_that_of_bash_or_unknown() {
    never_allowed(
        &["Bash(rm:*)"],
        &[
            r#"x=/bin/rm; "${x%"/*"}" z"#,
            "x=/bin/rm; ${x%'/*'} z",
            r"x=rm%; ${x%\%} z",
            "x=rm; ${x/m/&} z",
            r"x='a/b'; y=rm; ${x/a\/b/$y} z",
            r#"x='a/b'; y=rm; ${x/"a/b"/$y} z"#,
            "x='a/b'; p=a/b; y=rm; ${x/$p/$y} z",
            "x=12345678rm; ${x:010} z",
            "x=12345678rm; ${x:$((010))} z",
            "declare -i i=010; x=12345678rm; ${x:$i} z",
            "x=érm; LC_ALL=C; ${x:2} z",
            "shopt -s nocasematch; x=XrmX; ${x//x/} z",
            "shopt -s extglob; x=rmx; ${x%@(x)} z",
            "shopt -s extglob; x=xrm; ${x/+(x)/} z",
        ],
    );
}

#[test]
fn braces_are_expanded_before_anything_else() {
    never_allowed(
        &["Bash(rm:*)"],
        &["r{m..l} z", "v=rm; {$,}v z", "v=rm; $v{x,} z", "v=q; $v{m,} rm; v=rm; $v{m,} z", "r{m..a..20} z"],
    );
}

#[test]
fn values_are_split_where_bash_splits_them() {
    never_allowed(
        &["Bash(rm:*)"],
        &[
            "IFS=,; x='/tmp/a b/rm'; $x z",
            "IFS=; x='/tmp/a b/rm'; $x z",
            r#"IFS=,; set -- a rm; x="$*"; y=${x#a,}; $y z"#,
            "IFS=l; x=lrm; set -- $x; $2 z",
            r#"set --; f() { "$@" rm z; }; f"#,
            r#"a=(); "${a[@]}" rm z"#,
        ],
    );
}

#[test]
fn what_read_takes_is_known_or_unknown() {
    never_allowed(
        &["Bash(rm:*)"],
        &[
            "IFS=, read a b <<< ls,rm; $b z",
            "read a b <<< 'ls rm'; $b z",
            "read -d , x <<< rm,ls; $x z",
            "read -n 2 x <<< rmls; $x z",
            "read -N 2 x <<< rmls; $x z",
            r"read x <<< 'r\m'; $x z",
            r"printf 'ls\nrm\n' | { read a; read b; $b z; }",
            r"{ read x; read y; } <<< $'ls\nrm'; $y z",
            "{ read x; read y; } <<< ls; $y rm z",
            "while read x; do :; done <<< ls; $x rm z",
        ],
    );
}

#[test]
fn the_output_of_printf_and_echo_is_that_of_bash() {
    never_allowed(
        &["Bash(rm:*)"],
        &[
            r"x=$(printf '%b' 'rm\c' x); $x z",
            r"x=$(printf '%bx' 'rm\c'); $x z",
            r"x=$(printf '\0162m'); y=$(printf '\162\155'); $y z",
            r"x=$(echo -e '\0162m'); $x z",
            r"shopt -s xpg_echo; x=$(echo 'r\0155'); $x z",
            r#"x=$(echo r?); "$x" z"#,
            r#"printf -v x r?; "$x" z"#,
        ],
    );
}

#[test]
fn a_variable_that_the_shell_sets_is_not_unset() {
    never_allowed(
        &["Bash(rm:*)"],
        &[
            "[[ rm =~ rm ]]; ${BASH_REMATCH:-ls} z",
            "mapfile <<< rm; ${MAPFILE:-ls} z",
            "read <<< rm; ${REPLY:-ls} z",
            "${IFS:-ls} rm z",
            "select x in ls; do $x rm z; break; done <<< 9",
            "BASH_ARGV0=rm; $0 z",
        ],
    );
}

#[test]
fn what_other_shells_hold_in_variables_is_not_taken_from_bash() {
    let mut policy = policy(Mode::BypassPermissions, &["Bash(rm:*)"], &[], &[]);
    policy.dangerous = OnDanger::Ignore;
    let stopped = |syntax: Syntax, text: &str| {
        let decision = decide_for(syntax, text, &policy);
        assert_ne!(decision.verdict, Verdict::Allow, "{text:?} in {syntax:?}");
    };
    for text in [
        "a=(rm ls); ${a[1]} z",
        "x=ls; ${x[0]} rm z",
        "x=rm; $~x z",
        "x=ls; echo rm | read x; $x z",
        "x=ls; true | x=rm; $x z",
    ] {
        stopped(Syntax::Zsh, text);
    }
    stopped(Syntax::Posix, "x=ls; echo rm | read x; $x z");
    stopped(Syntax::Posix, "x=ls; true | x=rm; $x z");
    stopped(Syntax::Posix, r"x=$(echo 'r\0155'); $x z");
}

#[test]
fn a_value_that_is_certain_denies() {
    denied(&["Bash(rm:*)"], &["r{m,n} z", "{m..k}x; {rm,ls} z", r#"declare x=rm; "$x" z"#]);
}

#[test]
fn scripts_that_compute_arguments_are_not_asked_about() {
    let mut policy = policy(Mode::BypassPermissions, &["Bash(rm:*)", "Bash(git push:*)"], &[], &[]);
    policy.dangerous = OnDanger::Ignore;
    all(
        &[
            r#"for f in *.ts; do echo "${f%.ts}"; done"#,
            r#"args=(-m "fix: a/b c"); git commit "${args[@]}""#,
            r#"args=(); args+=(--fix); npm run lint -- "${args[@]}""#,
            r#"IFS=, read -ra parts <<< "$1"; echo "${parts[0]}""#,
            r#"f() { local name=$1 path; path=$(pwd)/$name; echo "$path"; }; f a"#,
            "unset NODE_ENV; npm test",
            r#"readonly DIR=/tmp/x; cd "$DIR" && ls"#,
            r#"while IFS= read -r line; do echo "$line"; done < list"#,
            r#"while read -r a b; do printf '%s\n' "$b"; done < list"#,
            "shopt -s globstar nullglob; ls src/**/*.ts",
            r#"set -- a b; shift; echo "$1""#,
            "cp config.json{,.bak}; cp $f{,.bak}",
            r#"for i in {1..3} {a..c} {03..05}; do echo "$i"; done"#,
            r#"cd "${BASH_SOURCE%/*}/.." 2>/dev/null; pwd"#,
            r#"x=${PWD##*/}; echo "${x//-/_} ${x^^}""#,
            r#"OUT=$(mktemp); echo a > "$OUT"; cat "$OUT""#,
            r#"declare -A m=([a]=1 [b]=2); for k in "${!m[@]}"; do echo "$k ${m[$k]}"; done"#,
            r#"mapfile -t files < <(git ls-files); echo "${#files[@]}""#,
            r#"printf -v day '%(%F)T' -1; echo "$day""#,
            "n=0; while [ $n -lt 3 ]; do n=$((n + 1)); done; echo $n",
        ],
        &policy,
        "allowed",
        |decision| decision.verdict == Verdict::Allow,
    );
}
