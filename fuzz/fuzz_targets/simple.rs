//! Compares the commands that are simple with a reader that knows only quotes.
//!
//! With `SHELLS=1` in the environment, the shells themselves must also parse each accepted command, which is
//! slower.

#![no_main]

use std::process::{Command, Stdio};

use agent_bash::syntax::Syntax;
use agent_bash::syntax::simple::is_simple;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|command: &str| {
    let in_bash = is_simple(command, Syntax::Bash);
    let in_zsh = is_simple(command, Syntax::Zsh);
    // A command that is simple in zsh is simple in bash too.
    assert!(in_bash || !in_zsh, "{command:?}");
    if !in_bash {
        return;
    }
    assert!(command.len() <= 8 * 1024);
    assert!(!command.contains(|character: char| character.is_control() && !matches!(character, '\n' | '\t')));
    let bare = bare(command).unwrap_or_else(|| panic!("it is open: {command:?}"));
    for unsure in ["`", "<<", "$((", "<(", ">(", ";;", "|&", "&>", "\r"] {
        assert!(!bare.contains(unsure), "{unsure} in {command:?}");
    }
    // Two simple commands on two lines are simple, even with a line break at the end.
    let twice = format!("{command}\n{command}\n");
    if twice.len() <= 8 * 1024 {
        assert!(is_simple(&twice, Syntax::Bash), "twice: {command:?}");
    }
    if std::env::var_os("SHELLS").is_some() {
        assert!(parses("bash", command), "bash: {command:?}");
        assert!(!in_zsh || parses("zsh", command), "zsh: {command:?}");
    }
});

/// Returns the unquoted text outside of substitutions in double quotes, or `None` if a quote is left open.
fn bare(command: &str) -> Option<String> {
    let mut text = String::new();
    // The open double quotes and parentheses, the innermost last.
    let mut open: Vec<char> = Vec::new();
    let mut rest = command.chars().peekable();
    while let Some(character) = rest.next() {
        let is_double = open.last() == Some(&'"');
        match character {
            '\\' => {
                rest.next()?;
                text.push('_');
            }
            '\'' if !is_double => {
                rest.find(|&other| other == '\'')?;
                text.push('_');
            }
            '"' if is_double => drop(open.pop()),
            '"' => {
                open.push('"');
                text.push('_');
            }
            '$' if rest.peek() == Some(&'(') => {
                rest.next();
                open.push('(');
                text.push_str("$(");
            }
            ')' if open.last() == Some(&'(') => {
                open.pop();
                text.push(')');
            }
            _ if is_double && character != '`' => text.push('_'),
            _ => text.push(character),
        }
    }
    open.is_empty().then_some(text)
}

/// Returns whether a shell parses the command. `-n` only parses, but zsh reports more than syntax errors.
fn parses(shell: &str, command: &str) -> bool {
    // The space keeps the shell from taking a command for an option.
    let command = format!(" {command}");
    let output = Command::new(shell).args(["-n", "-c", &command]).stdin(Stdio::null()).output();
    let said = output.map(|output| String::from_utf8_lossy(&output.stderr).into_owned()).unwrap_or_default();
    !["syntax error", "parse error", "unexpected EOF"].iter().any(|words| said.contains(words))
}
