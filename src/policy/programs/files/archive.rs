//! Archives, and programs that pack and encrypt files.

use crate::policy::commands::{ExpandedCommand, Field, Obstacle, StandardInput, has_flag};
use crate::policy::danger::{ProtectedPaths, has_option, operands, removes};
use crate::policy::decision::Danger;
use crate::policy::programs::program::{always, decodes, hidden};
use crate::policy::programs::{HiddenPrograms, Program};

const TAR: &[&str] = &[
    "--to-command", "--use-compress-program", "--rsh-command", "--info-script", "--new-volume-script",
    "--rmt-command", "-I", "-F", "--checkpoint-action",
];

pub(in crate::policy::programs) const PROGRAMS: &[Program] = &[
    Program {
        names: &["tar", "gtar"],
        hidden: HiddenPrograms { valued: "bCfgHKLNTVX", ..hidden(TAR, &[]) },
        obstacle: Some(of_tar),
        harms: &[tar_removes],
        ..Program::PLAIN
    },
    Program {
        names: &["bsdtar"],
        hidden: HiddenPrograms { valued: "bCfgHKLNTVX", ..hidden(&["--use-compress-program"], &[]) },
        obstacle: Some(of_tar),
        harms: &[tar_removes],
        ..Program::PLAIN
    },
    Program {
        names: &["zip"],
        hidden: hidden(&["-TT", "--unzip-command"], &[]),
        harms: &[zip_removes],
        ..Program::PLAIN
    },
    decodes(&["gzip", "bzip2", "xz", "zstd"], gz_decodes),
    decodes(&["gunzip", "zcat", "bunzip2", "bzcat", "unxz", "xzcat", "unzstd", "zstdcat"], always),
    Program {
        names: &["gpg"],
        hidden: hidden(&["--photo-viewer"], &["--agent-program"]),
        decodes: Some(gpg_decodes),
        ..Program::PLAIN
    },
];

/// Returns what runs if tar is called in an old style, or with an archive on another machine.
fn of_tar(words: &[Field], _: &StandardInput) -> Option<Obstacle> {
    if words.get(1).is_some_and(is_old_style) {
        return Some(Obstacle::UnknownCode("an option that runs a program"));
    }
    let is_elsewhere = words.windows(2).any(|pair| names_archive(&pair[0]) && is_remote(&pair[1]));
    is_elsewhere.then_some(Obstacle::UnknownCode("an archive on another machine"))
}

/// Returns whether the first argument of tar is a cluster of letters without a dash, whose values follow in
/// order: `tar cIf prog a`.
fn is_old_style(field: &Field) -> bool {
    let text = field.text.as_str();
    !text.starts_with('-') && text.contains(['I', 'F']) && text.chars().all(char::is_alphabetic)
}

/// Returns whether the name of the archive follows an argument of tar: `-czf`, `czf`.
fn names_archive(field: &Field) -> bool {
    field.text.ends_with('f') && !field.text.starts_with("--") && !field.text.contains('/')
        || field.text == "--file"
}

/// Returns whether an archive is on another machine, to which tar connects through a program: `host:file`.
fn is_remote(field: &Field) -> bool {
    field.text.split('/').next().is_some_and(|part| part.contains(':'))
}

fn tar_removes(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let words = &command.words;
    let is_removal = words.iter().any(|field| field.text == "--remove-files");
    operands(words).filter(|_| is_removal).find_map(|field| removes(field, command, paths))
}

fn zip_removes(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let words = &command.words;
    let is_removal = has_option(words, 'm', "move");
    operands(words).skip(1).filter(|_| is_removal).find_map(|field| removes(field, command, paths))
}

fn gz_decodes(command: &ExpandedCommand) -> bool {
    has_flag(command, &['d'], &["--decompress", "--uncompress"])
}

fn gpg_decodes(command: &ExpandedCommand) -> bool {
    has_flag(command, &['d'], &["--decrypt"])
}
