//! Programs that read, and which of their arguments do.

/// What a program takes.
struct Program {
    name: &'static str,
    /// Letters of flags that only read.
    short: &'static str,
    /// Letters of options that take the next word, or the rest of theirs.
    valued: &'static str,
    /// Names of long options, with `=` behind those that take a value.
    long: &'static [&'static str],
    operands: Operands,
}

/// What the arguments that are no options are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operands {
    /// Files that are read.
    Files,
    /// A pattern, then files.
    PatternAndFiles,
    /// Text that is no file.
    Text,
    /// None.
    None,
    /// One file only: a second one is written.
    OneFile,
    /// Others decide: see [`refusal`].
    Special,
}

const fn program(
    name: &'static str,
    short: &'static str,
    valued: &'static str,
    long: &'static [&'static str],
    operands: Operands,
) -> Program {
    Program { name, short, valued, long, operands }
}

use Operands::{Files, None as Nothing, OneFile, PatternAndFiles, Special, Text};

const GREP_LONG: &[&str] = &[
    "ignore-case",
    "invert-match",
    "word-regexp",
    "line-regexp",
    "count",
    "color",
    "color=",
    "colour=",
    "files-with-matches",
    "files-without-match",
    "max-count=",
    "only-matching",
    "quiet",
    "silent",
    "no-messages",
    "byte-offset",
    "with-filename",
    "no-filename",
    "line-number",
    "after-context=",
    "before-context=",
    "context=",
    "text",
    "binary-files=",
    "exclude=",
    "exclude-dir=",
    "include=",
    "recursive",
    "null",
    "extended-regexp",
    "fixed-strings",
    "basic-regexp",
    "perl-regexp",
    "regexp=",
    "null-data",
    "help",
    "version",
    "no-ignore-case",
    "initial-tab",
    "line-buffered",
    "label=",
];

const RG_LONG: &[&str] = &[
    "ignore-case",
    "smart-case",
    "case-sensitive",
    "invert-match",
    "word-regexp",
    "line-regexp",
    "count",
    "count-matches",
    "color=",
    "files-with-matches",
    "files-without-match",
    "max-count=",
    "only-matching",
    "quiet",
    "no-messages",
    "with-filename",
    "no-filename",
    "line-number",
    "no-line-number",
    "after-context=",
    "before-context=",
    "context=",
    "text",
    "fixed-strings",
    "regexp=",
    "glob=",
    "iglob=",
    "type=",
    "type-not=",
    "type-list",
    "files",
    "hidden",
    "no-ignore",
    "no-ignore-vcs",
    "no-heading",
    "heading",
    "json",
    "multiline",
    "multiline-dotall",
    "max-depth=",
    "max-filesize=",
    "sort=",
    "sortr=",
    "stats",
    "trim",
    "vimgrep",
    "column",
    "null",
    "passthru",
    "pcre2",
    "replace=",
    "max-columns=",
    "threads=",
    "no-config",
    "unrestricted",
    "help",
    "version",
    "one-file-system",
    "crlf",
    "pretty",
    "debug",
    "field-match-separator=",
    "context-separator=",
    "byte-offset",
    "engine=",
    "encoding=",
    "include-zero",
];

const PROGRAMS: &[Program] = &[
    program(
        "ls",
        "aAbBcCdfFgGhHiIklLmnNopqQrRsStTuUvwxXZ1@eO",
        "ITw",
        &[
            "all",
            "almost-all",
            "author",
            "color",
            "color=",
            "classify",
            "directory",
            "group-directories-first",
            "human-readable",
            "inode",
            "no-group",
            "numeric-uid-gid",
            "recursive",
            "reverse",
            "si",
            "size",
            "sort=",
            "time=",
            "time-style=",
            "full-time",
            "format=",
            "ignore=",
            "hide=",
            "indicator-style=",
            "quote-name",
            "literal",
            "dereference",
            "help",
            "version",
            "block-size=",
            "width=",
            "zero",
        ],
        Files,
    ),
    program(
        "cat",
        "AbeEnstTuv",
        "",
        &[
            "show-all",
            "number",
            "number-nonblank",
            "show-ends",
            "show-tabs",
            "squeeze-blank",
            "show-nonprinting",
            "help",
            "version",
        ],
        Files,
    ),
    program("tac", "br", "s", &["before", "regex", "separator=", "help", "version"], Files),
    program(
        "head",
        "qvz0123456789",
        "nc",
        &["lines=", "bytes=", "quiet", "silent", "verbose", "zero-terminated", "help", "version"],
        Files,
    ),
    program(
        "tail",
        "qvz0123456789fFr",
        "ncs",
        &[
            "lines=",
            "bytes=",
            "quiet",
            "silent",
            "verbose",
            "follow",
            "follow=",
            "retry",
            "pid=",
            "sleep-interval=",
            "zero-terminated",
            "help",
            "version",
        ],
        Files,
    ),
    program(
        "wc",
        "clmLw",
        "",
        &["bytes", "chars", "lines", "words", "max-line-length", "help", "version", "total="],
        Files,
    ),
    program("nl", "p", "bdfhilnsvw", &["body-numbering=", "help", "version"], Files),
    program("grep", "EFGPivwxcLloqshHnbTUZzaIrurn0123456789", "efmABCdD", GREP_LONG, PatternAndFiles),
    program("egrep", "ivwxcLloqshHnbTUZzaIrurn0123456789", "efmABCdD", GREP_LONG, PatternAndFiles),
    program("fgrep", "ivwxcLloqshHnbTUZzaIrurn0123456789", "efmABCdD", GREP_LONG, PatternAndFiles),
    program("rg", "isSvwxclLoqHInNFauUpPhVb.0", "emABCgtTMrjdE", RG_LONG, PatternAndFiles),
    program(
        "cut",
        "nsz",
        "bcdf",
        &[
            "bytes=",
            "characters=",
            "delimiter=",
            "fields=",
            "complement",
            "only-delimited",
            "output-delimiter=",
            "help",
            "version",
        ],
        Files,
    ),
    program("paste", "sz", "d", &["delimiters=", "serial", "help", "version"], Files),
    program(
        "join",
        "iz",
        "aejotv12",
        &["help", "version", "ignore-case", "header", "check-order", "nocheck-order"],
        Files,
    ),
    program(
        "comm",
        "123z",
        "",
        &["check-order", "nocheck-order", "output-delimiter=", "total", "help", "version"],
        Files,
    ),
    program(
        "uniq",
        "cdDiuz",
        "fsw",
        &[
            "count",
            "repeated",
            "unique",
            "ignore-case",
            "skip-fields=",
            "skip-chars=",
            "check-chars=",
            "zero-terminated",
            "help",
            "version",
        ],
        OneFile,
    ),
    program(
        "sort",
        "bcCdfgiMhmnRrsuVz",
        "kt",
        &[
            "reverse",
            "numeric-sort",
            "unique",
            "key=",
            "field-separator=",
            "human-numeric-sort",
            "version-sort",
            "stable",
            "ignore-case",
            "month-sort",
            "general-numeric-sort",
            "check",
            "zero-terminated",
            "help",
            "version",
            "sort=",
            "ignore-leading-blanks",
            "dictionary-order",
        ],
        Files,
    ),
    program(
        "tr",
        "cCdst",
        "",
        &["complement", "delete", "squeeze-repeats", "truncate-set1", "help", "version"],
        Text,
    ),
    program("rev", "", "", &["help", "version"], Files),
    program("fold", "bs", "w", &["bytes", "spaces", "width=", "help", "version"], Files),
    program("fmt", "cstu", "wpg", &["width=", "help", "version"], Files),
    program("expand", "i", "t", &["tabs=", "initial", "help", "version"], Files),
    program("unexpand", "a", "t", &["all", "first-only", "tabs=", "help", "version"], Files),
    program(
        "column",
        "txentLR",
        "cosNTEHOW",
        &["table", "help", "version", "separator=", "output-separator="],
        Files,
    ),
    program(
        "diff",
        "abBcdeEilnNpqrstTuwy0123456789",
        "UCxXIFSW",
        &[
            "brief",
            "unified",
            "unified=",
            "context=",
            "ignore-case",
            "ignore-all-space",
            "ignore-space-change",
            "ignore-blank-lines",
            "recursive",
            "new-file",
            "side-by-side",
            "color",
            "color=",
            "report-identical-files",
            "text",
            "exclude=",
            "label=",
            "width=",
            "suppress-common-lines",
            "strip-trailing-cr",
            "minimal",
            "no-dereference",
            "stat",
            "help",
            "version",
            "no-color",
        ],
        Files,
    ),
    program(
        "cmp",
        "bls",
        "in",
        &["print-bytes", "verbose", "quiet", "silent", "bytes=", "ignore-initial=", "help", "version"],
        Files,
    ),
    program(
        "stat",
        "LftxFnqrs",
        "c",
        &["dereference", "file-system", "format=", "printf=", "terse", "help", "version"],
        Files,
    ),
    program(
        "file",
        "bhikLNprsvz0",
        "mFeP",
        &[
            "brief",
            "mime",
            "mime-type",
            "mime-encoding",
            "dereference",
            "no-pad",
            "help",
            "version",
            "keep-going",
            "separator=",
        ],
        Files,
    ),
    program(
        "du",
        "0abcDhHklLmsSxP",
        "dBt",
        &[
            "all",
            "apparent-size",
            "bytes",
            "total",
            "human-readable",
            "summarize",
            "max-depth=",
            "exclude=",
            "one-file-system",
            "time",
            "help",
            "version",
            "si",
            "separate-dirs",
            "threshold=",
            "block-size=",
        ],
        Files,
    ),
    program(
        "df",
        "aBhHiklPTtx",
        "Btx",
        &[
            "all",
            "human-readable",
            "inodes",
            "local",
            "print-type",
            "total",
            "type=",
            "help",
            "version",
            "output",
            "output=",
            "si",
        ],
        Files,
    ),
    program(
        "tree",
        "adfilpsughDFqNQrtvUCnAxXJ",
        "LPIH",
        &[
            "dirsfirst",
            "noreport",
            "gitignore",
            "prune",
            "filelimit",
            "du",
            "si",
            "inodes",
            "device",
            "sort=",
            "charset=",
            "help",
            "version",
            "matchdirs",
            "ignore-case",
            "metafirst",
        ],
        Files,
    ),
    program(
        "realpath",
        "ezmLPqs",
        "",
        &[
            "canonicalize-existing",
            "relative-to=",
            "relative-base=",
            "strip",
            "no-symlinks",
            "help",
            "version",
        ],
        Files,
    ),
    program(
        "readlink",
        "efmnqsvz",
        "",
        &["canonicalize", "canonicalize-existing", "canonicalize-missing", "no-newline", "help", "version"],
        Files,
    ),
    program("basename", "az", "s", &["multiple", "suffix=", "zero", "help", "version"], Text),
    program("dirname", "z", "", &["zero", "help", "version"], Text),
    program("md5sum", "btz", "", &["binary", "text", "tag", "zero", "help", "version"], Files),
    program("sha1sum", "btz", "", &["binary", "text", "tag", "zero", "help", "version"], Files),
    program("sha256sum", "btz", "", &["binary", "text", "tag", "zero", "help", "version"], Files),
    program("sha512sum", "btz", "", &["binary", "text", "tag", "zero", "help", "version"], Files),
    program("b2sum", "btz", "l", &["tag", "zero", "help", "version", "length="], Files),
    program("cksum", "", "a", &["algorithm=", "help", "version"], Files),
    program("sum", "rs", "", &["help", "version"], Files),
    program(
        "od",
        "abcdfilosx",
        "ANjtvwS",
        &["address-radix=", "format=", "skip-bytes=", "read-bytes=", "output-duplicates", "help", "version"],
        Files,
    ),
    program("hexdump", "bcCdoxv", "ens", &["canonical", "help", "version", "length=", "skip="], Files),
    program("xxd", "abCdeEipu", "cgloRs", &[], OneFile),
    program("strings", "afwo", "nte", &["all", "bytes=", "radix=", "encoding=", "help", "version"], Files),
    program("base64", "dDi", "w", &["decode", "ignore-garbage", "wrap=", "help", "version"], Files),
    program(
        "jq",
        "ceRrsSMCnjae",
        "",
        &[
            "compact-output",
            "raw-output",
            "arg=",
            "argjson=",
            "raw-input",
            "slurp",
            "sort-keys",
            "null-input",
            "exit-status",
            "tab",
            "indent=",
            "monochrome-output",
            "color-output",
            "join-output",
            "ascii-output",
            "help",
            "version",
        ],
        PatternAndFiles,
    ),
    program("echo", "neE", "", &[], Text),
    program("printf", "", "", &[], Special),
    program("true", "", "", &[], Text),
    program("false", "", "", &[], Text),
    program(":", "", "", &[], Text),
    program("pwd", "LP", "", &["logical", "physical", "help", "version"], Nothing),
    program("whoami", "", "", &["help", "version"], Nothing),
    program(
        "id",
        "agGnruzZ",
        "",
        &["group", "groups", "name", "real", "user", "help", "version", "zero"],
        Text,
    ),
    program("groups", "", "", &["help", "version"], Text),
    program(
        "uname",
        "asnrvmpio",
        "",
        &[
            "all",
            "kernel-name",
            "nodename",
            "kernel-release",
            "kernel-version",
            "machine",
            "processor",
            "hardware-platform",
            "operating-system",
            "help",
            "version",
        ],
        Nothing,
    ),
    program("hostname", "fsid", "", &["fqdn", "short", "help", "version"], Nothing),
    program("arch", "", "", &["help", "version"], Nothing),
    program("nproc", "", "", &["all", "ignore=", "help", "version"], Nothing),
    program("uptime", "ps", "", &["pretty", "since", "help", "version"], Nothing),
    program(
        "free",
        "bkmghltwv",
        "sc",
        &["bytes", "kilo", "mega", "giga", "human", "wide", "total", "help", "version"],
        Nothing,
    ),
    program("which", "as", "", &["all"], Text),
    program("type", "afpPt", "", &[], Text),
    program("seq", "w", "fs", &["equal-width", "format=", "separator=", "help", "version"], Text),
    program("expr", "", "", &["help", "version"], Text),
    program("test", "", "", &[], Special),
    program("[", "", "", &[], Special),
    program(
        "date",
        "uRI",
        "d",
        &["date=", "utc", "universal", "iso-8601", "iso-8601=", "rfc-email", "rfc-3339=", "help", "version"],
        Special,
    ),
    program("cal", "13jmsy", "", &[], Text),
    program(
        "ps",
        "AadefFHjlLMmNPTuvVwwxXyZO-",
        "CGopqstUgk",
        &[
            "forest",
            "sort=",
            "no-headers",
            "headers",
            "help",
            "version",
            "pid=",
            "user=",
            "format=",
            "cols=",
            "ppid=",
            "deselect",
        ],
        Text,
    ),
    program(
        "pgrep",
        "aflLnovwxic",
        "GPgstuUFd",
        &["list-name", "list-full", "full", "newest", "oldest", "count", "help", "version", "exact"],
        Text,
    ),
    program("lscpu", "abcJpxye", "", &["all", "json", "help", "version", "extended"], Nothing),
    program(
        "lsblk",
        "abdfiJlmnOpPrSstz",
        "oexIM",
        &["all", "json", "help", "version", "fs", "output=", "paths", "list"],
        Files,
    ),
    program(
        "numfmt",
        "dz",
        "",
        &[
            "to=", "from=", "suffix=", "padding=", "field=", "format=", "grouping", "help", "version",
            "header", "header=",
        ],
        Text,
    ),
    program("tsort", "", "", &["help", "version"], Files),
    program("find", "", "", &[], Special),
    program("cd", "LPe@", "", &[], Special),
    program("sleep", "", "", &[], Text),
    program("sed", "", "", &[], Special),
    program("command", "vV", "", &[], Text),
    program("shasum", "bt", "a", &["algorithm=", "binary", "text", "help", "version"], Files),
    program("less", "NSRFXinMmq", "", &[], Special),
];

/// Whether an option of a program can do more than read: then a glob must not be taken for one.
pub(super) fn has_harmful_options(name: &str) -> bool {
    matches!(
        name,
        "git"
            | "rg"
            | "sort"
            | "find"
            | "sed"
            | "date"
            | "tree"
            | "uniq"
            | "file"
            | "less"
            | "hostname"
            | "diff"
            | "grep"
    )
}

/// Why a program may do more than read; `words` begin with its name.
pub(super) fn refusal(name: &str, words: &[&str], reads_path: &dyn Fn(&str) -> bool) -> Option<String> {
    let Some(program) = PROGRAMS.iter().find(|program| program.name == name) else {
        return Some("it is no known query".to_owned());
    };
    let arguments = &words[1..];
    match name {
        "find" => return find(arguments, reads_path),
        "sed" => return sed(arguments, reads_path),
        "cd" => return cd(arguments, reads_path),
        "printf" => {
            return arguments
                .first()
                .is_some_and(|text| text.starts_with("-v"))
                .then(|| "it sets a variable".to_owned());
        }
        "test" | "[" => return test(arguments, reads_path),
        "date" => {
            let sets = arguments.iter().any(|text| {
                !text.starts_with(['+', '-']) && !matches!(previous(arguments, text), Some("-d" | "--date"))
            });
            if sets {
                return Some("it may set the clock".to_owned());
            }
        }
        "less" => return Some("it is a pager, which runs programs".to_owned()),
        "command" if !arguments.first().is_some_and(|text| matches!(*text, "-v" | "-V")) => {
            return Some("it runs its arguments".to_owned());
        }
        "tail" if false => {}
        _ => {}
    }
    by_table(program, arguments, reads_path)
}

fn previous<'a>(arguments: &[&'a str], text: &str) -> Option<&'a str> {
    let place = arguments.iter().position(|argument| std::ptr::eq(*argument, text))?;
    place.checked_sub(1).map(|place| arguments[place])
}

fn by_table(program: &Program, arguments: &[&str], reads_path: &dyn Fn(&str) -> bool) -> Option<String> {
    let unknown = |option: &str| Some(format!("its option {option} is not known to read"));
    let mut operands = Vec::new();
    let mut has_pattern = false;
    let mut only_operands = false;
    let mut rest = arguments.iter();
    while let Some(&text) = rest.next() {
        if only_operands || text == "-" || !text.starts_with('-') {
            // `ps aux` and `date +%F` are no files.
            operands.push(text);
            continue;
        }
        if text == "--" {
            only_operands = true;
            continue;
        }
        if let Some(name) = text.strip_prefix("--") {
            let has_value = name.contains('=');
            let bare = name.split('=').next().unwrap_or(name);
            let with_value = program.long.iter().any(|long| long.strip_suffix('=') == Some(bare));
            let without = program.long.contains(&bare);
            if !(with_value && has_value || without && !has_value || with_value && !without) {
                return unknown(text);
            }
            if with_value && !has_value && !without {
                rest.next();
            }
            has_pattern |= bare == "regexp";
            if matches!((program.name, bare), ("jq", "arg" | "argjson")) {
                rest.next();
            }
            if matches!(bare, "file" | "files-from" | "relative-to" | "relative-base") {
                return unknown(text);
            }
            continue;
        }
        let mut letters = text[1..].chars();
        while let Some(letter) = letters.next() {
            if program.valued.contains(letter) {
                let value = letters.as_str();
                let value = if value.is_empty() { rest.next().copied().unwrap_or("") } else { value };
                has_pattern |= matches!(letter, 'e' | 'f') && program.operands == PatternAndFiles;
                let is_file = matches!(
                    (program.name, letter),
                    ("grep" | "egrep" | "fgrep" | "rg", 'f') | ("file", 'm' | 'f')
                );
                if is_file && !reads_path(value) {
                    return Some(format!("{value} is outside of the root"));
                }
                break;
            }
            if !program.short.contains(letter) {
                return unknown(text);
            }
        }
    }
    let files: &[&str] = match program.operands {
        Text | Special => &[],
        Nothing if !operands.is_empty() => return Some("it takes no arguments when it reads".to_owned()),
        Nothing => &[],
        OneFile if operands.len() > 1 => return Some("its second file is written".to_owned()),
        Files | OneFile => &operands,
        PatternAndFiles
            if has_pattern || arguments.contains(&"--files") || arguments.contains(&"--type-list") =>
        {
            &operands
        }
        PatternAndFiles => operands.get(1..).unwrap_or_default(),
    };
    outside(files, reads_path)
}

fn outside(files: &[&str], reads_path: &dyn Fn(&str) -> bool) -> Option<String> {
    files.iter().find(|path| !reads_path(path)).map(|path| format!("{path} is outside of the root"))
}

/// `find` without actions.
fn find(arguments: &[&str], reads_path: &dyn Fn(&str) -> bool) -> Option<String> {
    let mut rest = arguments.iter().peekable();
    while rest.peek().is_some_and(|text| matches!(**text, "-L" | "-P" | "-H")) {
        rest.next();
    }
    while let Some(text) = rest.next_if(|text| !text.starts_with(['-', '(', '!'])) {
        if !reads_path(text) {
            return Some(format!("{text} is outside of the root"));
        }
    }
    while let Some(&text) = rest.next() {
        let takes_value = matches!(
            text,
            "-name"
                | "-iname"
                | "-path"
                | "-ipath"
                | "-wholename"
                | "-iwholename"
                | "-regex"
                | "-iregex"
                | "-type"
                | "-xtype"
                | "-size"
                | "-mtime"
                | "-mmin"
                | "-atime"
                | "-amin"
                | "-ctime"
                | "-cmin"
                | "-newer"
                | "-anewer"
                | "-cnewer"
                | "-newermt"
                | "-maxdepth"
                | "-mindepth"
                | "-user"
                | "-group"
                | "-uid"
                | "-gid"
                | "-perm"
                | "-links"
                | "-inum"
                | "-lname"
                | "-ilname"
                | "-printf"
                | "-regextype"
                | "-samefile"
                | "-fstype"
                | "-used"
        );
        let is_known = takes_value
            || matches!(
                text,
                "-print"
                    | "-print0"
                    | "-ls"
                    | "-prune"
                    | "-quit"
                    | "-empty"
                    | "-o"
                    | "-or"
                    | "-a"
                    | "-and"
                    | "-not"
                    | "!"
                    | "("
                    | ")"
                    | "-true"
                    | "-false"
                    | "-depth"
                    | "-d"
                    | "-xdev"
                    | "-mount"
                    | "-follow"
                    | "-readable"
                    | "-writable"
                    | "-executable"
                    | "-nouser"
                    | "-nogroup"
                    | "-noleaf"
                    | "-daystart"
                    | "-warn"
                    | "-nowarn"
                    | ","
                    | "-help"
                    | "--help"
                    | "-version"
                    | "--version"
            );
        if !is_known {
            return Some(format!("{text} is not known to read"));
        }
        if takes_value
            && let Some(value) = rest.next()
            && matches!(text, "-newer" | "-anewer" | "-cnewer" | "-samefile")
            && !reads_path(value)
        {
            return Some(format!("{value} is outside of the root"));
        }
    }
    None
}

/// `sed -n '1,5p'` and nothing else.
fn sed(arguments: &[&str], reads_path: &dyn Fn(&str) -> bool) -> Option<String> {
    let [flag, script, files @ ..] = arguments else {
        return Some("only `sed -n` with lines to print is known to read".to_owned());
    };
    let is_print = matches!(*flag, "-n" | "-nE" | "-En" | "-nr")
        && script.split(';').all(|part| {
            let part = part.trim();
            part.strip_suffix('p').is_some_and(|lines| {
                lines.chars().all(|char| char.is_ascii_digit() || char == ',' || char == '$')
            })
        });
    if !is_print {
        return Some("only `sed -n` with lines to print is known to read".to_owned());
    }
    if let Some(option) = files.iter().find(|text| text.starts_with('-')) {
        return Some(format!("its option {option} is not known to read"));
    }
    outside(files, reads_path)
}

fn cd(arguments: &[&str], reads_path: &dyn Fn(&str) -> bool) -> Option<String> {
    match arguments.iter().find(|text| !text.starts_with('-')) {
        Some(path) if arguments.len() == 1 && reads_path(path) => None,
        _ => Some("the directory is not known to be in the root".to_owned()),
    }
}

fn test(arguments: &[&str], reads_path: &dyn Fn(&str) -> bool) -> Option<String> {
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
                | "-nt"
                | "-ot"
                | "-ef"
        );
        if is_file && !reads_path(pair[1]) {
            return Some(format!("{} is outside of the root", pair[1]));
        }
        if pair[0] == "-v" || pair[0] == "-R" {
            return Some("it evaluates a variable".to_owned());
        }
    }
    None
}
