use super::{Syntax, read};

fn is_read(text: &str) -> bool {
    read(text, Syntax::Bash).is_ok()
}

#[test]
fn everyday_commands_are_read() {
    for text in [
        "ls -la",
        "git status && git diff | head -5",
        "cd src; make -j4 2>&1 | tee log",
        "for i in 1 2 3; do echo $i; done",
        "for ((i=0; i<3; i++)); do echo $i; done",
        "if [ -f x ]; then cat x; elif true; then :; else echo no; fi",
        "while read -r l; do echo \"$l\"; done < f",
        "case $x in a|b) ls;; (c) cat;; *) echo;; esac",
        "x=$(date +%s)",
        "echo \"$(git rev-parse --abbrev-ref HEAD)\"",
        "cat <<'EOF' > f\nbody $(rm x)\nEOF\nls",
        "cat <<EOF\n$x `ls`\nEOF",
        "f() { ls; }; f",
        "function g { ls; }",
        "f () ( ls )",
        "[[ $a == b* && -f $c ]] && echo y",
        "[[ $x =~ ^(a|b)$ ]]",
        "((i++))",
        "((a > 3 && b < 4))",
        "echo $((1 + 2 * (3)))",
        "a=(1 2 \"3 4\")",
        "declare -A m=([a]=1 [b]=2)",
        "echo ${x:-y} ${#a[@]} ${a[0]} ${!p*} ${x//a/b} ${x%%.*}",
        "diff <(sort a) <(sort b)",
        "! grep -q x y",
        "time ls",
        "ls &",
        "a & b; c",
        "echo {a,b}{1..3}",
        "find . -name '*.rs' -exec grep x {} \\;",
        "git commit -m \"$(cat <<'EOF'\nIt's (a) message)\nEOF\n)\"",
        "$(case x in a) ls;; esac)",
        "echo a#b # comment",
        "x=1 y=2 env",
        "select x in a b; do ls; done",
        "{ ls; } 2>/dev/null",
        "(cd x && ls)",
        "echo $'a\\nb' $\"x\"",
        "exec 3>f",
        "ls >&2 2>&1 &>x",
        "echo hi {fd}>f",
        "coproc ls",
        "until false; do ls; done",
        "",
        "# only",
        "x=",
        "ls;",
        "ls\n\n",
        "a=1\nb=2\n",
        "cat <<-A <<B\n\tx\n\tA\ny\nB\n",
        "echo `echo \\`ls\\``",
        "echo \"`ls \\\"a b\\\"`\"",
        "echo $x$y\"$z\"'w'",
        "awk '{print $1}' f",
        "jq -r '.a[] | select(.b == \"c\")' f",
    ] {
        assert!(is_read(text), "{text}: {:?}", read(text, Syntax::Bash).err());
    }
}

#[test]
fn what_shells_read_in_different_ways_is_not_read() {
    for text in [
        "$((rm x) | cat)",
        "((rm x) )",
        "((ls x))",
        "echo 'a",
        "echo \"a",
        "echo $(ls",
        "echo `ls",
        "if ls",
        "ls )",
        "}",
        "fi",
        "ls ;; ls",
        "cat <<EOF",
        "cat <<EOF\nx",
        "${ ls; }",
        "echo ${x:-",
        "ls (",
        "echo $[1+1]",
        "\"${x:-'a'}\"",
        "f() ls",
        "; ls",
        "ls && ",
        "| ls",
        "a\0b",
        "ls \\",
        "echo $(cat <<E)\nx\nE\n",
        "cat <<E $(ls\n)\nE\n",
        "$(>o ! ls)",
        ">o time ls",
        "2>&1 coproc ls",
        "x=$(cat <<'E'\na\nE) ' ) `\nE\n)",
        "x=$(cat <<-E\n\ta\n\tE) | ls\nE\n)",
        "ls !(a)",
    ] {
        assert!(!is_read(text), "{text}");
    }
}

#[test]
fn deep_and_long_commands_are_refused() {
    for (open, close) in [
        ("$(", ")"),
        ("{ ", ";}"),
        ("( ", ")"),
        ("${a:-", "}"),
        ("$((1+", "))"),
        ("\"$(", ")\""),
        ("f() { ", ";}"),
        ("coproc ", ""),
    ] {
        let text = format!("{}ls{}", open.repeat(900), close.repeat(900));
        assert!(!is_read(&text), "{open}");
    }
    assert!(!is_read(&"a".repeat(10_001)));
}
