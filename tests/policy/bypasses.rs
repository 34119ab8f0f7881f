//! Tricks that hide a command: each line runs `rm`, or may run it, and no line may be allowed.

use super::{allowed, asked, denied, never_allowed};

const RM: &[&str] = &["Bash(rm:*)"];

#[test]
fn a_name_in_any_spelling_is_denied() {
    denied(
        RM,
        &[
            "rm x",
            "'rm' x",
            "\"rm\" x",
            "r''m x",
            "r\"\"m x",
            "\\rm x",
            "r\\m x",
            "$'rm' x",
            "$'\\x72m' x",
            "$'\\162\\155' x",
            "$'\\u0072m' x",
            "$\"rm\" x",
            "r\\\nm x",
            "/bin/rm x",
            "/usr/bin/../bin/rm x",
            "./rm x",
            "../../bin/rm x",
            "{rm,x}",
            "{rm,-rf,x}",
            "a=rm; $a x",
            "$(echo rm) x",
            "$(printf %s rm) x",
            "`echo rm` x",
            "`printf r``echo m` x",
            "for c in rm; do $c x; done",
            "declare c=rm; $c x",
            "local c=rm; $c x",
            "rm${IFS}x",
            "c='rm x'; $c",
        ],
    );
}

#[test]
fn a_command_in_any_construct_is_denied() {
    denied(
        RM,
        &[
            "ls; rm x",
            "ls;rm x",
            "ls\nrm x",
            "ls\r\nrm x",
            "ls & rm x",
            "ls && rm x",
            "ls || rm x",
            "ls | rm x",
            "ls |& rm x",
            "ls |\nrm x",
            "ls && # c\nrm x",
            "(rm x)",
            "( (rm x) )",
            "{ rm x; }",
            "! rm x",
            "! ! rm x",
            "time rm x",
            "time -p rm x",
            "coproc rm x",
            "coproc N { rm x; }",
            "if rm x; then :; fi",
            "if :; then rm x; fi",
            "if :; then :; elif rm x; then :; fi",
            "if :; then :; else rm x; fi",
            "while rm x; do :; done",
            "until :; do rm x; done",
            "for i in a; do rm x; done",
            "for i in $(rm x); do :; done",
            "for ((i=$(rm x);;)); do :; done",
            "for ((;;)) { rm x; }",
            "select i in a; do rm x; done",
            "case a in a) rm x;; esac",
            "case $(rm x) in a) ;; esac",
            "case a in $(rm x)) ;; esac",
            "case a in (a) :;& b) rm x;; esac",
            "f() { rm x; }",
            "f() { rm x; }; f",
            "function f { rm x; }",
            "function f() (rm x)",
            "f() if :; then rm x; fi",
            "echo $(rm x)",
            "echo \"$(rm x)\"",
            "echo `rm x`",
            "echo \"`rm x`\"",
            "echo `echo \\`rm x\\``",
            "echo $(echo $(echo $(rm x)))",
            "echo <(rm x)",
            "echo >(rm x)",
            "ls > >(rm x)",
            "ls < <(rm x)",
            "a=$(rm x)",
            "a=(1 $(rm x))",
            "a[$(rm x)]=1",
            "a+=$(rm x) ls",
            "declare -A a=([$(rm x)]=1)",
            "echo ${a[$(rm x)]}",
            "echo ${a:-$(rm x)}",
            "echo ${a:+$(rm x)}",
            "echo ${a:=$(rm x)}",
            "echo ${a:?$(rm x)}",
            "echo ${a/$(rm x)/b}",
            "echo ${a#$(rm x)}",
            "echo ${a:$(rm x)}",
            "echo \"${a:-\"$(rm x)\"}\"",
            "echo $((1+$(rm x)))",
            "echo $((`rm x`))",
            "(( $(rm x) ))",
            "((a[$(rm x)]))",
            "[[ $(rm x) ]]",
            "[[ a == $(rm x) ]]",
            "[[ a =~ $(rm x) ]]",
            "test $(rm x)",
            "let \"a=$(rm x)\"",
            "cat <<E\n$(rm x)\nE",
            "cat <<E\n`rm x`\nE",
            "cat <<-E\n\t$(rm x)\n\tE",
            "cat <<\"E\" <<F\nq\nE\n$(rm x)\nF",
            "cat <<E\n${a:-$(rm x)}\nE",
            "cat <<E\nq\nE\nrm x",
            "cat <<'E'\nq\nE\nrm x",
            "cat <<E; rm x\nq\nE",
            "cat <<E && rm x\nq\nE",
            "cat <<E | sh\nrm x\nE",
            "cat <<< $(rm x)",
            "cat <<< \"`rm x`\"",
            "ls 2>$(rm x)",
            "> x rm y",
            "2>&1 rm x",
            "a=1 rm x",
            "a=1 b=2 >o rm x",
            "rm x # y",
            "# y\nrm x",
            "echo a#b; rm x",
            "echo 'a\\'; rm x",
            "echo \"a\\\"\"; rm x",
            "echo $'a\\''; rm x",
            "echo \\\\; rm x",
            "echo 'a' \"b'c\" ; rm x #'",
            "echo \"$\\\n(rm x)\"",
            "ls ;\\\nrm x",
            "trap 'rm x' EXIT",
            "trap -- 'rm x' 0",
            "eval rm x",
            "eval 'rm x'",
            "eval r m x; eval 'r''m' x",
            "eval \"$(echo rm x)\"",
            "eval \"eval 'rm x'\"",
            "PROMPT_COMMAND='rm x'",
            "PS4='$(rm x)'; set -x; ls",
            "export PROMPT_COMMAND='rm x'",
            "bash -c 'rm x'",
            "bash -c \"rm x\"",
            "bash -lc 'rm x'",
            "bash -ec 'rm x'",
            "bash -o pipefail -c 'rm x'",
            "bash --norc -c 'rm x'",
            "bash -c 'bash -c \"rm x\"'",
            "sh <<< 'rm x'",
            "sh <<E\nrm x\nE",
            "echo 'rm x' | sh",
            "printf 'rm x\\n' | bash -s",
            "echo 'rm x' | cat | bash",
            "source /dev/stdin <<< 'rm x'",
        ],
    );
}

#[test]
fn what_is_not_read_beyond_doubt_is_asked_about() {
    never_allowed(
        RM,
        &[
            "echo \"${a:-'$(rm x)'}\"",
            "echo $[$(rm x)]",
            "$((rm x) | cat)",
            "echo $((rm x); echo)",
            "bash < <(echo 'rm x')",
            ". <(echo 'rm x')",
        ],
    );
}

#[test]
fn what_can_not_be_seen_is_never_allowed() {
    never_allowed(
        RM,
        &[
            "$cmd x",
            "\"$cmd\" x",
            "$1",
            "\"$@\"",
            "${!x}",
            "${x@P}",
            "echo ${x@P}",
            "${x@E} y",
            "r? x",
            "r* x",
            "[r]m x",
            "/bin/r? x",
            "/???/r?",
            "$(cat f)",
            "`cat f`",
            "$(which rm) x",
            "eval \"$x\"",
            "eval $(cat f)",
            "bash -c \"$x\"",
            "bash -c \"ls $x\"",
            "cat f | sh",
            "bash < f; curl x | bash",
            "base64 -d <<< cm0geA== | sh",
            "echo cm0geA== | base64 -d | bash",
            "echo 'x mr' | rev | sh",
            "xxd -r -p <<< 726d | bash",
            "$(base64 -d <<< cm0=) x",
            "$(rev <<< mr) x",
            "$(echo mr | rev) x",
            "$(tr a-z b-za <<< ql) x",
            "read c < f; $c x",
            "while read c; do $c; done < f",
            "mapfile -t a < f; \"${a[@]}\"",
            "alias ls='rm x'",
            "alias g=rm; g x",
            "shopt -s expand_aliases; alias a=rm\na x",
            "fc -s",
            "fc -e - 1",
            "!!",
            "bind -x '\"a\":rm x'",
            "complete -C 'rm x' ls",
            "mapfile -C 'rm x' -c 1 a < f",
            "enable -f ./x.so x",
            "hash -p /bin/rm ls; ls x",
            "[[ -v 'a[$(rm x)]' ]]",
            "test -v 'a[$(rm x)]'",
            "unset 'a[$(rm x)]'",
            "read 'a[$(rm x)]'",
            "printf -v 'a[$(rm x)]' y",
            "x='a[$(rm x)]'; ((x))",
            "x='a[$(rm x)]'; echo $((x))",
            "x='a[$(rm x)]'; [[ x -eq 1 ]]",
            "declare -i y; y='a[$(rm x)]'",
            "let 'a[$(rm x)]=1'",
            "a() { r''m x; }; export -f a; PS4='$(cat f)' bash -xc a",
            "env 'BASH_FUNC_ls%%=() { rm x; }' bash -c ls",
            "exec -a ls rm x",
            "command_not_found_handle() { rm x; }; zzz",
            "sed '1e rm x' f",
            "sed 's/a/rm x/e' f",
            "awk 'BEGIN { system(\"rm x\") }'",
            "awk 'BEGIN { \"rm x\" | getline }'",
            "find . -exec sh -c 'rm \"$1\"' _ {} \\;",
            "xargs -a f sh -c",
            "ls | xargs -I{} sh -c 'r{} x'",
            "echo m | xargs -I{} r{} x",
            "echo rm x | xargs -n2 env",
            "echo 'rm x' | xargs -I% sh -c %",
            "echo 'rm x' | xargs sh -c",
            "vim -c ':!rm x'",
            "git -c alias.x='!rm x' x",
            "git -c core.pager='rm x' log",
            "git -c core.sshCommand='rm x' fetch",
            "git config alias.x '!rm x'; git x",
            "tar cf a b --checkpoint=1 --checkpoint-action=exec='rm x'",
            "tar -I 'rm x' -xf a",
            "ssh -o ProxyCommand='rm x' h",
            "rsync -e 'rm x' a b:",
            "zip a.zip f -T -TT 'rm x'",
            "man -P 'rm x' ls",
            "split --filter='rm x' f",
            "make -f - <<< 'all:;rm x'",
            "parallel ::: 'rm x'",
            "echo 'rm x' | parallel",
            "echo 'rm x' | at now",
            "echo 'rm x' | batch",
            "crontab <<< '* * * * * rm x'",
            "python -c 'import os; os.system(\"rm x\")'; $x",
            "ls &&",
            "echo 'x",
            "echo $(rm x",
            "if ls; then",
            "ls ) rm x",
            "cat <<E\n$(rm x)",
            "echo ${a[$(rm x)]",
        ],
    );
}

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
    super::allowed(
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
fn an_allow_rule_covers_no_other_command() {
    for rule in ["Bash(git:*)", "Bash(git status:*)", "Bash(git *)"] {
        asked(
            &[rule],
            &[
                "git status; id",
                "git status\nid",
                "git status && id",
                "git status | id",
                "git status & id",
                "git status $(id)",
                "git status `id`",
                "git status <(id)",
                "git status > /etc/x",
                "git status > $f",
                "git status >> ~/.bashrc",
                "env GIT_PAGER=id git status",
                "GIT_EXTERNAL_DIFF=id git status",
                "PATH=. git status",
                "LD_PRELOAD=./x.so git status",
                "env -i PATH=/x git status",
                "env --chdir=/x -S 'git status'",
                "./git status",
                "/tmp/git status",
                "bin/git status",
                "gi? status",
                "$git status",
                "sudo git status",
                "ssh h git status",
                "find . -exec git status \\;",
                "git -c core.fsmonitor=id status",
                "git --exec-path=/x status",
                "git --config-env=a=b status",
                "git -ccore.fsmonitor=id status",
                "git --git-dir=/x status",
                "git --work-tree=/ status",
                "export GIT_DIR=/x; git status",
                "declare -x GIT_DIR=/x; git status",
                "typeset -x PATH=/x; git status",
                "readonly PATH=/x; git status",
                "PATH=/x; git status",
                "read PATH; git status",
                "printf -v PATH /x; git status",
                "for PATH in /x; do git status; done",
                "((PATH=1)); git status",
                ": ${PATH:=/x}; git status",
                "git() { id; }; git status",
                "alias git=id\ngit status",
                "hash -p ./x git; git status",
                "source x; git status",
                "cd /x && ./git status",
                "bash -i -c 'git status'",
                "bash --rcfile x -c 'git status'",
                "BASH_ENV=x bash -c 'git status'",
                "ENV=x sh -c 'git status'",
                "nsenter -t 1 git status",
                "chroot / git status",
                "docker exec c git status",
            ],
        );
    }
}

#[test]
fn history_expansion_is_off_and_needs_no_question() {
    // A shell that is not interactive does not expand `!`: bash prints it.
    super::allowed(&["Bash(echo:*)"], &["echo hi!", "echo !!", "echo \"!x\"", "echo a !$"]);
}

#[test]
fn a_pattern_among_positional_parameters_may_be_any_file() {
    super::never_allowed(
        &["Bash(rm:*)"],
        &[
            "set -- *rm; \"$@\"",
            "set -- {*rm,x}; \"$@\"",
            "f() { \"$@\"; }; f *rm x",
            "bash -c '\"$@\"' bash *rm",
            "set -- *; $2",
            "set -- $(x) rm; $1",
        ],
    );
}

#[test]
fn a_pattern_behind_find_may_be_a_file_called_exec() {
    super::never_allowed(&["Bash(rm:*)"], &["find . -exe*c rm {} \\;", "find . *c rm {} +"]);
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
fn a_rule_about_a_script_covers_no_other_content_of_it() {
    let rules = ["Bash(echo:*)", "Bash(python3 a.py)", "Bash(node a.js:*)"];
    allowed(&rules, &["python3 a.py", "node a.js x", "echo x > b.py; python3 a.py"]);
    never_allowed(&rules, &["echo x > a.py; python3 a.py", "echo x > a.js && node a.js"]);
    allowed(&["Bash(echo:*)", "Bash(python3:*)"], &["echo x > a.py; python3 a.py"]);
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
fn a_value_that_doubles_again_and_again_ends_the_search() {
    never_allowed(&["Bash(rm:*)"], &[&format!("a=b;{}$a", "a=$a$a;".repeat(60))]);
}

#[test]
fn a_line_that_goes_on_inside_backticks_is_joined_in_quotes_too() {
    denied(&["Bash(rm:*)"], &["h=`'\\\nrm' x`", "echo \"`'r\\\nm' x`\"", "h=`\"\\\nrm\" x`"]);
}

#[test]
fn a_file_named_by_a_variable_that_may_be_another_one_is_asked_about() {
    asked(
        &[
            "Bash(echo:*)", "Bash(cat:*)", "Bash(unset:*)", "Bash(read:*)", "Bash(.:*)", "Bash(ls:*)",
            "Bash(which:*)",
        ],
        &[
            "n=../../x; echo x > \"logs/$n.log\"",
            "for n in a ../../b; do echo x > \"logs/$n.log\"; done",
            "for n in a b c d e f ../../b; do echo x > \"logs/$n.log\"; done",
            "n=a; unset n; echo x > \"$n/etc/x\"",
            "n=a; read n < f; echo x > \"$n/x\"",
            "n=a; . ./f; echo x > \"$n/x\"",
            "n=a; if ls; then n=/etc; fi; echo x > \"$n/x\"",
            "if ls; then n=a; fi; echo x > \"$n/x\"",
            "n=a | echo x > \"$n/x\"",
            "while ls; do echo x > \"$n/x\"; n=$n/..; done",
            "select n in a b; do echo x > \"$n/etc/x\"; done",
            "for n in a b; do ls; done; echo x > \"$n/x\"",
            "n=$(cat f); echo x > \"logs/$n.log\"",
            "n=$(which ls); echo x > \"$n\"",
            "for f in *.txt; do echo x > \"out/$f\"; done",
            "f() { echo x > \"$1\"; }; f a; f /etc/x",
            "f() { echo x > \"$1\"; }; f \"$(cat g)\"",
            "n=.git; echo x > $n/hooks/x",
        ],
    );
}

#[test]
fn a_file_that_an_option_writes_is_judged_like_that_of_a_redirection() {
    for (rule, text) in [
        ("Bash(git log:*)", "git log --format='[core]%nfsmonitor=x' --output=.git/config -1"),
        ("Bash(git log:*)", "git log --format=%B --output ../../.bashrc"),
        ("Bash(git diff:*)", "git diff --output=\"$x\""),
        ("Bash(git archive:*)", "git archive -o /etc/x HEAD"),
        ("Bash(git:*)", "git format-patch -o ../x HEAD~1"),
        ("Bash(sort:*)", "sort -o ~/.bashrc f"),
        ("Bash(sort:*)", "sort -uo/etc/x f"),
        ("Bash(sort:*)", "sort --out=.git/config f"),
        ("Bash(uniq:*)", "uniq -c f ../x"),
        ("Bash(shuf:*)", "shuf -e a -o ../x"),
        ("Bash(tree:*)", "tree -o ../x"),
        ("Bash(xxd:*)", "xxd -r f ../x"),
        ("Bash(iconv:*)", "iconv -o ../x f"),
        ("Bash(less:*)", "less -o ../x f"),
        ("Bash(find:*)", "find . -fprintf ../x %f"),
        ("Bash(find:*)", "find . -fprint .git/hooks/x"),
        ("Bash(awk:*)", "awk '{print > \"../x\"}' f"),
        ("Bash(awk:*)", "awk '{print $1, $2 >> \"/etc/x\"}' f"),
        ("Bash(awk:*)", "awk -v f=../x '{print > f}' f"),
        ("Bash(sed:*)", "sed -n 's/a/b/w .git/config' f"),
        ("Bash(sed:*)", "sed -i s/a/b/ ../x"),
        ("Bash(sed:*)", "sed -ni.bak p .git/config"),
    ] {
        asked(&[rule], &[text]);
    }
    for (rule, text) in [
        ("Bash(git log:*)", "git log -p --output=x"),
        ("Bash(sort:*)", "sort -t o -uo x f"),
        ("Bash(uniq:*)", "uniq -f 2 f"),
        ("Bash(uniq:*)", "uniq f x"),
        ("Bash(awk:*)", "awk '$1 > 5 {print $2}' f"),
        ("Bash(awk:*)", "awk '{print ($1 > 5)}' f"),
        ("Bash(awk:*)", "awk '{print $1 > \"x\"; print \"a > b\"}' f"),
        ("Bash(awk:*)", "awk '{print $1 > \"/dev/stderr\"}' f"),
        ("Bash(sed:*)", "sed -i s/a/b/ x"),
        ("Bash(sed -i s/a/b/ ../x)", "sed -i s/a/b/ ../x"),
        ("Bash(find:*)", "find . -fprint x"),
    ] {
        allowed(&[rule], &[text]);
    }
}

#[test]
fn a_script_with_text_from_outside_is_never_allowed_unseen() {
    never_allowed(
        &["Bash(rm:*)"],
        &[
            "sed \"s/a/$(cat f)/\" g",
            "x=$(cat f); sed \"s/a/$x/\" g",
            "sed -nf x g",
            "sed --fil=x g",
            "awk \"/$(cat f)/\" g",
            "awk \"$(cat f)\" g",
        ],
    );
    allowed(
        &["Bash(sed:*)", "Bash(awk:*)", "Bash(cat:*)", "Bash(wc:*)"],
        &[
            "sed \"s/a/$x/\" g",
            "sed -n \"$(wc -l < f)p\" g",
            "awk -v x=\"$(cat f)\" '{print x}' g",
            "sed -n '1,5p' \"$(cat f)\"",
        ],
    );
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

#[test]
fn rules_that_the_same_command_line_writes_are_not_run_unseen() {
    let rules = ["Bash(echo:*)", "Bash(make test)", "Bash(npm test)", "Bash(awk -f p.awk:*)"];
    allowed(&rules, &["echo x > notes; make test", "make test", "npm test"]);
    allowed(&["Bash(echo:*)", "Bash(npm install)"], &["echo '{}' > package.json; npm install"]);
}

#[test]
fn names_of_files_are_unknown_commands_and_code() {
    let rules =
        ["Bash(echo:*)", "Bash(cat:*)", "Bash(eval:*)", "Bash(printf:*)", "Bash(let:*)", "Bash(unset:*)"];
    never_allowed(
        &rules,
        &[
            "eval cat *",
            "eval echo a?",
            "bash -c *",
            "echo cat * | sh",
            "printf 'cat %s\\n' * | cat | sh",
            "for f in *; do eval \"cat $f\"; done",
            "for f in *; do bash -c \"cat $f\"; done",
            "for f in *; do echo \"cat $f\" | sh; done",
            "for f in /bin/r?; do \"$f\" x; done",
            "for f in r?; do \"/bin/$f\" x; done",
            "for f in /bin/rm?; do \"${f%?}\" x; done",
            "for f in /bin/rm?; do ${f%?} x; done",
            "for f in /bin/rm?; do $(echo \"${f%?}\") x; done",
            "for f in /bin/rm?; do f+=(x); \"${f[0]}\" x; done",
            "for f in a?; do x=abrm; \"${x#\"$f\"}\"; done",
            "for f in /bin/r?; do bash -c '\"$0\" x' \"$f\"; done",
            "let *",
            "unset *",
            "for f in *; do awk \"$f\" x; done",
        ],
    );
    allowed(
        &rules,
        &[
            "for f in *.ts; do cat \"$f\"; done",
            "for f in *.ts; do echo \"${f%.ts}\"; done",
            "eval 'cat *'",
            "bash -c 'cat *.ts'",
            "unset a[0]",
        ],
    );
}
