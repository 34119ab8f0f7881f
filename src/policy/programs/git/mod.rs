//! git: its options and subcommands, and the programs that it runs.
//!
//! [`options`] has the options before the subcommand, `settings` the settings that run programs, `programs`
//! the arguments that do. `query` knows the arguments that only read, and `hardening` keeps the settings of a
//! repository from making a query run programs.

mod hardening;
mod options;
mod programs;
mod query;
mod settings;

use super::{Offer, Operands, Program, Query, Synonyms};
use crate::policy::commands::{ExpandedCommand, Field, skip_options, values};
use crate::policy::danger::{ProtectedPaths, has_option};
use crate::policy::decision::{Danger, Effect};

pub(crate) use hardening::{SafeSettings, directories};
pub(crate) use options::{GitOption, git_subcommand};

pub(super) const PROGRAMS: &[Program] = &[Program {
    names: &["git"],
    obstacle: Some(programs::obstacle),
    writes: Some(writes),
    query: Some(Query {
        operands: Operands::Checked,
        check: Some(query::refusal),
        has_harmful_options: true,
        ..Query::PLAIN
    }),
    harden: Some(hardening::insertions),
    harms: &[clean],
    offer: Offer::Subcommands(&[
        "add", "commit", "status", "diff", "log", "show", "fetch", "blame", "branch", "stash", "switch",
    ]),
    synonyms: Synonyms {
        flags: &[
            ("add", "-A --all --no-ignore-removal"),
            ("add", "-u --update"),
            ("branch", "-m --move"),
            ("branch", "-c --copy"),
            ("commit", "-n --no-verify"),
            ("merge", "-n --no-stat"),
            ("commit", "-m --message"),
            ("push", "-u --set-upstream"),
            ("switch", "-c --create"),
            ("switch", "-C --force-create"),
            ("switch", "-f --force --discard-changes"),
            ("stash", "-u --include-untracked"),
            ("fetch", "-p --prune"),
            ("remote", "-f --fetch"),
        ],
        combined: &[
            ("branch", "-D", ["-d", "-f"]),
            ("branch", "-M", ["-m", "-f"]),
            ("branch", "-C", ["-c", "-f"]),
            ("checkout", "-B", ["-b", "-f"]),
        ],
        spellings: Some(with_refspec_flags),
        ..Synonyms::NONE
    },
    ..Program::PLAIN
}];

/// Returns the files of `git log --output=file` and `git archive -o file`.
fn writes(words: &[Field]) -> Vec<Field> {
    let at = git_subcommand(words).min(words.len());
    match words.get(at).and_then(Field::known) {
        Some("archive" | "format-patch") => values(&words[at..], "o", &["output", "output-directory"], "SNv"),
        Some("bugreport" | "diagnose") => values(&words[at..], "o", &["output-directory"], "s"),
        Some("fast-export") => values(&words[at..], "", &["export-marks"], ""),
        Some("read-tree") => values(&words[at..], "", &["index-output"], ""),
        Some("checkout-index") => values(&words[at..], "", &["prefix"], ""),
        Some("interpret-trailers") if words.iter().any(|field| field.text.starts_with("--in")) => {
            words[at + 1..].iter().filter(|field| !field.text.starts_with('-')).cloned().collect()
        }
        Some("merge-file") => {
            let first = skip_options(words, at + 1, "L", &["marker-size"]);
            words.get(first).cloned().into_iter().collect()
        }
        Some(_) => values(&words[at..], "", &["output"], ""),
        None => Vec::new(),
    }
}

/// Returns the harm of `git clean` in a directory outside of the project.
fn clean(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let words = &command.words;
    let at = git_subcommand(words);
    let subcommand = words.get(at)?.text.as_str();
    if subcommand != "clean"
        || !has_option(&words[at..], 'f', "force")
        || has_option(&words[at..], 'n', "dry-run")
    {
        return None;
    }
    let mut directory = command.likely_directory().map(str::to_owned);
    for (index, field) in words[..at].iter().enumerate() {
        let value = match field.text.as_str() {
            "-C" | "--work-tree" => words.get(index + 1).map(|field| field.text.as_str()),
            text => text.strip_prefix("--work-tree="),
        };
        if let Some(value) = value {
            directory = command.style.resolve(directory.as_deref(), value);
        }
    }
    let directory = directory?;
    if paths.is_inside_root(&directory) {
        return None;
    }
    Some(Danger::new(Effect::Removal, &format!("remove files in {directory}, outside of the project")))
}

/// Returns `git push` with the option that an operand amounts to: `origin +main` forces, and `origin :main`
/// deletes.
fn with_refspec_flags(words: &[Field]) -> Vec<Vec<Field>> {
    let has = |test: &dyn Fn(&str) -> bool| words.iter().skip(1).any(|field| test(&field.text));
    let option = match () {
        () if !has(&|text| text == "push") => return Vec::new(),
        () if has(&|text| text.starts_with('+')) => "--force",
        () if has(&|text| text.starts_with(':') && text.len() > 1) => "--delete",
        () => return Vec::new(),
    };
    vec![[words, &[Field::of(option)]].concat()]
}
