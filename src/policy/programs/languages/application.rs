//! Editors and clients of databases, whose arguments or input are commands.

use crate::policy::commands::{Field, Obstacle, StandardInput, values};
use crate::policy::programs::program::hidden;
use crate::policy::programs::text::moves;
use crate::policy::programs::{Language, Program};

const EDITOR: &[&str] = &["-c", "--cmd", "-S", "-s", "-l"];

pub(in crate::policy::programs) const PROGRAMS: &[Program] = &[
    Program {
        names: &["vim", "vi", "nvim", "ex"],
        hidden: hidden(&[], EDITOR),
        obstacle: Some(of_editor),
        language: Some(Language::Arguments),
        ..Program::PLAIN
    },
    Program { names: &["view"], obstacle: Some(of_editor), ..Program::PLAIN },
    Program {
        names: &["emacs"],
        hidden: hidden(&[], &["--eval", "--execute", "-l", "--load", "--script", "-f"]),
        language: Some(Language::Arguments),
        ..Program::PLAIN
    },
    Program {
        names: &["ed"],
        obstacle: Some(of_line_editor),
        language: Some(Language::Arguments),
        ..Program::PLAIN
    },
    Program { names: &["dc"], obstacle: Some(of_line_editor), ..Program::PLAIN },
    Program {
        names: &["sqlite3"],
        hidden: hidden(&[], &["-cmd"]),
        obstacle: Some(of_sqlite),
        ..Program::PLAIN
    },
    Program {
        names: &["sqlite"],
        obstacle: Some(of_sqlite),
        language: Some(Language::Arguments),
        ..Program::PLAIN
    },
    Program {
        names: &["mysql"],
        hidden: hidden(&["--pager"], &["--defaults-file", "--defaults-extra-file"]),
        obstacle: Some(of_sql),
        language: Some(Language::Arguments),
        ..Program::PLAIN
    },
    Program { names: &["mariadb"], obstacle: Some(of_sql), ..Program::PLAIN },
    Program {
        names: &["psql"],
        hidden: hidden(&[], &["-c", "--command", "-f"]),
        obstacle: Some(of_sql),
        writes: Some(|words| values(words, "oL", &["output", "log-file"], "cdfFhpPRTUv")),
        language: Some(Language::Arguments),
        ..Program::PLAIN
    },
];

/// Returns an obstacle if a test holds for one of the lines in the arguments and the input.
fn of_lines(
    words: &[Field],
    input: &StandardInput,
    what: &'static str,
    is_command: impl Fn(&str) -> bool,
) -> Option<Obstacle> {
    let texts = words.iter().skip(1).map(|field| field.text.as_str()).chain(input.text.as_deref());
    texts.flat_map(str::lines).any(is_command).then_some(Obstacle::UnknownCode(what))
}

fn of_sqlite(words: &[Field], input: &StandardInput) -> Option<Obstacle> {
    of_lines(words, input, "a command of a client", is_command_of_sqlite)
}

fn of_sql(words: &[Field], input: &StandardInput) -> Option<Obstacle> {
    let is_command = |text: &str| text.contains("\\!") || text.contains("system ");
    of_lines(words, input, "a command of a client", is_command)
}

fn of_line_editor(words: &[Field], input: &StandardInput) -> Option<Obstacle> {
    of_lines(words, input, "a command of an editor", |text| text.contains('!'))
}

fn of_editor(words: &[Field], _: &StandardInput) -> Option<Obstacle> {
    let runs = words.iter().skip(1).any(|field| is_editor_command(&field.text));
    runs.then_some(Obstacle::UnknownCode("a command of an editor"))
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
