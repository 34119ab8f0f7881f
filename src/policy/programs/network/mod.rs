//! Programs that reach other machines: they run commands there, copy files, and fetch text.

mod ssh;

use super::program::{always, fetch, fetches, hidden, runs, separate, wraps};
use super::system::{endless, of_setting};
use super::text::b64_decodes;
use super::{Fetch, HiddenPrograms, InnerCommands, Offer, Program, Synonyms};
use crate::policy::commands::{
    ExpandedCommand, Field, Inner, Obstacle, StandardInput, after_dashes, base_name, hidden_obstacle,
    is_shell, option_text, values,
};
use crate::policy::danger::{ProtectedPaths, copies_onto, operands, removes};
use crate::policy::decision::{Danger, Effect};
use ssh::ssh;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["ssh"],
        runs: InnerCommands::By(ssh),
        fetches: Some(fetch(ssh_fetches)),
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    Program {
        names: &["slogin"],
        runs: InnerCommands::By(ssh),
        fetches: Some(fetch(ssh_fetches)),
        ..Program::PLAIN
    },
    runs(&["autossh"], ssh),
    Program { names: &["scp"], obstacle: Some(of_scp), harms: &[copies], ..Program::PLAIN },
    Program { names: &["sftp"], obstacle: Some(of_scp), ..Program::PLAIN },
    Program {
        names: &["rsync"],
        hidden: HiddenPrograms { valued: "fBTM@", ..hidden(&["--rsh", "-e", "--rsync-path"], &[]) },
        harms: &[deletes, copies],
        ..Program::PLAIN
    },
    Program {
        names: &["curl"],
        hidden: HiddenPrograms { valued: "AbcCdDeEFhHmoQrtTuUwxXyYzP", ..hidden(&[], &["-K", "--config"]) },
        writes: Some(|words| values(words, "ocD", &CURL_OUTPUTS, "AbCdeEFHKmPQrtTuUwxXyYz")),
        fetches: Some(fetch(always)),
        synonyms: Synonyms {
            flags: &[("", "-o --output"), ("", "-X --request"), ("", "-k --insecure")],
            ..Synonyms::NONE
        },
        ..Program::PLAIN
    },
    Program {
        names: &["wget"],
        hidden: hidden(&["--use-askpass", "--rsh-command"], &["--config", "--execute", "-e"]),
        obstacle: Some(of_setting),
        writes: Some(|words| values(words, "OPoa", &WGET_OUTPUTS, "eiBtTwQlARDIXU")),
        fetches: Some(Fetch { output: 'O', keeps_name: true, ..fetch(always) }),
        ..Program::PLAIN
    },
    fetches(
        &[
            "wget2", "aria2c", "fetch", "axel", "http", "https", "xh", "curlie", "lynx", "w3m", "ftp",
            "tftp", "telnet", "lwp-request", "GET",
        ],
        always,
    ),
    fetches(&["dig", "nslookup", "host"], txt_fetches),
    Program {
        names: &["nc", "ncat", "netcat"],
        runs: InnerCommands::By(nc),
        harms: &[gives_shell_away],
        fetches: Some(fetch(always)),
        ..Program::PLAIN
    },
    Program { names: &["socat"], obstacle: Some(of_socat), fetches: Some(fetch(always)), ..Program::PLAIN },
    Program {
        names: &["openssl"],
        hidden: hidden(&[], &["-engine", "-provider", "-provider-path"]),
        harms: &[endless],
        fetches: Some(fetch(s_client_fetches)),
        decodes: Some(b64_decodes),
        ..Program::PLAIN
    },
    Program {
        names: &["gh"],
        runs: InnerCommands::By(after_dashes),
        obstacle: Some(of_gh),
        fetches: Some(fetch(cloud_fetches)),
        offer: Offer::Subcommands(&[
            "pr view", "pr list", "pr diff", "pr checks", "issue view", "issue list", "run view", "run list",
        ]),
        ..Program::PLAIN
    },
    fetches(&["aws", "gsutil", "rclone", "az"], cloud_fetches),
    Program {
        names: &["gcloud"],
        runs: InnerCommands::By(|words, _| option_text(words, '\0', "command", "gcloud")),
        fetches: Some(fetch(cloud_fetches)),
        ..Program::PLAIN
    },
    runs(&["et"], |words, _| option_text(words, 'c', "command", "et")),
    runs(&["fly", "flyctl"], |words, _| option_text(words, 'C', "command", "fly")),
    runs(&["ansible"], |words, _| option_text(words, 'a', "args", "ansible")),
    wraps(&["mosh"], &[separate("p", &["ssh"], 1)]),
    wraps(&["pdsh"], &[separate("wxgltfuR", &[], 0)]),
    wraps(&["clush"], &[separate("wxglfu", &[], 0)]),
    wraps(&["pssh"], &[separate("hHlptoexX", &[], 0)]),
    wraps(&["sshpass"], &[separate("pfde", &[], 0)]),
    wraps(&["ssh-agent"], &[separate("aEtPO", &[], 0)]),
];

/// Options of curl that name a file or a directory to write.
const CURL_OUTPUTS: [&str; 11] = [
    "output", "output-dir", "cookie-jar", "dump-header", "trace", "trace-ascii", "stderr", "etag-save",
    "hsts", "alt-svc", "libcurl",
];

/// Options of wget that name a file or a directory to write.
const WGET_OUTPUTS: [&str; 6] =
    ["output-document", "directory-prefix", "output-file", "append-output", "save-cookies", "hsts-file"];

/// Returns what the options of scp may run. `-o ProxyCommand=prog` runs a command; other settings of ssh do
/// not.
fn of_scp(words: &[Field], _: &StandardInput) -> Option<Obstacle> {
    let found = hidden_obstacle(&hidden(&["-S", "-D"], &["-o", "-F"]), words)?;
    let names_command = words.iter().any(|field| field.text.to_lowercase().contains("command"));
    let is_setting = matches!(found, Obstacle::Argument(_));
    Some(if is_setting && names_command { Obstacle::UnknownCode("a setting of ssh") } else { found })
}

fn of_socat(words: &[Field], _: &StandardInput) -> Option<Obstacle> {
    let runs = words.iter().skip(1).any(|field| is_command_address(&field.text));
    runs.then_some(Obstacle::UnknownCode("an address of socat"))
}

/// Returns whether an address of socat is a command: `EXEC:'command'`.
fn is_command_address(text: &str) -> bool {
    let kind = text.split(':').next().unwrap_or_default().to_ascii_lowercase();
    text.contains(':') && matches!(kind.as_str(), "exec" | "system" | "shell")
}

fn of_gh(words: &[Field], _: &StandardInput) -> Option<Obstacle> {
    sets_alias(words).then_some(Obstacle::UnknownCode("a setting of gh"))
}

/// Returns whether `gh` stores a command line for later, or passes options to git.
fn sets_alias(words: &[Field]) -> bool {
    let operands: Vec<&str> =
        words[1..].iter().map(|field| field.text.as_str()).filter(|text| !text.starts_with('-')).collect();
    let clones = matches!(operands.as_slice(), ["repo", "clone" | "fork" | "create", ..]);
    matches!(operands.as_slice(), ["alias", "set" | "import", ..] | ["config", "set", ..])
        || clones && words.iter().any(|field| field.text == "--")
}

fn nc(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    let named = [option_text(words, 'e', "exec", "nc"), option_text(words, 'c', "sh-exec", "nc")];
    named.into_iter().flatten().collect()
}

/// Returns the harm of connecting a peer to a shell: `nc -e /bin/sh`.
fn gives_shell_away(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let is_shell = |pair: &[Field]| {
        let option = pair[0].text.as_str();
        let runs = matches!(option, "--exec" | "--sh-exec")
            || option.starts_with('-') && !option.starts_with("--") && option.ends_with(['e', 'c']);
        runs && is_shell(base_name(pair[1].text.split(' ').next().unwrap_or_default()))
    };
    let gives = command.words.windows(2).any(is_shell);
    gives.then(|| Danger::new(Effect::Download, "let another machine control a shell"))
}

/// Returns the harm of `rsync --delete`.
fn deletes(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let deletes = command.words.iter().any(|field| field.text.starts_with("--del"));
    let target = operands(&command.words).last().filter(|_| deletes)?;
    removes(target, command, paths)
}

/// Returns the harm of copying onto a file of the system.
fn copies(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let operands: Vec<&Field> = operands(&command.words).collect();
    let target = operands.last().filter(|_| operands.len() > 1)?;
    copies_onto(std::slice::from_ref(&target.text), command, paths)
}

fn has_argument(command: &ExpandedCommand, test: impl Fn(&str) -> bool) -> bool {
    command.words.iter().skip(1).any(|field| test(&field.text))
}

/// Returns whether ssh prints the output of a command: `ssh host cat file`.
fn ssh_fetches(command: &ExpandedCommand) -> bool {
    command.words.iter().skip(1).filter(|field| !field.text.starts_with('-')).count() > 1
}

fn s_client_fetches(command: &ExpandedCommand) -> bool {
    has_argument(command, |text| text == "s_client")
}

fn cloud_fetches(command: &ExpandedCommand) -> bool {
    has_argument(command, |text| matches!(text, "cat" | "api"))
        || has_argument(command, |text| text == "cp") && has_argument(command, |text| text == "-")
}

fn txt_fetches(command: &ExpandedCommand) -> bool {
    has_argument(command, |text| text.eq_ignore_ascii_case("txt"))
}
