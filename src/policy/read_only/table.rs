//! The table of programs that only read: their flags, their options with values, and their operands.

/// The arguments with which a program only reads.
pub(super) struct Program {
    pub(super) name: &'static str,
    /// Letters of flags that only read.
    pub(super) short: &'static str,
    /// Letters of options that take a value: the rest of the word, or the next word.
    pub(super) valued: &'static str,
    /// Names of long options, separated by blanks, with `=` after those that take a value.
    long: &'static str,
    pub(super) operands: Operands,
}

/// The meaning of the arguments that are no options.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    Files,
    /// A pattern, then files.
    PatternAndFiles,
    /// Text, which names no file.
    Text,
    None,
    /// One file: the program would write a second one.
    OneFile,
    /// [`super::programs`] has a function for the arguments of this program.
    Special,
}

impl Program {
    /// Returns whether a long option is known to read. A `=` at the end means that it takes a value.
    pub(super) fn has_long(&self, name: &str) -> bool {
        self.long.split_ascii_whitespace().any(|long| long == name)
    }
}

const fn program(
    name: &'static str,
    short: &'static str,
    valued: &'static str,
    long: &'static str,
    operands: Operands,
) -> Program {
    Program { name, short, valued, long, operands }
}

use Operands::{Files, None as Nothing, OneFile, PatternAndFiles, Special, Text};

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
    program(
        "ls",
        "aAbBcCdfFgGhHiIklLmnNopqQrRsStTuUvwxXZ1@eO",
        "ITw",
        "all almost-all author color color= classify directory group-directories-first human-readable inode \
        no-group numeric-uid-gid recursive reverse si size sort= time= time-style= full-time format= ignore= \
        hide= indicator-style= quote-name literal dereference help version block-size= width= zero",
        Files,
    ),
    program(
        "cat",
        "AbeEnstTuv",
        "",
        "show-all number number-nonblank show-ends show-tabs squeeze-blank show-nonprinting help version",
        Files,
    ),
    program("tac", "br", "s", "before regex separator= help version", Files),
    program(
        "head",
        "qvz0123456789",
        "nc",
        "lines= bytes= quiet silent verbose zero-terminated help version",
        Files,
    ),
    program(
        "tail",
        "qvz0123456789fFr",
        "ncs",
        "lines= bytes= quiet silent verbose follow follow= retry pid= sleep-interval= zero-terminated help \
        version",
        Files,
    ),
    program("wc", "clmLw", "", "bytes chars lines words max-line-length help version total=", Files),
    program("nl", "p", "bdfhilnsvw", "body-numbering= help version", Files),
    program("grep", "EFGPivwxcLloqshHnbTUZzaIrurn0123456789", "efmABCdD", GREP_LONG, PatternAndFiles),
    program("egrep", "ivwxcLloqshHnbTUZzaIrurn0123456789", "efmABCdD", GREP_LONG, PatternAndFiles),
    program("fgrep", "ivwxcLloqshHnbTUZzaIrurn0123456789", "efmABCdD", GREP_LONG, PatternAndFiles),
    program("rg", "isSvwxcloqHInNFauUpPhVb.0", "emABCgtTMrjdE", RG_LONG, PatternAndFiles),
    program(
        "cut",
        "nsz",
        "bcdf",
        "bytes= characters= delimiter= fields= complement only-delimited output-delimiter= help version",
        Files,
    ),
    program("paste", "sz", "d", "delimiters= serial help version", Files),
    program("join", "iz", "aejotv12", "help version ignore-case header check-order nocheck-order", Files),
    program("comm", "123z", "", "check-order nocheck-order output-delimiter= total help version", Files),
    program(
        "uniq",
        "cdDiuz",
        "fsw",
        "count repeated unique ignore-case skip-fields= skip-chars= check-chars= zero-terminated help \
        version",
        OneFile,
    ),
    program(
        "sort",
        "bcCdfgiMhmnRrsuVz",
        "kt",
        "reverse numeric-sort unique key= field-separator= human-numeric-sort version-sort stable \
        ignore-case month-sort general-numeric-sort check zero-terminated help version sort= \
        ignore-leading-blanks dictionary-order",
        Files,
    ),
    program("tr", "cCdst", "", "complement delete squeeze-repeats truncate-set1 help version", Text),
    program("rev", "", "", "help version", Files),
    program("fold", "bs", "w", "bytes spaces width= help version", Files),
    program("fmt", "cstu", "wpg", "width= help version", Files),
    program("expand", "i", "t", "tabs= initial help version", Files),
    program("unexpand", "a", "t", "all first-only tabs= help version", Files),
    program("column", "txentLR", "cosNTEHOW", "table help version separator= output-separator=", Files),
    program(
        "diff",
        "abBcdeEilnNpqrstTuwy0123456789",
        "UCxIFSW",
        "brief unified unified= context context= ignore-case ignore-all-space ignore-space-change \
        ignore-blank-lines recursive new-file side-by-side color color= report-identical-files text exclude= \
        label= width= suppress-common-lines strip-trailing-cr minimal no-dereference stat help version \
        no-color",
        Files,
    ),
    program(
        "cmp",
        "bls",
        "in",
        "print-bytes verbose quiet silent bytes= ignore-initial= help version",
        Files,
    ),
    program("stat", "LftxFnqrs", "c", "dereference file-system format= printf= terse help version", Files),
    program(
        "file",
        "bhikLNprsv0",
        "mFeP",
        "brief mime mime-type mime-encoding dereference no-pad help version keep-going separator=",
        Files,
    ),
    program(
        "du",
        "0abcDhHklLmsSxP",
        "dBt",
        "all apparent-size bytes total human-readable summarize max-depth= exclude= one-file-system time \
        help version si separate-dirs threshold= block-size=",
        Files,
    ),
    program(
        "df",
        "aBhHiklPTtx",
        "Btx",
        "all human-readable inodes local print-type total type= help version output output= si",
        Files,
    ),
    program(
        "tree",
        "adfilpsughDFqNQrtvUCnAxXJ",
        "LPIH",
        "dirsfirst noreport gitignore prune filelimit du si inodes device sort= charset= help version \
        matchdirs ignore-case metafirst",
        Files,
    ),
    program(
        "realpath",
        "ezmLPqs",
        "",
        "canonicalize-existing relative-to= relative-base= strip no-symlinks help version",
        Files,
    ),
    program(
        "readlink",
        "efmnqsvz",
        "",
        "canonicalize canonicalize-existing canonicalize-missing no-newline help version",
        Files,
    ),
    program("basename", "az", "s", "multiple suffix= zero help version", Text),
    program("dirname", "z", "", "zero help version", Text),
    program("md5sum", "btz", "", "binary text tag zero help version", Files),
    program("sha1sum", "btz", "", "binary text tag zero help version", Files),
    program("sha256sum", "btz", "", "binary text tag zero help version", Files),
    program("sha512sum", "btz", "", "binary text tag zero help version", Files),
    program("b2sum", "btz", "l", "tag zero help version length=", Files),
    program("cksum", "", "a", "algorithm= help version", Files),
    program("sum", "rs", "", "help version", Files),
    program(
        "od",
        "abcdfilosx",
        "ANjtvwS",
        "address-radix= format= skip-bytes= read-bytes= output-duplicates help version",
        Files,
    ),
    program("hexdump", "bcCdoxv", "ens", "canonical help version length= skip=", Files),
    program("xxd", "abCdeEipu", "cgloRs", "", OneFile),
    program("strings", "afwo", "nte", "all bytes= radix= encoding= help version", Files),
    program("base64", "dDi", "w", "decode ignore-garbage wrap= help version", Files),
    program(
        "jq",
        "ceRrsSMCnjae",
        "",
        "compact-output raw-output arg= argjson= raw-input slurp sort-keys null-input exit-status tab \
        indent= monochrome-output color-output join-output ascii-output help version",
        PatternAndFiles,
    ),
    program("echo", "neE", "", "", Text),
    program("printf", "", "", "", Special),
    program("read", "rs", "adnNptu", "", Text),
    program("true", "", "", "", Text),
    program("false", "", "", "", Text),
    program(":", "", "", "", Text),
    program("pwd", "LP", "", "logical physical help version", Nothing),
    program("whoami", "", "", "help version", Nothing),
    program("id", "agGnruzZ", "", "group groups name real user help version zero", Text),
    program("groups", "", "", "help version", Text),
    program(
        "uname",
        "asnrvmpio",
        "",
        "all kernel-name nodename kernel-release kernel-version machine processor hardware-platform \
        operating-system help version",
        Nothing,
    ),
    program("hostname", "fsid", "", "fqdn short help version", Nothing),
    program("arch", "", "", "help version", Nothing),
    program("nproc", "", "", "all ignore= help version", Nothing),
    program("uptime", "ps", "", "pretty since help version", Nothing),
    program("free", "bkmghltwv", "sc", "bytes kilo mega giga human wide total help version", Nothing),
    program("which", "as", "", "all", Text),
    program("type", "afpPt", "", "", Text),
    program("seq", "w", "fs", "equal-width format= separator= help version", Text),
    program("expr", "", "", "help version", Text),
    program("test", "", "", "", Special),
    program("[", "", "", "", Special),
    program(
        "date",
        "uRI",
        "d",
        "date= utc universal iso-8601 iso-8601= rfc-email rfc-3339= help version",
        Special,
    ),
    program("cal", "13jmsy", "", "", Text),
    program(
        "ps",
        "AadefFHjlLMmNPTuvVwwxXyZO-",
        "CGopqstUgk",
        "forest sort= no-headers headers help version pid= user= format= cols= ppid= deselect",
        Text,
    ),
    program(
        "pgrep",
        "aflLnovwxic",
        "GPgstuUFd",
        "list-name list-full full newest oldest count help version exact",
        Text,
    ),
    program("lscpu", "abcJpxye", "", "all json help version extended", Nothing),
    program("lsblk", "abdfiJlmnOpPrSstz", "oexIM", "all json help version fs output= paths list", Files),
    program(
        "numfmt",
        "dz",
        "",
        "to= from= suffix= padding= field= format= grouping help version header header=",
        Text,
    ),
    program("tsort", "", "", "help version", Files),
    program("find", "", "", "", Special),
    program("cd", "LPe@", "", "", Special),
    program("sleep", "", "", "", Text),
    program("sed", "", "", "", Special),
    program("command", "vV", "", "", Text),
    program("shasum", "bt", "a", "algorithm= binary text help version", Files),
    program("less", "NSRFXinMmq", "", "", Special),
];
