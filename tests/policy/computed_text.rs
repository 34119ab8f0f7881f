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
        "read -rp 'Continue? '; [[ $REPLY =~ ^[Yy]$ ]] && rm -rf build",
        "read -r a b <<< 'rm -rf /'; echo \"$b\" \"$a\"",
        "read -r name dir <<< 'x build'; rm -rf \"$dir\"",
    ]);
}
