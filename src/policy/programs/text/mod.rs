//! Programs that read, change and show text.
//!
//! [`sed`] and [`awk`] read programs of their own, whose effects `sed_script` and `awk_program` find.

mod awk;
mod awk_program;
mod sed;
mod sed_script;

use super::program::{always, decodes, hidden, hides, query, reads};
use super::system::endless;
use super::{HiddenPrograms, Language, Operands, Program, Query, ReadsPath};
use crate::policy::commands::{
    ExpandedCommand, Field, Obstacle, StandardInput, has_flag, second_operand, values,
};
use Operands::{Checked, Files, OneFile, PatternAndFiles, Text};

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["sed"],
        obstacle: Some(sed::obstacle),
        writes: Some(sed::written),
        language: Some(Language::Rules),
        query: Some(Query {
            has_harmful_options: true,
            check: Some(sed::check),
            ..query("", "", "", Checked)
        }),
        ..Program::PLAIN
    },
    Program {
        names: &["gsed"],
        obstacle: Some(sed::obstacle),
        writes: Some(sed::written),
        language: Some(Language::Rules),
        ..Program::PLAIN
    },
    Program {
        names: &["awk", "gawk", "mawk", "nawk"],
        obstacle: Some(awk::obstacle),
        writes: Some(awk::written),
        language: Some(Language::Rules),
        ..Program::PLAIN
    },
    Program {
        names: &["cat"],
        query: Some(query(
            "AbeEnstTuv",
            "",
            "show-all number number-nonblank show-ends show-tabs squeeze-blank show-nonprinting \
        help version",
            Files,
        )),
        harms: &[endless],
        ..Program::PLAIN
    },
    reads(&["tac"], query("br", "s", "before regex separator= help version", Files)),
    reads(
        &["head"],
        query(
            "qvz0123456789",
            "nc",
            "lines= bytes= quiet silent verbose zero-terminated help version",
            Files,
        ),
    ),
    reads(
        &["tail"],
        query(
            "qvz0123456789fFr",
            "ncs",
            "lines= bytes= quiet silent verbose follow follow= retry pid= sleep-interval= \
        zero-terminated help version",
            Files,
        ),
    ),
    reads(&["wc"], query("clmLw", "", "bytes chars lines words max-line-length help version total=", Files)),
    reads(&["nl"], query("p", "bdfhilnsvw", "body-numbering= help version", Files)),
    reads(
        &["cut"],
        query(
            "nsz",
            "bcdf",
            "bytes= characters= delimiter= fields= complement only-delimited output-delimiter= \
        help version",
            Files,
        ),
    ),
    reads(&["paste"], query("sz", "d", "delimiters= serial help version", Files)),
    reads(
        &["join"],
        query("iz", "aejotv12", "help version ignore-case header check-order nocheck-order", Files),
    ),
    reads(
        &["comm"],
        query("123z", "", "check-order nocheck-order output-delimiter= total help version", Files),
    ),
    Program {
        names: &["uniq"],
        writes: Some(|words| second_operand(words, "fsw")),
        query: Some(Query {
            has_harmful_options: true,
            ..query(
                "cdDiuz",
                "fsw",
                "count repeated unique ignore-case skip-fields= skip-chars= check-chars= \
        zero-terminated help version",
                OneFile,
            )
        }),
        ..Program::PLAIN
    },
    Program {
        names: &["sort"],
        hidden: hidden(&["--compress-program"], &[]),
        writes: Some(|words| values(words, "o", &["output"], "kStT")),
        query: Some(Query {
            has_harmful_options: true,
            ..query(
                "bcCdfgiMhmnRrsuVz",
                "kt",
                "reverse numeric-sort unique key= field-separator= human-numeric-sort version-sort \
        stable ignore-case month-sort general-numeric-sort check zero-terminated help \
        version sort= ignore-leading-blanks dictionary-order",
                Files,
            )
        }),
        ..Program::PLAIN
    },
    Program {
        names: &["gsort"],
        writes: Some(|words| values(words, "o", &["output"], "kStT")),
        ..Program::PLAIN
    },
    Program {
        names: &["tr"],
        query: Some(query("cCdst", "", "complement delete squeeze-repeats truncate-set1 help version", Text)),
        harms: &[endless],
        ..Program::PLAIN
    },
    Program {
        names: &["rev"],
        query: Some(query("", "", "help version", Files)),
        decodes: Some(always),
        ..Program::PLAIN
    },
    reads(&["fold"], query("bs", "w", "bytes spaces width= help version", Files)),
    reads(&["fmt"], query("cstu", "wpg", "width= help version", Files)),
    reads(&["expand"], query("i", "t", "tabs= initial help version", Files)),
    reads(&["unexpand"], query("a", "t", "all first-only tabs= help version", Files)),
    reads(
        &["column"],
        query("txentLR", "cosNTEHOW", "table help version separator= output-separator=", Files),
    ),
    reads(
        &["diff"],
        Query {
            has_harmful_options: true,
            ..query(
                "abBcdeEilnNpqrstTuwy0123456789",
                "UCxIFSW",
                "brief unified unified= context context= ignore-case ignore-all-space \
        ignore-space-change ignore-blank-lines recursive new-file side-by-side color \
        color= report-identical-files text exclude= label= width= suppress-common-lines \
        strip-trailing-cr minimal no-dereference stat help version no-color",
                Files,
            )
        },
    ),
    reads(
        &["cmp"],
        query("bls", "in", "print-bytes verbose quiet silent bytes= ignore-initial= help version", Files),
    ),
    Program {
        names: &["od"],
        query: Some(query(
            "abcdfilosx",
            "ANjtvwS",
            "address-radix= format= skip-bytes= read-bytes= output-duplicates help version",
            Files,
        )),
        harms: &[endless],
        ..Program::PLAIN
    },
    reads(&["hexdump"], query("bcCdoxv", "ens", "canonical help version length= skip=", Files)),
    Program {
        names: &["xxd"],
        writes: Some(|words| second_operand(words, "clogsRn")),
        query: Some(query("abCdeEipu", "cgloRs", "", OneFile)),
        decodes: Some(xxd_decodes),
        ..Program::PLAIN
    },
    reads(
        &["strings"],
        Query {
            check: Some(check_strings),
            ..query("afwo", "nte", "all bytes= radix= encoding= help version", Files)
        },
    ),
    Program {
        names: &["base64"],
        query: Some(query("dDi", "w", "decode ignore-garbage wrap= help version", Files)),
        harms: &[endless],
        decodes: Some(b64_decodes),
        ..Program::PLAIN
    },
    decodes(&["base32", "basenc"], b64_decodes),
    reads(
        &["jq"],
        Query {
            pairs: &["arg", "argjson"],
            check: Some(check_jq),
            ..query(
                "ceRrsSMCnjae",
                "",
                "compact-output raw-output arg= argjson= raw-input slurp sort-keys null-input \
        exit-status tab indent= monochrome-output color-output join-output ascii-output \
        help version",
                PatternAndFiles,
            )
        },
    ),
    Program { names: &["yq"], writes: Some(written_by_yq), ..Program::PLAIN },
    Program {
        names: &["iconv"],
        writes: Some(|words| values(words, "o", &["output"], "ft")),
        ..Program::PLAIN
    },
    Program {
        names: &["shuf"],
        writes: Some(|words| values(words, "o", &["output"], "ein")),
        ..Program::PLAIN
    },
    hides(&["split"], &["--filter"], &[]),
    reads(
        &["numfmt"],
        query(
            "dz",
            "",
            "to= from= suffix= padding= field= format= grouping help version header header=",
            Text,
        ),
    ),
    reads(&["tsort"], query("", "", "help version", Files)),
    reads(&["seq"], query("w", "fs", "equal-width format= separator= help version", Text)),
    reads(&["expr"], query("", "", "help version", Text)),
    Program {
        names: &["less"],
        hidden: hidden(&[], &["-k", "--lesskey-file", "--lesskey-src", "--lesskey-content"]),
        obstacle: Some(of_pager),
        writes: Some(|words| values(words, "oO", &["log-file", "LOG-FILE"], "bhjkpPtTxyz")),
        query: Some(Query {
            has_harmful_options: true,
            check: Some(check_less),
            ..query("NSRFXinMmq", "", "", Checked)
        }),
        ..Program::PLAIN
    },
    Program { names: &["more", "most"], obstacle: Some(of_pager), ..Program::PLAIN },
    hides(&["bat", "batcat"], &["--pager"], &[]),
    Program {
        names: &["man"],
        hidden: HiddenPrograms {
            valued: "CRLmMSsepr",
            ..hidden(&["-P", "--pager", "-H", "--html", "-X", "--gxditview", "-C", "--config-file"], &[])
        },
        ..Program::PLAIN
    },
    hides(&["pandoc"], &["--filter", "-F", "--lua-filter", "-L", "--pdf-engine"], &[]),
    hides(&["ctags"], &[], &["--options"]),
    decodes(&["uudecode"], always),
];

/// Returns whether a filter of jq reads another file, as `include "name" {search: "/"};` does, or describes
/// one.
fn loads_module(filter: &str) -> bool {
    let names_file = |rest: &str| {
        let mut rest = rest.trim_start();
        while let Some(comment) = rest.strip_prefix('#') {
            rest = comment.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
        }
        rest.starts_with('"')
    };
    filter.contains("modulemeta")
        || ["include", "import"].iter().any(|word| filter.split(word).skip(1).any(names_file))
}

fn check_jq(arguments: &[&str], _: ReadsPath) -> Option<String> {
    arguments.iter().any(|text| loads_module(text)).then(|| "it reads a module".to_owned())
}

fn check_strings(arguments: &[&str], _: ReadsPath) -> Option<String> {
    let reads = arguments.iter().any(|text| text.starts_with('@'));
    reads.then(|| "it reads options from a file".to_owned())
}

fn check_less(_: &[&str], _: ReadsPath) -> Option<String> {
    Some("it is a pager, which runs programs".to_owned())
}

/// Returns a command of a pager that does more than move: `less +!cmd`.
fn of_pager(words: &[Field], _: &StandardInput) -> Option<Obstacle> {
    let does_more = |text: &str| text.strip_prefix('+').is_some_and(|command| !moves(command));
    let runs = words.iter().skip(1).any(|field| does_more(&field.text));
    runs.then_some(Obstacle::UnknownCode("a command of a pager"))
}

/// Returns whether the first command of a pager or an editor is a line, a search, or the end of the file.
pub(crate) fn moves(command: &str) -> bool {
    command.starts_with(['/', '?'])
        || command.chars().all(|char| char.is_ascii_digit() || "gGF%p+".contains(char))
}

fn written_by_yq(words: &[Field]) -> Vec<Field> {
    let edits = words.iter().any(|field| matches!(field.text.as_str(), "-i" | "--inplace"));
    let operands = words[1..].iter().filter(|field| edits && !field.text.starts_with('-'));
    operands.skip(1).cloned().collect()
}

pub(super) fn b64_decodes(command: &ExpandedCommand) -> bool {
    has_flag(command, &['d', 'D'], &["--decode", "--dec", "--d"])
}

fn xxd_decodes(command: &ExpandedCommand) -> bool {
    has_flag(command, &['r'], &["-revert", "--revert"])
}
