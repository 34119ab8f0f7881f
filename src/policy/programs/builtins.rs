//! Builtins of shells that run text or their arguments, or only read.

use super::program::{hides, query, reads, runs, transparent, wraps};
use super::{InnerCommands, Offer, Operands, Program, Query, ReadsPath, Synonyms};
use crate::policy::commands::{Field, Inner, StandardInput, Trust, option_text, skip_options, sourced};
use Operands::{Checked, Nothing, Text};

pub(super) const PROGRAMS: &[Program] = &[
    Program { names: &["eval"], runs: InnerCommands::By(eval), offer: Offer::Nothing, ..Program::PLAIN },
    Program {
        names: &["source", "."],
        runs: InnerCommands::By(sourced),
        offer: Offer::Nothing,
        synonyms: Synonyms { names: &[("source", ".")], ..Synonyms::NONE },
        ..Program::PLAIN
    },
    Program { names: &["trap"], runs: InnerCommands::By(trap), offer: Offer::Nothing, ..Program::PLAIN },
    Program { names: &["alias"], runs: InnerCommands::By(alias), offer: Offer::Nothing, ..Program::PLAIN },
    runs(&["mapfile", "readarray"], mapfile),
    runs(&["complete", "compgen"], complete),
    runs(&["bind"], bind),
    runs(&["fc"], fc),
    hides(&["enable"], &["-f"], &[]),
    hides(&["hash"], &["-p"], &[]),
    hides(&["history"], &[], &["-a", "-n", "-p", "-r", "-s", "-w"]),
    reads(&["echo"], Query { must_know: Some(0), ..query("neE", "", "", Text) }),
    reads(&["printf"], Query { check: Some(check_printf), must_know: Some(1), ..query("", "", "", Checked) }),
    reads(&["read"], query("rs", "adnNptu", "", Text)),
    reads(&["true", "false", ":"], Query { must_know: Some(0), ..query("", "", "", Text) }),
    reads(&["pwd"], query("LP", "", "logical physical help version", Nothing)),
    reads(&["type"], query("afpPt", "", "", Text)),
    Program {
        names: &["test", "["],
        query: Some(Query { check: Some(check_test), ..query("", "", "", Checked) }),
        synonyms: Synonyms { names: &[("test", "[")], ..Synonyms::NONE },
        ..Program::PLAIN
    },
    reads(&["cd"], Query { check: Some(check_cd), ..query("LPe@", "", "", Checked) }),
    Program {
        names: &["command"],
        runs: InnerCommands::By(command),
        query: Some(Query { check: Some(check_command), ..query("vV", "", "", Text) }),
        wraps_queries: true,
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    Program {
        names: &["builtin"],
        runs: InnerCommands::Wrapped(&[transparent("", &[], 0)]),
        wraps_queries: true,
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    Program {
        names: &["exec"],
        runs: InnerCommands::Wrapped(&[transparent("a", &[], 0)]),
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    wraps(&["noglob", "nocorrect", "-"], &[transparent("", &[], 0)]),
];

fn eval(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    // `--` ends the options of `eval`, which has no options.
    let start = 1 + usize::from(words.get(1).is_some_and(|field| field.text == "--"));
    let words = words.get(start..).unwrap_or_default();
    let found = if words.is_empty() { Vec::new() } else { Inner::joined(words, "eval", Trust::Transparent) };
    found.into_iter().map(Inner::in_this_shell).collect()
}

fn trap(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    let at = skip_options(words, 1, "", &[]);
    let is_query =
        words[1..at.min(words.len())].iter().any(|field| matches!(field.text.as_str(), "-p" | "-l" | "-P"));
    match words.get(at) {
        // `trap EXIT` and `trap - EXIT` reset, `trap '' INT` ignores.
        Some(field)
            if !is_query && words.len() > at + 1 && field.text != "-" && field.known() != Some("") =>
        {
            vec![Inner::field(field, "trap", Trust::Transparent).in_this_shell()]
        }
        _ => Vec::new(),
    }
}

fn alias(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    let value = |field: &Field| {
        let (_, value) = field.text.split_once('=')?;
        Some(Inner::part(field, value, "alias", Trust::Separate).in_this_shell())
    };
    words[1..].iter().filter_map(value).collect()
}

fn mapfile(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    option_text(words, 'C', "-", "mapfile -C")
}

fn complete(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    let options = ['C', 'F', 'W'].map(|letter| option_text(words, letter, "-", "complete"));
    if options.iter().all(Vec::is_empty) { Vec::new() } else { vec![Inner::unknown_code("complete")] }
}

fn bind(_: &[Field], _: &StandardInput) -> Vec<Inner> {
    vec![Inner::unknown_code("bind")]
}

/// Returns commands of the history, which are unknown.
fn fc(_: &[Field], _: &StandardInput) -> Vec<Inner> {
    vec![Inner::unknown_code("fc")]
}

/// Returns the command of `command`; `command -v` only prints a path.
fn command(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    let at = skip_options(words, 1, "", &[]);
    let asks = words[1..at.min(words.len())].iter().any(|field| field.text.contains(['v', 'V']));
    if asks { Vec::new() } else { Inner::words_from(words, at, Trust::Transparent) }
}

fn check_command(arguments: &[&str], _: ReadsPath) -> Option<String> {
    let asks = arguments.first().is_some_and(|text| matches!(*text, "-v" | "-V"));
    (!asks).then(|| "it runs its arguments".to_owned())
}

fn check_printf(arguments: &[&str], _: ReadsPath) -> Option<String> {
    let sets = arguments.first().is_some_and(|text| text.starts_with("-v"));
    sets.then(|| "it sets a variable".to_owned())
}

fn check_cd(arguments: &[&str], reads_path: ReadsPath) -> Option<String> {
    match arguments.iter().find(|text| !text.starts_with('-')) {
        Some(path) if arguments.len() == 1 && reads_path(path) => None,
        _ => Some("the directory is not known to be in the root".to_owned()),
    }
}

fn check_test(arguments: &[&str], reads_path: ReadsPath) -> Option<String> {
    for pair in arguments.windows(2) {
        let is_file = matches!(
            pair[0],
            "-e" | "-f"
                | "-d"
                | "-r"
                | "-w"
                | "-x"
                | "-s"
                | "-L"
                | "-h"
                | "-b"
                | "-c"
                | "-p"
                | "-S"
                | "-g"
                | "-u"
                | "-k"
                | "-O"
                | "-G"
                | "-N"
                | "-a"
                | "-nt"
                | "-ot"
                | "-ef"
        );
        let is_comparison = matches!(pair[1], "-nt" | "-ot" | "-ef");
        if is_comparison && !reads_path(pair[0]) {
            return Some(format!("{} is outside of the root", pair[0]));
        }
        if is_file && !reads_path(pair[1]) {
            return Some(format!("{} is outside of the root", pair[1]));
        }
        if pair[0] == "-v" || pair[0] == "-R" {
            return Some("it evaluates a variable".to_owned());
        }
    }
    None
}
