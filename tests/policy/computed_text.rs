//! Text that a command line computes, keeps or passes on before a shell runs it.

use super::{dangerous, denied, harmless, never_allowed};

#[test]
fn lines_that_read_and_mapfile_keep_are_run_as_code() {
    dangerous(&[
        "mapfile -t a < <(echo 'rm -rf /'); ${a[0]}",
        "mapfile -t a <<< 'rm -rf /'; eval \"${a[@]}\"",
        "mapfile -t a <<< 'rm -rf /'; eval \"$a\"",
        "mapfile -t a <<< 'rm -rf /'; for c in \"${a[@]}\"; do eval \"$c\"; done",
        "mapfile -t <<< 'rm -rf /'; ${MAPFILE[0]}",
        "mapfile <<< 'rm -rf /'; eval \"${MAPFILE[@]}\"",
        "readarray -t a <<'E'\nls\nrm -rf /\nE\neval \"${a[1]}\"",
        "echo 'rm -rf /' | { mapfile -t a; ${a[0]}; }",
        "echo 'rm -rf /' > l; mapfile -t a < l; ${a[0]}",
        "read -ra a <<< 'rm -rf /'; \"${a[@]}\"",
        "read -ra a <<< 'rm -rf /'; ${a[@]}",
        "read -ra a <<< 'rm -rf /'; eval \"${a[*]}\"",
        "read <<< 'rm -rf /'; $REPLY",
        "read -r <<< 'rm -rf /'; eval \"$REPLY\"",
        "echo 'rm -rf /' | while read -r; do eval \"$REPLY\"; done",
        "while read -r; do sh -c \"$REPLY\"; done < <(echo 'rm -rf /')",
        "while read -r c; do $c; done <<'E'\nls\nrm -rf /\nE",
        "mapfile -t a <<'E'\necho \"a b\"\nrm -rf /\nE\neval \"${a[1]}\"",
        "IFS= read -r -d '' c <<< 'rm -rf /'; eval \"$c\"",
        "read -r a b <<< 'rm -rf /'; $a $b",
        "read -r a b c <<< 'rm -rf /'; $a $b \"$c\"",
    ]);
    denied(&["Bash(rm:*)"], &["read <<< 'rm x'; $REPLY", "mapfile -t a <<< 'rm x'; ${a[0]}"]);
    never_allowed(&["Bash(rm:*)"], &["read <<< ls; $REPLY", "mapfile -t a <<< ls; ${a[0]}"]);
    harmless(&[
        "mapfile -t a <<< 'rm -rf /'; printf '%s\\n' \"${a[@]}\"",
        "mapfile -t a < <(git ls-files); for f in \"${a[@]}\"; do rm -f \"$f.bak\"; done",
        "mapfile -t a < <(find build -name '*.o'); rm -f \"${a[@]}\"",
        "read -ra a <<< 'rm -rf /'; echo \"${a[@]}\"",
        "read <<< 'rm -rf /'; echo \"$REPLY\"",
        "mapfile -t a <<< 'echo \"a b\"'; eval \"${a[0]}\"",
        "read -rp 'Continue? '; [[ $REPLY =~ ^[Yy]$ ]] && rm -rf build",
        "read -r a b <<< 'rm -rf /'; echo \"$b\" \"$a\"",
        "read -r name dir <<< 'x build'; rm -rf \"$dir\"",
    ]);
}

#[test]
fn a_file_gets_what_is_printed_to_a_descriptor() {
    dangerous(&[
        "exec > x; echo 'rm -rf /'; exec >/dev/tty; sh x",
        "exec >>x; echo ls; echo 'rm -rf /'; sh x",
        "exec 3> x; echo 'rm -rf /' >&3; sh x",
        "exec 3>x; echo 'rm -rf /' 1>&3; exec 3>&-; sh x",
        "exec 3<> x; echo 'rm -rf /' >&3; sh x",
        "exec 3>>x; { echo 'rm -rf /'; } >&3; sh x",
        "exec {fd}>x; echo 'rm -rf /' >&$fd; sh x",
        "exec 3>x; echo 'rm -rf /' > /dev/fd/3; sh x",
        "exec 3>x; echo 'rm -rf /' | tee /dev/fd/3; sh x",
        "exec 3>x; exec >&3; echo 'rm -rf /'; sh x",
        "{ echo 'rm -rf /' >&3; } 3> x; sh x",
        "echo 'rm -rf /' 1<> x; sh x",
        "exec 3>x; f() { echo \"rm -rf $1\" >&3; }; f /; sh x",
    ]);
    never_allowed(&["Bash(rm:*)"], &["exec 3> x; echo ls >&3; sh x", "exec > x; echo ls; sh x"]);
    harmless(&[
        "exec 3> x; echo 'rm -rf /' >&3; cat x",
        "exec 3> x 4> y; echo 'rm -rf /' >&3; sh y",
        "exec > log; echo 'rm -rf /'; sh build.sh",
        "exec 3>&1; echo 'rm -rf /' >&3",
        "exec > >(tee log) 2>&1; echo 'rm -rf /'; make",
        "echo 'rm -rf /' >&2; sh build.sh",
    ]);
}

#[test]
fn a_shell_runs_what_a_pipe_gets_later() {
    dangerous(&[
        "coproc sh; echo 'rm -rf /' >&\"${COPROC[1]}\"",
        "coproc S { sh; }; echo 'rm -rf /' >&\"${S[1]}\"",
        "coproc S { cat | sh; }; echo 'rm -rf /' >&${S[1]}",
        "coproc echo 'rm -rf /'; sh <&${COPROC[0]}",
        "coproc echo 'rm -rf /'; read c <&${COPROC[0]}; $c",
        "mkfifo p; sh < p & echo 'rm -rf /' > p",
        "mkfifo -m 600 p; cat p | sh & echo 'rm -rf /' > p",
        "mkfifo p; sh p & echo 'rm -rf /' > p",
        "mknod p p; sh < p & exec 3> p; echo 'rm -rf /' >&3",
        "mkfifo p; (while read -r l; do eval \"$l\"; done < p) & echo 'rm -rf /' > p",
        "echo 'rm -rf /' > >(sh)",
        "{ echo ls; echo 'rm -rf /'; } > >(sh)",
        "exec > >(sh); echo 'rm -rf /'",
        "exec 3> >(sh); echo 'rm -rf /' >&3",
    ]);
    denied(&["Bash(rm:*)"], &["mkfifo p; sh < p & echo 'rm x' > p", "echo rm x > >(sh)"]);
    never_allowed(&["Bash(rm:*)"], &["coproc sh; cat f >&\"${COPROC[1]}\"", "cat f > >(sh)"]);
    harmless(&[
        "coproc bc; echo 'rm -rf /' >&\"${COPROC[1]}\"",
        "mkfifo p; cat p > log & echo 'rm -rf /' > p",
        "mkfifo p; f() { echo \"$1\"; }; f a > p & cat p; f 'rm -rf /'",
        "mkfifo p; sh < p & echo 'echo hi' > p",
        "echo 'rm -rf /' > >(cat)",
        "echo 'rm -rf /' | tee >(wc -c) > /dev/null",
    ]);
}
