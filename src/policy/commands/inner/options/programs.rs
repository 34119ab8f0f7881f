//! Programs with their own syntax for a command that they run.

use crate::policy::commands::analysis::Input;
use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::commands::variables::runs_code;

use super::written::values;

/// Returns a name for what the arguments of a program make it run; `None` if they run nothing.
pub(super) fn runs(name: &str, words: &[Field], input: &Input) -> Option<&'static str> {
    let texts = || words.iter().skip(1).map(|field| field.text.as_str());
    // Clients of databases and editors read commands from their input.
    let commands = || texts().chain(input.text.as_deref()).flat_map(str::lines);
    let (is_run, what) = match name {
        "make" | "gmake" => (texts().any(sets_code) || reads_rules(words), "rules of make"),
        "socat" => (texts().any(is_command_address), "an address of socat"),
        "vim" | "vi" | "nvim" | "ex" | "view" => (texts().any(is_editor_command), "a command of an editor"),
        "less" | "more" | "most" => {
            let does_more = |text: &str| text.strip_prefix('+').is_some_and(|command| !moves(command));
            (texts().any(does_more), "a command of a pager")
        }
        "gdb" | "lldb" => (
            texts().any(|text| {
                ["-ex", "--eval-command", "-x", "-o", "-s"].iter().any(|option| text.starts_with(option))
            }),
            "a command of a debugger",
        ),
        "gh" => (sets_alias(words), "a setting of gh"),
        "go" => {
            let is_setting = texts().next() == Some("env") && texts().any(|text| text == "-w");
            (is_setting || texts().any(|text| text.contains("-extld")), "an option of go")
        }
        "wget" | "apt" | "apt-get" => (texts().any(is_run_setting), "a setting"),
        "npm" => (texts().any(|text| text.starts_with("scripts.")), "a script of npm"),
        "yarn" | "pnpm" => (takes_line(words), "a command line of a package manager"),
        "sqlite3" | "sqlite" => (commands().any(is_command_of_sqlite), "a command of a client"),
        "mysql" | "mariadb" | "psql" => {
            (commands().any(|text| text.contains("\\!") || text.contains("system ")), "a command of a client")
        }
        "ed" | "dc" => (commands().any(|text| text.contains('!')), "a command of an editor"),
        "expect" | "osascript" => (texts().any(|text| matches!(text, "-c" | "-e")), "a script"),
        "cmake" => (texts().any(|text| text == "-P"), "a script of cmake"),
        _ => return None,
    };
    is_run.then_some(what)
}

/// Characters in a value by which make, or the shell of a recipe, runs a command.
const CODE_CHARACTERS: [char; 9] = ['$', '`', ';', '|', '&', '<', '>', '(', '\n'];

/// Returns whether an argument of make sets a variable to code: `SHELL=cmd`, `X!=cmd`, `X=$(shell cmd)`,
/// `X=;cmd`.
fn sets_code(text: &str) -> bool {
    let Some((name, value)) = assigned(text) else { return false };
    name.ends_with('!') || value.contains(CODE_CHARACTERS) || matches!(name, "SHELL" | ".SHELLFLAGS")
}

/// Returns the variable of make through which a rule runs another program: `CC=cmd`.
pub(super) fn variable_of_make(name: &str, words: &[Field]) -> Option<String> {
    let is_make = matches!(name, "make" | "gmake");
    let mut names = words.iter().skip(1).filter_map(|field| Some(assigned(&field.text)?.0));
    names.find(|name| is_make && runs_code(name) && !matches!(*name, "PREFIX")).map(str::to_owned)
}

/// Reads an argument of make that sets a variable.
fn assigned(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=').filter(|(name, _)| !name.starts_with('-'))?;
    Some((name.trim_end_matches([':', '+', '?', ' ']), value))
}

/// Returns whether make reads rules from its input: `make -f -`.
fn reads_rules(words: &[Field]) -> bool {
    let files = values(words, "f", &["file", "makefile"], "CIoWE");
    files.iter().any(|file| file.text == "-" || file.text.starts_with("/dev/"))
}

/// Returns whether an address of socat is a command: `EXEC:'command'`.
fn is_command_address(text: &str) -> bool {
    let kind = text.split(':').next().unwrap_or_default().to_ascii_lowercase();
    text.contains(':') && matches!(kind.as_str(), "exec" | "system" | "shell")
}

/// Returns whether a line of sqlite runs a command, loads code, or writes a file: `.shell`, whose name may be
/// abbreviated.
fn is_command_of_sqlite(line: &str) -> bool {
    let word = line.trim_start().strip_prefix('.').and_then(|rest| rest.split([' ', '\t', '|']).next());
    let is_command = |word: &str| {
        word.len() > 1 && ["shell", "system", "load", "read"].iter().any(|name| name.starts_with(word))
            || line.contains('|')
    };
    word.is_some_and(is_command) || ["load_extension(", "writefile("].iter().any(|call| line.contains(call))
}

/// Returns whether an argument of an editor runs a command line, or is a command other than a movement.
fn is_editor_command(text: &str) -> bool {
    let ends = |command: &str| moves(command) || matches!(command, "q" | "qa" | "qall" | "wq" | "x" | "w");
    let has_escape = text.starts_with(['+', '-', ':', '!']) && text.contains('!') && !text.ends_with('!');
    has_escape
        || text.contains('!') && text.contains(' ')
        || text.strip_prefix('+').is_some_and(|command| !ends(command))
}

/// Returns whether the first command of a pager or an editor is a line, a search, or the end of the file.
fn moves(command: &str) -> bool {
    command.starts_with(['/', '?'])
        || command.chars().all(|char| char.is_ascii_digit() || "gGF%p+".contains(char))
}

/// Returns whether `gh` stores a command line for later, or passes options to git.
fn sets_alias(words: &[Field]) -> bool {
    let operands: Vec<&str> =
        words[1..].iter().map(|field| field.text.as_str()).filter(|text| !text.starts_with('-')).collect();
    let clones = matches!(operands.as_slice(), ["repo", "clone" | "fork" | "create", ..]);
    matches!(operands.as_slice(), ["alias", "set" | "import", ..] | ["config", "set", ..])
        || clones && words.iter().any(|field| field.text == "--")
}

/// Returns whether a setting names a command: `wget -e use_askpass=prog`, `apt-get -o
/// DPkg::Pre-Invoke::=prog`.
fn is_run_setting(text: &str) -> bool {
    let name = text.rsplit_once('=').map_or("", |(name, _)| name).to_ascii_lowercase().replace('-', "_");
    ["invoke", "askpass"].iter().any(|setting| name.contains(setting))
}

/// Returns whether `yarn exec` and `pnpm exec` get a command line as one word.
fn takes_line(words: &[Field]) -> bool {
    let Some(at) = words.iter().position(|field| matches!(field.text.as_str(), "exec" | "dlx")) else {
        return false;
    };
    let first = words[at + 1..].iter().find(|field| !field.text.starts_with('-'));
    first.is_some_and(|field| field.text.contains(char::is_whitespace) || field.text.starts_with(UNKNOWN))
}
