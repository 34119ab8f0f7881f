use std::process::{Command, Stdio};

use proptest::prelude::*;

use super::{Syntax, is_simple};

fn in_bash(command: &str) -> bool {
    is_simple(command, Syntax::Bash)
}

#[test]
fn what_agents_run_most_is_simple() {
    for command in [
        "true",
        "git status --short && npm test 2>&1 | tail -20",
        "cd src; ls -la *.rs | wc -l",
        "grep -rn \"some $WORD\" 'in here' --include=*.ts || echo none",
        "echo $(git rev-parse HEAD) ${HOME} $? > /tmp/x 2>/dev/null",
        "FOO=1 BAR=\"2 3\" make | sort >> out.txt",
        "sleep 1 & wait",
        "a\nb\n\nc &&\n d",
        "echo \"nested $(echo \"deep $(echo x)\")\"",
        "find . -name '*.js' -exec grep -l foo {} \\;",
        "echo {a,b} [x] ~ ! a=b",
        "[ -f x ] && . ./x",
        "> file echo",
        "",
        " \n",
    ] {
        assert!(in_bash(command), "{command}");
    }
}

#[test]
fn what_may_not_parse_is_left_alone() {
    for command in [
        "if true; then echo; fi",
        "for x in a; do echo $x; done",
        "cat <<E\nE",
        "f() { :; }",
        "(cd x)",
        "{ a; }",
        "[[ a ]]",
        "echo $((1+1))",
        "echo `a`",
        "echo ${x:-y}",
        "a &&",
        "> file",
        "a | | b",
        "; a",
        "a ;; b",
        "a & & b",
        "'open",
        "\"open",
        "a >",
        "a > > b",
        "a |& b",
        "a &> b",
        "a <(b)",
        "# comment",
        "a )",
        "$(a",
        "trailing\\",
        "echo $'x'",
        "a\rb",
        "d\\\no",
        "se\\\nt -x",
    ] {
        assert!(!in_bash(command), "{command}");
    }
}

#[test]
fn what_reads_or_changes_the_state_of_the_shell_is_left_alone() {
    for command in [
        "set -x; a",
        "echo $_",
        "'eval' a",
        "a; caller",
        "\\shopt -s x",
        "echo ${zsh_eval_context}",
        "printenv SHLVL",
    ] {
        assert!(!in_bash(command), "{command}");
    }
}

#[test]
fn zsh_gets_one_line() {
    assert!(is_simple("a; b\n", Syntax::Zsh));
    assert!(!is_simple("a\nb", Syntax::Zsh));
}

#[test]
fn zsh_gets_no_script_to_source_and_nothing_for_the_background() {
    for command in [". ./x", "source x", "a & b", "a {b}", "=a"] {
        assert!(!is_simple(command, Syntax::Zsh), "{command}");
    }
}

#[test]
fn a_long_command_is_left_alone() {
    assert!(!in_bash(&"x".repeat(super::MAX_LENGTH + 1)));
}

/// `zsh -n` checks for more than syntax errors.
fn parses(shell: &str, command: &str) -> bool {
    // The space keeps the shell from taking the command for a flag.
    let command = format!(" {command}");
    let output =
        Command::new(shell).args(["-n", "-c", &command]).stdin(Stdio::null()).output().expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    !said.contains("syntax error") && !said.contains("parse error") && !said.contains("unexpected EOF")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn what_is_simple_parses(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "a", "b1", "if", "done", "in", "!", "{", "}", "[[", "=", "x=1", " ", " ", " ", "\n", ";", ";",
                "&", "&&", "||", "|", "<", ">", ">>", "2>&1", ">&-", "(", ")", "$(", "$x", "${y}", "$", "\"",
                "\"", "'", "'", "\\", "#", "`", "*", "~", "é", "-", "/", "time", "coproc", "case",
            ]),
            0..12,
        )
    ) {
        let command = pieces.concat();
        if in_bash(&command) {
            prop_assert!(parses("bash", &command), "{command}");
        }
        if is_simple(&command, Syntax::Zsh) && std::path::Path::new("/bin/zsh").exists() {
            prop_assert!(parses("/bin/zsh", &command), "{command}");
        }
    }
}
