//! Programs whose options or files run other programs.

use super::RM;
use crate::{allowed, asked, denied, never_allowed};

#[test]
fn an_option_that_takes_another_number_of_values_hides_no_command() {
    denied(
        RM,
        &[
            "unshare --setgroups deny rm x",
            "nsenter -t 1 -r rm x",
            "strace -A rm x",
            "parallel {} x ::: rm",
            "env -S rm x",
            "docker run --entrypoint rm alpine -rf x",
            "docker run --entrypoint=rm alpine x",
            "su -c'rm x'",
            "su - a -c'rm x'",
            "sg a 'rm x'",
            "sshpass -p a ssh h rm x",
            "lerna exec -- rm x",
            "npm explore a -- rm x",
            "multipass exec a rm x",
        ],
    );
    never_allowed(
        RM,
        &[
            "env -S 'rm\\_x'",
            "echo rm | xargs --replace=ls ls x",
            "echo rm | xargs -ils ls x",
            "parallel -I ,, ,, x ::: rm",
            "tar cIf 'rm x' a b",
            "timeout $t ls",
            "find . -name $x -exec {} \\;",
            "bash --rcfile <(echo rm x) -i",
            "bash /proc/self/fd/3 3<<< 'rm x'",
            "make -f /dev/stdin <<< 'all:;rm x'",
        ],
    );
}

#[test]
fn an_editor_of_streams_runs_no_program_unseen() {
    asked(
        &["Bash(sed:*)", "Bash(awk:*)"],
        &[
            "sed 's/a;b/id/e' f",
            "sed '\\,x,e id' f",
            "sed -e p -e 'e id' f",
            "sed --expression='e id' f",
            "sed -f script f",
            "sed -n 'w /etc/x' f",
            "sed 's/a/b/w ../x' f",
            "sed \"$script\" f",
            "awk '{print \"\" | c}' c=id f",
            "awk 'BEGIN{f=\"system\"; @f(\"id\")}'",
            "awk -v c=id '{c | getline}' f",
        ],
    );
    allowed(
        &["Bash(sed:*)", "Bash(awk:*)"],
        &[
            "sed 's/a;e b/c/' f",
            "sed -i.bak -E 's#(a|b)#\\1#g' f",
            "sed -n '/e/,/w/p' f",
            "sed \"s/@v@/$v/\" f",
            "sed '$ d' f",
            "sed '1i\\\nexample' f",
            "sed -e ':a' -e 'N' -e '$!ba' -e 's/\\n/,/g' f",
            "awk '/a|b/ { print $2 / 3 }' f",
            "awk -F'|' '{ print $1 }' f",
            "awk -F '|' -v n=1 '$1 == n || !x[$0]++' f",
        ],
    );
}

#[test]
fn a_pattern_behind_find_may_be_a_file_called_exec() {
    never_allowed(&["Bash(rm:*)"], &["find . -exe*c rm {} \\;", "find . *c rm {} +"]);
}

#[test]
fn an_argument_of_git_runs_no_program_unseen() {
    asked(
        &["Bash(git:*)"],
        &[
            "git rebase -xid main",
            "git rebase -ix id main",
            "git clone -uid a b",
            "git grep -nOid x",
            "git fetch-pack --upload-pack=id x",
            "git remote-ext x id",
            "git submodule add ext::id",
            "git archive --remote=ext::id HEAD",
            "git stash show --ext-diff",
            "git config -f.git/local core.pager id",
        ],
    );
}

#[test]
fn words_of_a_value_behind_find_may_be_actions() {
    asked(&["Bash(find:*)"], &["find . $x"]);
}

#[test]
fn an_argument_of_find_that_may_be_an_action_is_asked_about() {
    let rules = ["Bash(find:*)", "Bash(cat:*)"];
    asked(
        &rules,
        &[
            "find . \"$(cat f)\" rm x \\;",
            "find . -print \"$(cat f)\"",
            "find . -noleaf \"$(cat f)\"",
            "find . -e*ec rm x \\;",
            "find . -name x -o \"$(cat f)\"",
        ],
    );
    allowed(
        &rules,
        &[
            "find \"$(cat f)\" -name x",
            "find . -name \"$(cat f)\"",
            "find . -name *.c",
            "find \"$x\" -type f",
        ],
    );
}

#[test]
fn an_option_that_runs_a_program_is_seen_in_each_form() {
    denied(
        &["Bash(rm:*)"],
        &[
            "fd -Hx rm",
            "fd --exec=rm",
            "fd --exec-batch=rm",
            "ssh h -o ProxyCommand='rm x'",
            "ssh h -oLocalCommand='rm x' -o PermitLocalCommand=yes",
            "autossh -M 0 h rm x",
            "gdb -batch -ex run --args rm x",
        ],
    );
    allowed(
        &["Bash(sqlite3:*)", "Bash(psql:*)", "Bash(fd:*)", "Bash(less:*)"],
        &["sqlite3 x 'select a || b from t'", "sqlite3 x .tables", "fd -e x", "fd -tx y", "less +G f"],
    );
}

#[test]
fn a_program_that_the_same_command_line_puts_in_path_is_not_run_unseen() {
    allowed(&["Bash(cp:*)", "Bash(ls:*)"], &["cp /bin/true ls; ls x"]);
}
