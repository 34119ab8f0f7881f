//! A table of options that run a program.

use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::commands::found::Trust;
use crate::policy::commands::inner::model::Inner;

/// Options by which a compiler runs another program, or loads code.
const COMPILER: &[&str] =
    &["-wrapper", "-fplugin", "-B", "-specs", "--specs", "-load", "--ld-path", "--config"];

/// Programs, and their options that run another program.
const OPTIONS: &[(&str, &[&str])] = &[
    (
        "tar",
        &[
            "--to-command",
            "--use-compress-program",
            "--rsh-command",
            "--info-script",
            "--new-volume-script",
            "--rmt-command",
            "-I",
            "-F",
            "--checkpoint-action",
        ],
    ),
    (
        "gtar",
        &[
            "--to-command",
            "--use-compress-program",
            "--rsh-command",
            "--info-script",
            "-I",
            "-F",
            "--checkpoint-action",
        ],
    ),
    ("bsdtar", &["--use-compress-program"]),
    ("rsync", &["--rsh", "-e", "--rsync-path"]),
    ("scp", &["-S", "-o", "-D", "-F"]),
    ("sftp", &["-S", "-o", "-D", "-F"]),
    ("sort", &["--compress-program"]),
    ("split", &["--filter"]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("man", &["-P", "--pager", "-H", "--html", "-X", "--gxditview", "-C", "--config-file"]),
    ("zip", &["-TT", "--unzip-command"]),
    ("install", &["--strip-program"]),
    ("pandoc", &["--filter", "-F", "--lua-filter", "-L", "--pdf-engine"]),
    ("fzf", &["--preview", "--bind"]),
    ("helm", &["--post-renderer"]),
    ("hg", &["--config", "--debugger"]),
    ("svn", &["--diff-cmd", "--diff3-cmd", "--editor-cmd", "--config-option", "--config-dir"]),
    ("rake", &["-e", "--execute", "-E", "--execute-continue", "-p", "--execute-print", "-r", "--require"]),
    ("mysql", &["--pager", "--defaults-file", "--defaults-extra-file"]),
    ("ag", &["--pager"]),
    ("ack", &["--pager", "--ackrc"]),
    ("bat", &["--pager"]),
    ("batcat", &["--pager"]),
    ("less", &["-k", "--lesskey-file", "--lesskey-src", "--lesskey-content"]),
    ("wget", &["--use-askpass", "--config", "--execute", "-e", "--rsh-command"]),
    ("tcpdump", &["-z"]),
    ("dpkg", &["--pre-invoke", "--post-invoke"]),
    ("apt", &["-o", "--option", "-c", "--config-file"]),
    ("apt-get", &["-o", "--option", "-c", "--config-file"]),
    ("make", &["--eval", "-E"]),
    ("gmake", &["--eval", "-E"]),
    ("ctags", &["--options"]),
    ("gcc", COMPILER),
    ("g++", COMPILER),
    ("cc", COMPILER),
    ("c++", COMPILER),
    ("clang", COMPILER),
    ("clang++", COMPILER),
    ("vim", &["-c", "--cmd", "-S", "-s"]),
    ("vi", &["-c", "--cmd", "-S", "-s"]),
    ("nvim", &["-c", "--cmd", "-S", "-s", "-l"]),
    ("ex", &["-c", "--cmd", "-S", "-s"]),
    ("emacs", &["--eval", "--execute", "-l", "--load", "--script", "-f"]),
    ("git-grep", &["-O", "--open-files-in-pager"]),
    ("go", &["-toolexec", "-exec", "--toolexec", "--exec"]),
    ("curl", &["-K", "--config"]),
    ("ninja", &["-t"]),
    ("date", &["-s", "--set"]),
    ("psql", &["-c", "--command", "-f"]),
    ("sqlite3", &["-cmd"]),
    ("ffmpeg", &["-filter_script"]),
    ("openssl", &["-engine"]),
    ("gpg", &["--photo-viewer", "--agent-program"]),
    ("env-cmd", &[]),
    ("enable", &["-f"]),
    ("hash", &["-p"]),
    ("history", &["-a", "-n", "-p", "-r", "-s", "-w"]),
    ("rustc", &["-C", "-Clinker", "--codegen"]),
    ("cargo", &["--config"]),
    ("npm", &["--script-shell", "--node-options", "--userconfig", "--globalconfig"]),
    ("pnpm", &["--script-shell", "--node-options"]),
    ("diff", &[]),
];

/// Programs of which an option of the table takes a command line, which is judged. The options of the others only name something
/// that runs: they are obstacles to an allow rule.
const TAKES_COMMAND: [&str; 18] = [
    "tar", "gtar", "bsdtar", "rsync", "sort", "split", "rg", "man", "zip", "scp", "sftp", "ag", "bat",
    "tcpdump", "dpkg", "install", "pandoc", "helm",
];

/// Returns the command lines in options of the table.
pub(super) fn inner(name: &str, words: &[Field]) -> Vec<Inner> {
    let Some((_, names)) = OPTIONS.iter().find(|(program, _)| *program == name) else { return Vec::new() };
    if !TAKES_COMMAND.contains(&name) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if name.ends_with("tar") && words.get(1).is_some_and(is_old_style) {
        found.push(Inner::unknown_code("an option that runs a program"));
    }
    for (at, field) in words.iter().enumerate().skip(1) {
        if field.text == "--" {
            break;
        }
        if !names.iter().any(|option| is_option(name, field, option)) {
            continue;
        }
        let value = option_value(name, names, field, words.get(at + 1));
        let mut text = value.filter(|value| !value.contains(UNKNOWN) && !value.is_empty());
        if matches!(name, "scp" | "sftp")
            && let Some(value) = text
        {
            text = match setting_of_ssh(field, &value) {
                Setting::Harmless => continue,
                Setting::Command(command) => Some(command),
            };
        }
        found.push(Inner::code(text, "an option that runs a program", Trust::Separate, false));
    }
    found
}

/// Returns whether the first argument of tar is a cluster of letters without a dash whose values follow in order:
/// `tar cIf prog a`.
fn is_old_style(field: &Field) -> bool {
    let text = field.text.as_str();
    !text.starts_with('-') && text.contains(['I', 'F']) && text.chars().all(char::is_alphabetic)
}

/// Returns the value of an option of the table: behind `=`, in the same word, or in the next one.
fn option_value(name: &str, names: &[&str], field: &Field, next: Option<&Field>) -> Option<String> {
    if let Some((_, value)) = field.text.split_once('=') {
        return Some(value.trim_start_matches("exec=").to_owned());
    }
    let short = names.iter().filter(|option| option.len() == 2);
    let has_value =
        short.filter_map(|option| cluster_value(name, &field.text, option)).any(|value| !value.is_empty());
    if has_value {
        let values = names.iter().filter_map(|option| cluster_value(name, &field.text, option));
        return values.max_by_key(|value| value.len()).map(str::to_owned);
    }
    next.map(|field| field.text.clone())
}

/// A setting of ssh, as in `-o ProxyCommand=prog`.
enum Setting {
    /// The setting runs nothing.
    Harmless,
    /// The command line that the setting, or another option, runs.
    Command(String),
}

fn setting_of_ssh(field: &Field, text: &str) -> Setting {
    let runs = format!("{}{text}", field.text).to_lowercase().contains("command");
    if field.text.starts_with("-o") && !runs {
        return Setting::Harmless;
    }
    let value = text.split_once(['=', ' ']).map(|(_, value)| value);
    // In `-oProxyCommand=prog`, `text` is the value already.
    let is_value = field.text.contains('=');
    Setting::Command(value.filter(|_| !is_value).unwrap_or(text).to_owned())
}

/// Returns the first option of the table among the arguments.
pub(super) fn obstacle(name: &str, words: &[Field]) -> Option<String> {
    let (_, names) = OPTIONS.iter().find(|(program, _)| *program == name)?;
    let matching = words
        .iter()
        .skip(1)
        .take_while(|field| field.text != "--")
        .find(|field| names.iter().any(|option| is_option(name, field, option)))?;
    let text = matching.shown();
    Some(text.split('=').next().unwrap_or(&text).to_owned())
}

fn is_option(program: &str, field: &Field, option: &str) -> bool {
    let text = field.text.as_str();
    if let Some(long) = option.strip_prefix("--") {
        let Some(name) = text.strip_prefix("--") else { return false };
        let name = name.split('=').next().unwrap_or(name);
        // Abbreviations of long options match.
        return !name.is_empty() && long.starts_with(name) || name.contains(UNKNOWN);
    }
    if option.len() == 2 {
        // The letter may stand alone, with its value, or at the end of a cluster: `-zI prog`.
        return cluster_value(program, text, option).is_some();
    }
    // The value of `-TT` may stand in the same word.
    text == option || text.strip_prefix(option).is_some_and(|rest| rest.starts_with('=') || option == "-TT")
}

/// Returns the rest of a cluster behind the letter of an option: `-zIprog` is `-z -I prog`. A letter before it that takes a value
/// ends the search.
fn cluster_value<'a>(program: &str, text: &'a str, option: &str) -> Option<&'a str> {
    let letter = option.as_bytes().get(1).map(|byte| *byte as char)?;
    // A cluster without a dash (`tar cIf prog a`) is no option here: `is_old_style` recognizes it.
    let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    let ends = match program {
        "tar" | "gtar" | "bsdtar" => "bCfgHKLNTVX",
        "rsync" => "fBTM@",
        "curl" => "AbcCdDeEFhHmoQrtTuUwxXyYzP",
        "man" => "CRLmMSsepr",
        _ => "",
    };
    for (index, char) in letters.char_indices() {
        if char == letter {
            return Some(&letters[index + char.len_utf8()..]);
        }
        if ends.contains(char) {
            return None;
        }
    }
    None
}
