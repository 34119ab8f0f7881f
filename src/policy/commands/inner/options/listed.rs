//! A table of options that run a program, or name what may run one.

use crate::policy::commands::analysis::Obstacle;
use crate::policy::commands::arguments::{OptionWord, valued_letter};
use crate::policy::commands::field::{Field, UNKNOWN};

/// A program, its options that run a command, and its options that name a file or a setting by which it may
/// run one.
type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

/// Options by which a compiler runs another program, or loads code.
const COMPILER: &[&str] =
    &["-wrapper", "-fplugin", "-B", "-specs", "--specs", "-load", "--ld-path", "--config"];

const TAR: &[&str] = &[
    "--to-command", "--use-compress-program", "--rsh-command", "--info-script", "--new-volume-script",
    "--rmt-command", "-I", "-F", "--checkpoint-action",
];

const EDITOR: &[&str] = &["-c", "--cmd", "-S", "-s", "-l"];

const OPTIONS: &[Row] = &[
    ("tar", TAR, &[]),
    ("gtar", TAR, &[]),
    ("bsdtar", &["--use-compress-program"], &[]),
    ("rsync", &["--rsh", "-e", "--rsync-path"], &[]),
    ("scp", &["-S", "-D"], &["-o", "-F"]),
    ("sftp", &["-S", "-D"], &["-o", "-F"]),
    ("sort", &["--compress-program"], &[]),
    ("split", &["--filter"], &[]),
    ("rg", &["--pre", "--hostname-bin"], &[]),
    ("man", &["-P", "--pager", "-H", "--html", "-X", "--gxditview", "-C", "--config-file"], &[]),
    ("zip", &["-TT", "--unzip-command"], &[]),
    ("install", &["--strip-program"], &[]),
    ("pandoc", &["--filter", "-F", "--lua-filter", "-L", "--pdf-engine"], &[]),
    ("fzf", &["--preview", "--bind"], &[]),
    ("helm", &["--post-renderer"], &[]),
    ("hg", &["--config", "--debugger"], &[]),
    ("svn", &["--diff-cmd", "--diff3-cmd", "--editor-cmd", "--config-option"], &["--config-dir"]),
    ("rake", &["-e", "--execute", "-E", "--execute-continue", "-p", "--execute-print"], &["-r", "--require"]),
    ("mysql", &["--pager"], &["--defaults-file", "--defaults-extra-file"]),
    ("ag", &["--pager"], &[]),
    ("ack", &["--pager"], &["--ackrc"]),
    ("bat", &["--pager"], &[]),
    ("batcat", &["--pager"], &[]),
    ("less", &[], &["-k", "--lesskey-file", "--lesskey-src", "--lesskey-content"]),
    ("wget", &["--use-askpass", "--rsh-command"], &["--config", "--execute", "-e"]),
    ("tcpdump", &["-z"], &[]),
    ("dpkg", &["--pre-invoke", "--post-invoke"], &[]),
    ("rpm", &["--eval", "-E", "--define", "-D", "--pipe"], &["--macros", "--rcfile", "--load"]),
    ("rpmbuild", &["--eval", "-E", "--define", "-D"], &["--macros", "--rcfile", "--load"]),
    ("apt", &[], &["-o", "--option", "-c", "--config-file"]),
    ("apt-get", &[], &["-o", "--option", "-c", "--config-file"]),
    ("make", &["--eval", "-E"], &[]),
    ("gmake", &["--eval", "-E"], &[]),
    ("ctags", &[], &["--options"]),
    ("gcc", &[], COMPILER),
    ("g++", &[], COMPILER),
    ("cc", &[], COMPILER),
    ("c++", &[], COMPILER),
    ("clang", &[], COMPILER),
    ("clang++", &[], COMPILER),
    ("vim", &[], EDITOR),
    ("vi", &[], EDITOR),
    ("nvim", &[], EDITOR),
    ("ex", &[], EDITOR),
    ("emacs", &[], &["--eval", "--execute", "-l", "--load", "--script", "-f"]),
    ("go", &["-toolexec", "-exec", "--toolexec", "--exec", "-vettool", "--vettool"], &[]),
    ("curl", &[], &["-K", "--config"]),
    ("ninja", &[], &["-t"]),
    ("date", &[], &["-s", "--set"]),
    ("psql", &[], &["-c", "--command", "-f"]),
    ("sqlite3", &[], &["-cmd"]),
    ("ffmpeg", &[], &["-filter_script"]),
    ("openssl", &[], &["-engine", "-provider", "-provider-path"]),
    ("gpg", &["--photo-viewer"], &["--agent-program"]),
    ("enable", &["-f"], &[]),
    ("hash", &["-p"], &[]),
    ("history", &[], &["-a", "-n", "-p", "-r", "-s", "-w"]),
    ("rustc", &[], &["-C", "-Clinker", "--codegen"]),
    ("cargo", &[], &["--config"]),
    (
        "npm",
        &["-c", "--call"],
        &["--script-shell", "--node-options", "--userconfig", "--globalconfig", "--prefix"],
    ),
    ("npx", &["-c", "--call"], &[]),
    ("bunx", &["-c", "--call"], &[]),
    ("pnpx", &["-c", "--call"], &[]),
    ("pnpm", &["-c"], &["--script-shell", "--node-options"]),
    ("yarn", &[], &["--use-yarnrc", "--script-shell"]),
    ("pytest", &[], &["-p", "-c", "--rootdir", "--confcutdir"]),
];

/// Returns the first option of the table among the arguments.
pub(super) fn obstacle(name: &str, words: &[Field]) -> Option<Obstacle> {
    let (_, commands, settings) = OPTIONS.iter().find(|(program, ..)| *program == name)?;
    if name.ends_with("tar") && words.get(1).is_some_and(is_old_style) {
        return Some(Obstacle::UnknownCode("an option that runs a program"));
    }
    if name.ends_with("tar") && words.windows(2).any(|pair| names_archive(&pair[0]) && is_remote(&pair[1])) {
        return Some(Obstacle::UnknownCode("an archive on another machine"));
    }
    let options = || words.iter().skip(1).take_while(|field| field.text != "--");
    if options().any(|field| commands.iter().any(|option| is_option(name, field, option))) {
        return Some(Obstacle::UnknownCode("an option that runs a program"));
    }
    let field = options().find(|field| settings.iter().any(|option| is_option(name, field, option)))?;
    // `scp -o ProxyCommand=prog` runs a command; other settings of ssh do not.
    if matches!(name, "scp" | "sftp")
        && words.iter().any(|field| field.text.to_lowercase().contains("command"))
    {
        return Some(Obstacle::UnknownCode("a setting of ssh"));
    }
    let text = field.shown();
    Some(Obstacle::Argument(text.split('=').next().unwrap_or(&text).to_owned()))
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

fn is_option(program: &str, field: &Field, option: &str) -> bool {
    let text = field.text.as_str();
    if let Some(long) = option.strip_prefix("--") {
        let Some(OptionWord::Long(name, _)) = OptionWord::of(text) else { return false };
        return !name.is_empty() && long.starts_with(name) || name.contains(UNKNOWN);
    }
    if option.len() == 2 {
        // The letter may stand alone, with its value, or at the end of a cluster: `-zI prog`.
        return is_in_cluster(program, text, option);
    }
    // The value of `-TT` may be in the same word.
    text == option || text.strip_prefix(option).is_some_and(|rest| rest.starts_with('=') || option == "-TT")
}

/// Returns whether a cluster has the letter of an option: `-zIprog` is `-z -I prog`. An earlier letter that
/// takes a value ends the search.
fn is_in_cluster(program: &str, text: &str, option: &str) -> bool {
    // A cluster without a dash (`tar cIf prog a`) is no option here: `is_old_style` recognizes it.
    let Some(OptionWord::Short(letters)) = OptionWord::of(text) else { return false };
    let valued = match program {
        "tar" | "gtar" | "bsdtar" => "bCfgHKLNTVX",
        "rsync" => "fBTM@",
        "curl" => "AbcCdDeEFhHmoQrtTuUwxXyYzP",
        "man" => "CRLmMSsepr",
        "npm" | "npx" | "pnpm" => "wpC",
        "pytest" => "kmnorW",
        _ => "",
    };
    let ends = |char| option.ends_with(char) || valued.contains(char);
    valued_letter(letters, ends).is_some_and(|(letter, _)| option.ends_with(letter))
}
