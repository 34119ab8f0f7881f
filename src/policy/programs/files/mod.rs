//! Programs that show, copy, move and remove files.
//!
//! `archive` packs files, `permission` changes who may use them, `disk` works on whole disks.

pub(super) mod archive;
pub(super) mod disk;
pub(super) mod permission;

use super::program::{harmful, hidden, query, reads};
use super::{Operands, Program, Query};
use crate::policy::commands::ExpandedCommand;
use crate::policy::danger::{
    FileCopy, ProtectedPaths, copies_onto, has_option, loses_file, operands, removes, removes_always,
    removes_recursively, texts, writes,
};
use crate::policy::decision::{Danger, Effect};
use Operands::{Files, Text};

pub(super) const PROGRAMS: &[Program] = &[
    harmful(&["rm"], &[removes_recursively, loses]),
    harmful(&["grm", "del-cli"], &[removes_recursively]),
    harmful(&["srm", "rimraf", "trash", "trash-put"], &[removes_always]),
    harmful(&["unlink"], &[loses]),
    harmful(&["mv"], &[moves, loses_sources, copies]),
    harmful(&["gmv"], &[moves]),
    harmful(&["cp", "gcp", "ln"], &[copies]),
    Program {
        names: &["install"],
        hidden: hidden(&["--strip-program"], &[]),
        harms: &[copies],
        ..Program::PLAIN
    },
    harmful(&["truncate"], &[overwrites]),
    harmful(&["shred"], &[shreds, overwrites]),
    harmful(&["wipe", "srm.py"], &[shreds]),
    harmful(&["tee", "sponge"], &[tee]),
    harmful(&["dd"], &[dd]),
    reads(
        &["stat"],
        query("LftxFnqrs", "c", "dereference file-system format= printf= terse help version", Files),
    ),
    reads(
        &["file"],
        Query {
            has_harmful_options: true,
            files: "mf",
            ..query(
                "bhikLNprsv0",
                "mFeP",
                "brief mime mime-type mime-encoding dereference no-pad help version keep-going \
        separator=",
                Files,
            )
        },
    ),
    reads(
        &["du"],
        query(
            "0abcDhHklLmsSxP",
            "dBt",
            "all apparent-size bytes total human-readable summarize max-depth= exclude= \
        one-file-system time help version si separate-dirs threshold= block-size=",
            Files,
        ),
    ),
    reads(
        &["df"],
        query(
            "aBhHiklPTtx",
            "Btx",
            "all human-readable inodes local print-type total type= help version output output= \
        si",
            Files,
        ),
    ),
    reads(
        &["realpath"],
        query(
            "ezmLPqs",
            "",
            "canonicalize-existing relative-to= relative-base= strip no-symlinks help version",
            Files,
        ),
    ),
    reads(
        &["readlink"],
        query(
            "efmnqsvz",
            "",
            "canonicalize canonicalize-existing canonicalize-missing no-newline help version",
            Files,
        ),
    ),
    reads(
        &["basename"],
        Query { must_know: Some(0), ..query("az", "s", "multiple suffix= zero help version", Text) },
    ),
    reads(&["dirname"], Query { must_know: Some(0), ..query("z", "", "zero help version", Text) }),
    reads(
        &["md5sum", "sha1sum", "sha256sum", "sha512sum"],
        query("btz", "", "binary text tag zero help version", Files),
    ),
    reads(&["b2sum"], query("btz", "l", "tag zero help version length=", Files)),
    reads(&["cksum"], query("", "a", "algorithm= help version", Files)),
    reads(&["sum"], query("rs", "", "help version", Files)),
    reads(&["shasum"], query("bt", "a", "algorithm= binary text help version", Files)),
];

/// Returns the harm of shredding whole directories.
fn shreds(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let is_recursive = has_option(&command.words, 'r', "recursive");
    operands(&command.words).filter(|_| is_recursive).find_map(|field| removes(field, command, paths))
}

/// Returns the harm of removing a file of the system.
fn loses(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    operands(&command.words).find_map(|field| loses_file(field, command, paths))
}

/// Returns the harm of moving a protected path away.
fn moves(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let copy = FileCopy::of(&command.words)?;
    copy.sources.into_iter().find_map(|field| {
        // `mv ./*` into another directory moves the files, and loses none. The glob may be the value of a
        // loop's variable.
        let is_content = field
            .texts()
            .iter()
            .any(|text| text.contains('*') && !text.starts_with(['/', '~']) && !text.contains(".."));
        if is_content && copy.target != "/dev/null" { None } else { removes(field, command, paths) }
    })
}

/// Returns the harm of a copy, a move or a link onto a file of the system.
fn copies(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    copies_onto(&FileCopy::of(&command.words)?.results(command.style), command, paths)
}

/// Returns the harm of moving a file of the system away.
fn loses_sources(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    FileCopy::of(&command.words)?.sources.into_iter().find_map(|field| loses_file(field, command, paths))
}

fn overwrites(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    operands(&command.words).find_map(|field| writes(&field.text, false, command, paths))
}

fn tee(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let is_append = has_option(&command.words, 'a', "append");
    operands(&command.words).find_map(|field| writes(&field.text, is_append, command, paths))
}

fn dd(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let texts = texts(&command.words);

    let target = texts.iter().find_map(|text| text.strip_prefix("of="));
    let source = texts.iter().find_map(|text| text.strip_prefix("if="));
    let is_bounded = texts.iter().any(|text| text.starts_with("count="));
    let is_endless = matches!(source, Some("/dev/zero" | "/dev/urandom" | "/dev/random" | "/dev/full"));
    if let Some(found) = target.and_then(|target| writes(target, false, command, paths)) {
        return Some(found);
    }
    let fills = is_endless && !is_bounded && target.is_some_and(|target| !target.starts_with("/dev/"));
    fills.then(|| Danger::new(Effect::Shutdown, "fill the disk"))
}
