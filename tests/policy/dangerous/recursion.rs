//! Functions that call themselves: fork bombs, and recursion that ends.

use crate::{dangerous, harmless};

#[test]
fn recursion_that_multiplies_processes_is_dangerous() {
    dangerous(&[
        "f() { f | f; }; f",
        "f() { f & f; }; f",
        "f() { f; f & }; f",
        "f() { f & }; f",
        "f() { f & }",
        "f() { f | cat; }; f",
        "f() { cat | f; }; f",
        "f(){ (f | cat) ; f; }; f",
        "spawn() { spawn & }; spawn",
        "spawn() { echo x; sleep 1; spawn | cat; }; spawn",
        "f() { [ -e x ] && f & f & }; f",
        "f() { while true; do f & done; }; f",
        "f() { ls || f & }; f x | cat; f() { f & f; }",
        "f() { (exit 1); f & }; f",
        "f() { echo x | while read -r y; do return; done; f & }; f",
        "function f { f | f; }; f",
        "f() ( f | f ); f",
    ]);
}

#[test]
fn recursion_that_ends_or_runs_in_the_foreground_is_harmless() {
    harmless(&[
        "f() { if echo a | grep b; then return 0; fi; f $1; }; f x",
        "f() { f; }; f",
        "f() { f; f; }; f",
        "f() { (f); }; f",
        "up() { ls | grep -q x && return; cd ..; up; }; up",
        "up() { if ls | grep -q x; then pwd; else cd ..; up; fi; }; up",
        "f() { ls | wc -l; f $1; }; f x",
        "f() { f $1; ls | wc -l; }; f x",
        "f() { sleep 1 & wait; f $1; }; f x",
        "f() { server & wait; f; }; f",
        "f() { while ls | grep -q x; do f $1; done; }; f x",
        "f() { for i in 1 2; do ls | wc -l; f $i; done; }; f x",
        "f() { case $(ls | wc -l) in 0) return;; *) f $1; f $2;; esac; }; f x",
        "f() { case $1 in x) ls | wc -l;; *) f x;; esac; }; f y",
        "f() { ls | wc -l; g; }; g() { date | cat; f; }; f",
        "retry() { make | tee log && return; sleep 1; retry; retry; }; retry",
        "retry() { make && return; sleep 1; retry; }; retry | tee log",
        "retry() { make && return; sleep 1; retry; }; retry &",
        "tree() { ls $1 | while read -r x; do [ -d $1/$x ] && tree $1/$x; done; }; tree .",
        "tree() { for x in $(pgrep -P $1); do tree $x; done | sort; }; tree 1",
        "tree() { for x in $1/*/; do tree $x; done | sort; }; tree .",
        "tree() { [ -d $1 ] || return; tree $1/a | sort; }; tree .",
        "fact() { [ $1 -le 1 ] && echo 1 || echo \"$1 * $(fact $(($1 - 1)))\" | bc; }; fact 3",
        "fact() { if [ $1 -le 1 ]; then echo 1; return; fi; echo \"$1 * $(fact $(($1 - 1)))\" | bc; }; \
         fact 3",
        "down() { [ $1 -gt 0 ] && down $(($1 - 1)) & }; down 3",
        "main() { if [ -z $x ]; then x=1; main | tee log; exit; fi; ls; }; main",
        "ls() { command ls --color \"$@\" | head; }; ls",
        "grep() { command grep \"$@\" | command grep -v x; }; grep a b",
        "g() { command g | cat; }; g",
        "f() { g | g; }; g() { ls; }; f | f",
        "f() { g & g & }; g() { ls; }; f & f &",
    ]);
}
