//! Package managers and the managers of versions and environments: most run the programs of a package.
//!
//! [`scripts`] knows how a package's scripts are named, [`npm`] the subcommands of npm.

mod npm;
mod scripts;

use super::program::{hidden, runner, runs, wraps};
use super::{HiddenPrograms, InnerCommands, Language, Offer, Program, Synonyms, Wrapper};
use crate::policy::commands::{
    Field, Inner, Obstacle, StandardInput, Trust, UNKNOWN, after_dashes, after_separator, wrapped,
};

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["npm"],
        runs: InnerCommands::By(of_npm_words),
        hidden: HiddenPrograms {
            valued: "wpC",
            ..hidden(
                &["-c", "--call"],
                &["--script-shell", "--node-options", "--userconfig", "--globalconfig", "--prefix"],
            )
        },
        obstacle: Some(of_npm),
        offer: Offer::Subcommands(&[
            "test", "run", "run-script", "start", "ci", "ls", "outdated", "audit", "view",
        ]),
        synonyms: Synonyms {
            flags: &[("", "-g --global --location=global"), ("", "-D --save-dev")],
            subcommands: Some(npm::subcommands),
            spellings: Some(scripts::spellings),
            ..Synonyms::NONE
        },
        ..Program::PLAIN
    },
    Program {
        names: &["pnpm"],
        runs: InnerCommands::Wrapped(&[
            Wrapper { subcommand: "exec", ..runner("", &[], 0) },
            Wrapper { subcommand: "dlx", ..runner("", &["package"], 0) },
        ]),
        hidden: HiddenPrograms { valued: "wpC", ..hidden(&["-c"], &["--script-shell", "--node-options"]) },
        obstacle: Some(of_line),
        offer: Offer::Subcommands(&["test", "run", "start", "list", "outdated"]),
        synonyms: Synonyms { spellings: Some(scripts::spellings), ..Synonyms::NONE },
        ..Program::PLAIN
    },
    Program {
        names: &["yarn"],
        runs: InnerCommands::Wrapped(&[
            Wrapper { subcommand: "exec", ..runner("", &[], 0) },
            Wrapper { subcommand: "dlx", ..runner("p", &["package"], 0) },
        ]),
        hidden: hidden(&[], &["--use-yarnrc", "--script-shell"]),
        obstacle: Some(of_line),
        offer: Offer::Subcommands(&["test", "run", "start", "list", "lint", "build"]),
        synonyms: Synonyms { spellings: Some(scripts::spellings), ..Synonyms::NONE },
        ..Program::PLAIN
    },
    Program {
        names: &["bun"],
        runs: InnerCommands::By(bun),
        language: Some(Language::Script),
        synonyms: Synonyms { spellings: Some(scripts::spellings), ..Synonyms::NONE },
        ..Program::PLAIN
    },
    Program {
        names: &["npx"],
        runs: InnerCommands::Wrapped(&[runner("p", &["package"], 0)]),
        hidden: HiddenPrograms { valued: "wpC", ..hidden(&["-c", "--call"], &[]) },
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    Program {
        names: &["bunx", "pnpx"],
        runs: InnerCommands::Wrapped(&[runner("p", &["package"], 0)]),
        hidden: hidden(&["-c", "--call"], &[]),
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    Program {
        names: &["pip"],
        offer: Offer::Subcommands(&["list", "show", "freeze", "check"]),
        synonyms: Synonyms {
            flags: &[("", "-r --requirement")],
            is_renamed: true,
            spellings: Some(unversioned),
            ..Synonyms::NONE
        },
        ..Program::PLAIN
    },
    wraps(
        &["uv"],
        &[
            Wrapper {
                subcommand: "run",
                ..runner(
                    "p",
                    &["with", "python", "group", "extra", "package", "directory", "env-file", "project"],
                    0,
                )
            },
            Wrapper { subcommand: "tool", ..runner("p", &["from", "with", "python"], 1) },
        ],
    ),
    wraps(&["uvx"], &[runner("p", &["from", "with", "python", "index"], 0)]),
    wraps(&["pipx"], &[Wrapper { subcommand: "run", ..runner("", &["spec", "python", "pip-args"], 0) }]),
    wraps(
        &["poetry", "pipenv", "pdm", "rye", "hatch"],
        &[Wrapper { subcommand: "run", ..runner("", &[], 0) }],
    ),
    wraps(&["bundle"], &[Wrapper { subcommand: "exec", ..runner("", &["gemfile"], 0) }]),
    wraps(
        &["conda", "mamba", "micromamba"],
        &[Wrapper { subcommand: "run", ..runner("np", &["name", "prefix", "cwd"], 0) }],
    ),
    wraps(&["volta"], &[Wrapper { subcommand: "run", ..runner("", &["node", "npm", "yarn"], 0) }]),
    wraps(&["fnm"], &[Wrapper { subcommand: "exec", ..runner("", &["using"], 0) }]),
    wraps(&["nvm", "direnv"], &[Wrapper { subcommand: "exec", ..runner("", &[], 1) }]),
    wraps(&["devbox"], &[Wrapper { subcommand: "run", ..runner("ce", &["config", "env"], 0) }]),
    wraps(&["corepack"], &[runner("", &[], 0)]),
    wraps(&["asdf", "rbenv", "pyenv", "nodenv"], &[Wrapper { subcommand: "exec", ..runner("", &[], 0) }]),
    wraps(&["rustup"], &[Wrapper { subcommand: "run", ..runner("", &[], 1) }]),
    runs(&["mise", "rtx"], |words, _| after_separator(words, &["exec", "x"])),
    runs(&["dotenvx"], |words, _| after_separator(words, &["run"])),
    runs(&["lerna", "nx"], after_dashes),
];

const NPM: &[Wrapper] = &[
    Wrapper { subcommand: "exec", ..runner("w", &["package", "workspace"], 0) },
    Wrapper { subcommand: "x", ..runner("w", &["package", "workspace"], 0) },
];

fn of_npm_words(words: &[Field], input: &StandardInput) -> Vec<Inner> {
    let found = wrapped(NPM, words);
    if found.is_empty() { after_dashes(words, input) } else { found }
}

fn of_npm(words: &[Field], _: &StandardInput) -> Option<Obstacle> {
    let sets = words.iter().skip(1).any(|field| field.text.starts_with("scripts."));
    sets.then_some(Obstacle::UnknownCode("a script of npm"))
}

fn of_line(words: &[Field], _: &StandardInput) -> Option<Obstacle> {
    takes_line(words).then_some(Obstacle::UnknownCode("a command line of a package manager"))
}

/// Returns whether `yarn exec` and `pnpm exec` get a command line as one word.
fn takes_line(words: &[Field]) -> bool {
    let Some(at) = words.iter().position(|field| matches!(field.text.as_str(), "exec" | "dlx")) else {
        return false;
    };
    let first = words[at + 1..].iter().find(|field| !field.text.starts_with('-'));
    first.is_some_and(|field| field.text.contains(char::is_whitespace) || field.text.starts_with(UNKNOWN))
}

fn bun(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    if words.get(1).is_some_and(|field| field.text == "exec") {
        return Inner::joined(&words[2..], "bun", Trust::Separate);
    }
    wrapped(&[Wrapper { subcommand: "x", ..runner("", &[], 0) }], words)
}

/// Returns a command of pip without the version in its name: `pip3`.
fn unversioned(words: &[Field]) -> Vec<Vec<Field>> {
    if words[0].text == "pip" { Vec::new() } else { vec![[&[Field::of("pip")], &words[1..]].concat()] }
}
