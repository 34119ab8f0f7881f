//! Programs that look for files and text.
//!
//! [`find`] and [`fd`] run a program for each file.

pub(super) mod fd;
pub(crate) mod find;

use super::program::{hidden, hides, query, reads};
use super::{Operands, Program, Query, Synonyms};
use crate::policy::commands::values;
use Operands::{Files, PatternAndFiles, Text};

const GREP_LONG: &str = "ignore-case invert-match word-regexp line-regexp count color color= colour= \
files-with-matches files-without-match max-count= only-matching quiet silent no-messages byte-offset \
with-filename no-filename line-number after-context= before-context= context= text binary-files= exclude= \
exclude-dir= include= recursive null extended-regexp fixed-strings basic-regexp perl-regexp regexp= \
null-data help version no-ignore-case initial-tab line-buffered label=";

const RG_LONG: &str = "ignore-case smart-case case-sensitive invert-match word-regexp line-regexp count \
count-matches color= files-with-matches files-without-match max-count= only-matching quiet no-messages \
with-filename no-filename line-number no-line-number after-context= before-context= context= text \
fixed-strings regexp= glob= iglob= type= type-not= type-list files hidden no-ignore no-ignore-vcs no-heading \
heading json multiline multiline-dotall max-depth= max-filesize= sort= sortr= stats trim vimgrep column null \
passthru pcre2 replace= max-columns= threads= no-config unrestricted help version one-file-system crlf \
pretty debug field-match-separator= context-separator= byte-offset engine= encoding= include-zero";

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["grep"],
        query: Some(Query {
            has_harmful_options: true,
            files: "f",
            ..query("EFGPivwxcLloqshHnbTUZzaIrurn0123456789", "efmABCdD", GREP_LONG, PatternAndFiles)
        }),
        synonyms: Synonyms { names: &[("egrep", "grep -E"), ("fgrep", "grep -F")], ..Synonyms::NONE },
        ..Program::PLAIN
    },
    Program {
        names: &["egrep"],
        query: Some(Query {
            files: "f",
            ..query("ivwxcLloqshHnbTUZzaIrurn0123456789", "efmABCdD", GREP_LONG, PatternAndFiles)
        }),
        synonyms: Synonyms { names: &[("egrep", "grep -E")], ..Synonyms::NONE },
        ..Program::PLAIN
    },
    Program {
        names: &["fgrep"],
        query: Some(Query {
            files: "f",
            ..query("ivwxcLloqshHnbTUZzaIrurn0123456789", "efmABCdD", GREP_LONG, PatternAndFiles)
        }),
        synonyms: Synonyms { names: &[("fgrep", "grep -F")], ..Synonyms::NONE },
        ..Program::PLAIN
    },
    Program {
        names: &["rg"],
        hidden: hidden(&["--pre", "--hostname-bin"], &[]),
        query: Some(Query {
            has_harmful_options: true,
            files: "f",
            ..query("isSvwxcloqHInNFauUpPhVb.0", "emABCgtTMrjdE", RG_LONG, PatternAndFiles)
        }),
        ..Program::PLAIN
    },
    hides(&["ag"], &["--pager"], &[]),
    hides(&["ack"], &["--pager"], &["--ackrc"]),
    hides(&["fzf"], &["--preview", "--bind"], &[]),
    reads(&["which"], query("as", "", "all", Text)),
    Program {
        names: &["tree"],
        writes: Some(|words| values(words, "o", &[], "LPI")),
        query: Some(Query {
            has_harmful_options: true,
            ..query(
                "adfilpsughDFqNQrtvUCnAxXJ",
                "LPIH",
                "dirsfirst noreport gitignore prune filelimit du si inodes device sort= charset= \
        help version matchdirs ignore-case metafirst",
                Files,
            )
        }),
        ..Program::PLAIN
    },
    reads(
        &["ls"],
        query(
            "aAbBcCdfFgGhHiIklLmnNopqQrRsStTuUvwxXZ1@eO",
            "ITw",
            "all almost-all author color color= classify directory group-directories-first \
        human-readable inode no-group numeric-uid-gid recursive reverse si size sort= \
        time= time-style= full-time format= ignore= hide= indicator-style= quote-name \
        literal dereference help version block-size= width= zero",
            Files,
        ),
    ),
];
