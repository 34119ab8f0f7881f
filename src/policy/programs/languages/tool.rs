//! Build tools, compilers, tests and checkers.

use crate::policy::commands::{
    Field, Inner, Obstacle, StandardInput, after_option, runs_code, texts_of, values,
};
use crate::policy::programs::program::{hidden, hides, offered, separate};
use crate::policy::programs::{
    HiddenPrograms, InnerCommands, Language, Offer, Program, Synonyms, Wrapper, without_first,
};

/// Options by which a compiler runs another program, or loads code.
const COMPILER: &[&str] =
    &["-wrapper", "-fplugin", "-B", "-specs", "--specs", "-load", "--ld-path", "--config"];

pub(in crate::policy::programs) const PROGRAMS: &[Program] = &[
    Program {
        names: &["make"],
        hidden: hidden(&["--eval", "-E"], &[]),
        obstacle: Some(of_make),
        language: Some(Language::Rules),
        offer: Offer::Targets,
        ..Program::PLAIN
    },
    Program {
        names: &["gmake"],
        hidden: hidden(&["--eval", "-E"], &[]),
        obstacle: Some(of_make),
        language: Some(Language::Rules),
        ..Program::PLAIN
    },
    Program { names: &["just"], runs: InnerCommands::By(just), offer: Offer::Targets, ..Program::PLAIN },
    Program {
        names: &["cmake"],
        runs: InnerCommands::Wrapped(&[
            Wrapper { subcommand: "env", assigns: true, ..separate("", &[], 0) },
            Wrapper { subcommand: "time", assigns: true, ..separate("", &[], 0) },
            Wrapper { subcommand: "chdir", assigns: true, ..separate("", &[], 1) },
        ]),
        obstacle: Some(of_cmake),
        ..Program::PLAIN
    },
    Program {
        names: &["cargo"],
        runs: InnerCommands::By(cargo),
        hidden: hidden(&[], &["--config"]),
        offer: Offer::Subcommands(&[
            "build", "test", "check", "clippy", "fmt", "doc", "bench", "tree", "nextest",
        ]),
        synonyms: Synonyms { spellings: Some(without_toolchain), ..Synonyms::NONE },
        ..Program::PLAIN
    },
    hides(&["rustc"], &[], &["-C", "-Clinker", "--codegen"]),
    Program {
        names: &["go"],
        hidden: hidden(&["-toolexec", "-exec", "--toolexec", "--exec", "-vettool", "--vettool"], &[]),
        obstacle: Some(of_go),
        offer: Offer::Subcommands(&["build", "test", "vet", "fmt", "list", "doc"]),
        ..Program::PLAIN
    },
    hides(&["gcc", "g++", "cc", "c++", "clang", "clang++"], &[], COMPILER),
    hides(&["ninja"], &[], &["-t"]),
    hides(
        &["rake"],
        &["-e", "--execute", "-E", "--execute-continue", "-p", "--execute-print"],
        &["-r", "--require"],
    ),
    Program {
        names: &["pytest"],
        hidden: HiddenPrograms {
            valued: "kmnorW",
            ..hidden(&[], &["-p", "-c", "--rootdir", "--confcutdir"])
        },
        offer: Offer::Any,
        ..Program::PLAIN
    },
    Program { names: &["dotnet"], offer: Offer::Subcommands(&["build", "test"]), ..Program::PLAIN },
    Program { names: &["mvn"], offer: Offer::Subcommands(&["test", "compile", "verify"]), ..Program::PLAIN },
    offered(
        &[
            "jest", "vitest", "mocha", "tsc", "eslint", "prettier", "biome", "ruff", "black", "mypy",
            "pyright", "flake8", "rustfmt", "gofmt", "shellcheck", "ctest",
        ],
        Offer::Any,
    ),
    hides(&["hg"], &["--config", "--debugger"], &[]),
    hides(&["svn"], &["--diff-cmd", "--diff3-cmd", "--editor-cmd", "--config-option"], &["--config-dir"]),
    hides(&["helm"], &["--post-renderer"], &[]),
    hides(&["ffmpeg"], &[], &["-filter_script"]),
];

/// Characters in a value by which make, or the shell of a recipe, runs a command.
const CODE_CHARACTERS: [char; 9] = ['$', '`', ';', '|', '&', '<', '>', '(', '\n'];

/// Returns what the arguments of make run, or the variable through which a rule runs another program.
fn of_make(words: &[Field], _: &StandardInput) -> Option<Obstacle> {
    let runs = words.iter().skip(1).any(|field| sets_code(&field.text)) || reads_rules(words);
    if runs {
        return Some(Obstacle::UnknownCode("rules of make"));
    }
    let mut names = words.iter().skip(1).filter_map(|field| Some(assigned(&field.text)?.0));
    let name = names.find(|name| runs_code(name) && *name != "PREFIX")?;
    Some(Obstacle::Argument(name.to_owned()))
}

/// Returns whether an argument of make sets a variable to code: `SHELL=cmd`, `X!=cmd`, `X=$(shell cmd)`,
/// `X=;cmd`.
fn sets_code(text: &str) -> bool {
    let Some((name, value)) = assigned(text) else { return false };
    name.ends_with('!') || value.contains(CODE_CHARACTERS) || matches!(name, "SHELL" | ".SHELLFLAGS")
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

fn of_cmake(words: &[Field], _: &StandardInput) -> Option<Obstacle> {
    let runs = words.iter().skip(1).any(|field| field.text == "-P");
    runs.then_some(Obstacle::UnknownCode("a script of cmake"))
}

fn of_go(words: &[Field], _: &StandardInput) -> Option<Obstacle> {
    let mut texts = words.iter().skip(1).map(|field| field.text.as_str()).peekable();
    let is_setting = texts.peek() == Some(&"env") && words.iter().skip(1).any(|field| field.text == "-w");
    let runs = is_setting || texts.any(|text| text.contains("-extld"));
    runs.then_some(Obstacle::UnknownCode("an option of go"))
}

fn just(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    after_option(words, &["-c", "--command"]).unwrap_or_default()
}

fn cargo(words: &[Field], input: &StandardInput) -> Vec<Inner> {
    if words.get(1).is_some_and(|field| field.text == "watch") { texts_of(words, input) } else { Vec::new() }
}

/// Returns a command of cargo without its toolchain: `cargo +nightly build`.
fn without_toolchain(words: &[Field]) -> Vec<Vec<Field>> {
    without_first(words, |text| text.starts_with('+'))
}
