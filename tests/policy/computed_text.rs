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
        "printf 'a\\nb\\n/\\n' | while read -r d; do rm -rf \"$d\"; done",
        "echo 'a b /' > l; for d in $(cat l); do rm -rf $d; done",
        "mapfile -t a <<'E'\nls\npwd\nrm -rf /\nE\n${a[2]}",
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

#[test]
fn the_output_of_a_filter_is_computed() {
    dangerous(&[
        "echo 'xm -rf /' | sed 's/x/r/' | sh",
        "sed 's/x/r/' <<< 'xm -rf /' | bash",
        "echo 'xm -rf /' | sed -e s/x/r/ -e 's/a/b/g; s/c/d/' | sh",
        "echo 'xm -rf /' > f; sed 's/x/r/' f | sh",
        "echo 'xm -rf /' > f; sed -i.bak 's/x/r/' f; sh f",
        "eval \"$(sed s/x/r/ <<< 'xm -rf /')\"",
        "$(sed s/x/r/ <<< 'xm -rf /')",
        "sed 's,^,rm -rf ,' <<< / | sh",
        "sed 's,.*,rm -rf &,' <<< / | sh",
        "sed 's/$/ -rf \\//' <<< rm | sh",
        "echo '/ fr- mr' | rev | sh",
        "echo 'rm -rf /' > f; sort f | sh",
    ]);
    denied(&["Bash(rm:*)"], &["sed s/x/r/ <<< 'xm y' | sh"]);
    never_allowed(&["Bash(rm:*)"], &["sed s/x/l/ <<< xs | sh", "sed 's/[x]/r/' <<< 'xm y' | sh"]);
    harmless(&[
        "echo 'xm -rf /' | sed 's/x/r/'",
        "echo 'rm -rf /' | sed 's/^/# /' | sh",
        "sed 's/x/y/' <<< 'xm -rf /' | bash",
        "sed -i 's/x/r/' build.sh; sh build.sh",
        "cut -d: -f1 <<< 'ls:rm -rf /' | sh",
        "echo 'ls rm -rf /' | awk '{print $1}' | sh",
        "rm -rf \"build/$(echo / | sed 's,/,x,')\"",
        "d=$(echo a/b/c | cut -d/ -f2); rm -rf \"$d\"",
    ]);
}

#[test]
fn paths_that_find_and_ls_print_are_removed() {
    dangerous(&[
        "while read -r f; do rm -rf \"$f\"; done < <(find /)",
        "while IFS= read -r -d '' f; do rm \"$f\"; done < <(find / -print0)",
        "while read -r f; do rm -rf \"$f\"; done < <(ls -d /*)",
        "exec 3< <(find /); while read -r f <&3; do rm -rf \"$f\"; done",
        "for f in $(find /); do rm -rf \"$f\"; done",
        "rm -rf $(find / -maxdepth 1)",
        "rm -rf $(ls -d /*)",
        "xargs rm -rf < <(find /)",
        "xargs -a <(find /) rm -rf",
        "mapfile -t a < <(find /); rm -rf \"${a[@]}\"",
        "a=($(find /)); rm -rf \"${a[@]}\"",
        "find / > l; xargs rm -rf < l",
        "find / > l; while read f; do rm -rf \"$f\"; done < l",
        "find / > l; rm -rf $(cat l)",
        "ls -d /* > l; xargs rm -rf < l",
    ]);
    harmless(&[
        "while read -r f; do echo \"$f\"; done < <(find /); while read -r d; do rm -rf \"$d\"; done < <(ls -d build/*)",
        "while read -r f; do rm -rf \"$f\"; done < <(find . -name '*.tmp')",
        "while read -r f; do rm -rf \"$f\"; done < <(find build -maxdepth 1)",
        "find / > l; rm -rf build; wc -l < l",
        "a=($(find build)); rm -rf \"${a[@]}\"",
        "a=($(find /)); echo \"${#a[@]}\"",
    ]);
}

#[test]
fn the_arguments_of_xargs_and_parallel_may_come_from_a_file() {
    dangerous(&[
        "echo / > l; xargs -a l rm -rf",
        "echo / > l; xargs --arg-file=l rm -rf",
        "echo / > l; xargs -r -al rm -rf",
        "echo / > l; xargs -a l -I{} rm -rf {}",
        "xargs -a <(echo /) rm -rf",
        "echo / > l; parallel -a l rm -rf",
        "echo / > l; parallel rm -rf :::: l",
        "echo / > l; parallel -j4 'rm -rf {}' :::: l",
        "echo / | parallel rm -rf",
        "echo / | parallel rm -rf {}",
        "echo / | parallel 'rm -rf {}'",
        "find / | parallel rm -rf",
        "parallel rm -rf ::: /",
        "parallel 'rm -rf {}' ::: /",
        "echo 'rm -rf /' | parallel",
        "echo 'rm -rf /' > l; parallel -a l",
        "echo 'rm -rf /' > l; parallel :::: l",
    ]);
    harmless(&[
        "echo / > l; xargs -a l ls",
        "echo build > l; xargs -a l rm -rf",
        "echo / > l; xargs -a m rm -rf",
        "echo / > l; parallel -a l ls",
        "echo build | parallel rm -rf",
        "parallel rm -rf ::: build dist",
        "echo / | parallel echo rm -rf",
    ]);
}

#[test]
fn a_program_prints_the_text_that_its_arguments_give() {
    dangerous(&[
        "find . -fprintf x 'rm -rf /'; sh x",
        "find . -maxdepth 0 -fprintf x 'rm -rf /\\n' && bash x",
        "find . -maxdepth 0 -printf 'rm -rf /\\n' | sh",
        "printf -v v 'rm -rf /'; $v",
        "python3 -c 'print(\"rm -rf /\")' | sh",
        "node -p '\"rm -rf /\"' | sh",
        "node -e 'console.log(\"rm -rf /\")' | bash",
        "perl -e 'print \"rm -rf /\\n\"' | bash",
        "ruby -e 'puts \"rm -rf /\"' | sh",
        "php -r 'echo \"rm -rf /\";' | sh",
        "awk 'BEGIN { print \"rm -rf /\" }' | sh",
        "{ python3 -c 'print(\"rm -rf /\")'; echo ls; } | sh",
        "jq -nr '\"rm -rf /\"' | sh",
        "echo '{\"c\": \"rm -rf /\"}' | jq -r .c | sh",
        "python3 <<'E' | sh\nprint('rm -rf /')\nE",
        "python3 -c 'print(\"rm -rf /\")' > x; sh x",
        "eval \"$(python3 -c 'print(\"rm -rf /\")')\"",
        "$(perl -e 'print \"rm -rf /\"')",
        "bash <(python3 -c 'print(\"rm -rf /\")')",
        "date '+rm -rf /' | sh",
        "stat -c 'rm -rf /' . | sh",
        "git log -1 --format='rm -rf /' | sh",
        "yes 'rm -rf /' | head -1 | sh",
    ]);
    denied(&["Bash(rm:*)"], &["python3 -c 'print(\"rm x\")' | sh"]);
    never_allowed(&["Bash(rm:*)"], &["python3 -c 'print(\"ls x\")' | sh"]);
    harmless(&[
        "python3 -c 'print(\"rm -rf /\")'",
        "python3 -c 'print(\"rm -rf /\")' | cat",
        "python3 -c 'print(\"rm -rf /\")' > notes; cat notes",
        "find . -fprintf x 'rm -rf /'; cat x",
        "find . -name '*.o' -printf 'rm -f %p\\n' | sh",
        "ls | awk '{print \"rm -rf ./\" $1}' | sh",
        "ls | awk '{print \"mv \" $1 \" \" $1 \".bak\"}' | sh",
        "python3 -c 'print(\"rm -rf /\" + \"tmp/x\")' | sh",
        "perl -e 'print \"rm -rf ./\" . $x' | sh",
        "rm -rf \"$(python3 -c 'import tempfile; print(tempfile.mkdtemp(\"/\"))')\"",
        "rm -rf $(python3 -c 'print(\"/\".join([\"a\", \"b\"]))')",
        "git log --format='%H %s' | while read -r h s; do echo \"$h\"; done",
    ]);
}
