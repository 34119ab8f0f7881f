//! What git runs: by its settings, its aliases and the options of its subcommands.

use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::commands::found::Trust;
use crate::policy::commands::inner::model::Inner;

/// Settings of git that run nothing.
const HARMLESS_SETTINGS: [&str; 22] = [
    "user.name",
    "user.email",
    "color.ui",
    "color.status",
    "color.diff",
    "core.quotepath",
    "core.autocrlf",
    "core.longpaths",
    "core.filemode",
    "core.ignorecase",
    "commit.gpgsign",
    "tag.gpgsign",
    "gc.auto",
    "http.postbuffer",
    "init.defaultbranch",
    "pull.rebase",
    "pull.ff",
    "advice.detachedhead",
    "diff.renames",
    "log.showsignature",
    "push.default",
    "rebase.autosquash",
];

/// The subcommand of git and the place behind the options before it.
pub(crate) fn git_subcommand(words: &[Field]) -> usize {
    let mut at = 1;
    while let Some(text) = words.get(at).and_then(Field::known) {
        let takes_value = matches!(
            text,
            "-C" | "-c"
                | "--git-dir"
                | "--work-tree"
                | "--namespace"
                | "--config-env"
                | "--super-prefix"
                | "--attr-source"
        );
        if takes_value {
            at += 2;
        } else if text.starts_with('-') {
            at += 1;
        } else {
            break;
        }
    }
    at
}

pub(super) fn inner(words: &[Field]) -> Vec<Inner> {
    let at = git_subcommand(words);
    let mut found = Vec::new();
    let made = |text: Option<String>| Inner::code(text, "git", Trust::Separate, false);
    for pair in words[..at.min(words.len())].windows(2) {
        if pair[0].text != "-c" {
            continue;
        }
        let Some((name, value)) = pair[1].text.split_once('=') else { continue };
        if is_harmless_setting(name, value) {
            continue;
        }
        let command = value.strip_prefix('!').or_else(|| (!name.starts_with("alias.")).then_some(value));
        found.push(made(command.filter(|text| !text.contains(UNKNOWN)).map(str::to_owned)));
    }
    let Some(subcommand) = words.get(at).and_then(Field::known) else { return found };
    let rest = words.get(at + 1..).unwrap_or_default();
    let known = |field: &Field| field.known().map(str::to_owned);
    let behind = |names: &[&str]| {
        rest.iter()
            .enumerate()
            .filter_map(|(at, field)| {
                let (name, value) = field
                    .text
                    .split_once('=')
                    .map_or((field.text.as_str(), None), |(name, value)| (name, Some(value)));
                let is_named = names.iter().any(|option| {
                    *option == name || name.len() > 3 && name.starts_with("--") && option.starts_with(name)
                });
                is_named.then(|| value.map(str::to_owned).or_else(|| rest.get(at + 1).and_then(known)))
            })
            .collect::<Vec<_>>()
    };
    match subcommand {
        "submodule" | "bisect" => {
            let word = if subcommand == "submodule" { "foreach" } else { "run" };
            if let Some(at) = rest.iter().position(|field| field.text == word) {
                let words: Vec<String> = rest[at + 1..]
                    .iter()
                    .filter(|field| field.text != "--recursive" && field.text != "--quiet")
                    .map(|field| field.text.clone())
                    .collect();
                let text = words.join(" ");
                found.push(made((!text.contains(UNKNOWN)).then_some(text)));
            }
        }
        "config" => found.extend(setting_code(rest).map(Some).map(made)),
        "rebase" => found.extend(behind(&["-x", "--exec"]).into_iter().map(made)),
        "difftool" | "mergetool" => found.extend(behind(&["-x", "--extcmd"]).into_iter().map(made)),
        "filter-branch" => {
            let names = [
                "--tree-filter",
                "--index-filter",
                "--env-filter",
                "--msg-filter",
                "--commit-filter",
                "--tag-name-filter",
                "--parent-filter",
                "--setup",
            ];
            found.extend(behind(&names).into_iter().map(made));
        }
        "grep" => {
            let opens = |field: &&Field| {
                field.text.starts_with("-O")
                    || field.text.len() > 4
                        && "--open-files-in-pager".starts_with(field.text.split('=').next().unwrap_or(""))
            };
            for field in rest.iter().filter(opens) {
                let value = field
                    .text
                    .split_once('=')
                    .map(|(_, value)| value)
                    .or_else(|| field.text.strip_prefix("-O"));
                found.push(made(value.filter(|value| !value.is_empty()).map(str::to_owned)));
            }
        }
        "clone" | "fetch" | "pull" | "ls-remote" | "push" | "archive" | "fetch-pack" | "send-pack" => {
            found.extend(behind(&["--upload-pack", "--receive-pack", "--exec"]).into_iter().map(made));
            if subcommand == "clone" {
                found.extend(behind(&["-u"]).into_iter().map(made));
            }
            // `ext::sh -c rm% x` runs a command, in which `% ` is a blank.
            let addresses = rest.iter().filter_map(|field| field.text.strip_prefix("ext::"));
            found.extend(addresses.map(|text| made(Some(text.replace("% ", " ")))));
        }
        _ => {}
    }
    found
}

/// The command line in the value of a setting that `git config` writes.
fn setting_code(words: &[Field]) -> Option<String> {
    let mut operands = words
        .iter()
        .filter(|field| !field.text.starts_with('-'))
        .skip_while(|field| matches!(field.text.as_str(), "set" | "get" | "list" | "unset"));
    let (name, value) = (operands.next()?.known()?.to_lowercase(), operands.next()?.known()?);
    if let Some(code) = value.strip_prefix('!') {
        return Some(code.to_owned());
    }
    let section = name.split('.').next().unwrap_or_default();
    let runs = matches!(
        name.as_str(),
        "core.pager"
            | "core.editor"
            | "core.sshcommand"
            | "core.fsmonitor"
            | "core.askpass"
            | "sequence.editor"
            | "diff.external"
            | "gpg.program"
            | "core.gitproxy"
            | "credential.helper"
    ) || section == "pager"
        || ["command", "textconv", "clean", "smudge", "process", "driver", "cmd", "helper"]
            .contains(&name.rsplit('.').next().unwrap_or_default());
    (runs && !is_harmless_setting(&name, value) && !matches!(value, "true" | "false"))
        .then(|| value.to_owned())
}

fn is_harmless_setting(name: &str, value: &str) -> bool {
    let name = name.to_lowercase();
    HARMLESS_SETTINGS.contains(&name.as_str())
        || name.starts_with("color.")
        || name.starts_with("advice.")
        || matches!(name.as_str(), "core.pager" | "pager.log" | "pager.diff" | "pager.branch")
            && matches!(value, "cat" | "" | "false")
        || matches!(name.as_str(), "core.fsmonitor" | "core.untrackedcache") && value == "false"
        || name == "core.editor" && matches!(value, "true" | ":" | "cat")
        || name == "core.hookspath" && value == "/dev/null"
}

/// Whether arguments of git may run something that its name alone doesn't say.
pub(super) fn is_obstacle(words: &[Field]) -> bool {
    let at = git_subcommand(words);
    let before = &words[1..at.clamp(1, words.len())];
    let has_setting = before.iter().enumerate().any(|(at, field)| {
        let text = field.text.as_str();
        if text.starts_with("-c") && text != "-c" {
            return true;
        }
        if text == "-c" {
            let setting = before.get(at + 1).map_or("", |field| field.text.as_str());
            let (name, value) = setting.split_once('=').unwrap_or((setting, "true"));
            return !is_harmless_setting(name, value);
        }
        ["--exec-path=", "--config-env", "--git-dir", "--work-tree", "--attr-source"]
            .iter()
            .any(|option| text.starts_with(option))
            || text.contains(UNKNOWN)
    });
    if has_setting {
        return true;
    }
    let Some(subcommand) = words.get(at).and_then(Field::known) else { return words.len() > at };
    let rest = words.get(at + 1..).unwrap_or_default();
    let has = |names: &[&str]| {
        rest.iter().any(|field| {
            names.iter().any(|name| {
                let text = field.text.split('=').next().unwrap_or("");
                text == *name || text.len() > 3 && text.starts_with("--") && name.starts_with(text)
            })
        })
    };
    match subcommand {
        "config" => {
            let is_query = has(&[
                "--get",
                "--get-all",
                "--list",
                "-l",
                "--get-regexp",
                "--show-origin",
                "--get-urlmatch",
            ]) || rest.iter().filter(|field| !field.text.starts_with('-')).count() < 2;
            let name = rest
                .iter()
                .find(|field| !field.text.starts_with('-'))
                .map_or("", |field| field.text.as_str());
            let value = rest.iter().filter(|field| !field.text.starts_with('-')).nth(1);
            let value = value.map_or("", |field| field.text.as_str());
            !is_query && !is_harmless_setting(name, value) || has(&["--edit", "-e"])
        }
        "clone" => {
            has(&["-c", "--config", "--template", "--upload-pack", "-u"])
                || rest.iter().any(|field| field.text.starts_with("ext::"))
        }
        "fetch" | "pull" | "ls-remote" | "remote" => {
            has(&["--upload-pack", "--exec"]) || rest.iter().any(|field| field.text.starts_with("ext::"))
        }
        "push" | "archive" => {
            has(&["--receive-pack", "--exec"]) || rest.iter().any(|field| field.text.starts_with("ext::"))
        }
        "init" => has(&["--template"]),
        "grep" => rest.iter().any(|field| field.text.starts_with("-O")) || has(&["--open-files-in-pager"]),
        "difftool" | "mergetool" | "filter-branch" | "send-email" | "instaweb" | "daemon" | "fast-import" => {
            true
        }
        "rebase" => has(&["-x", "--exec"]),
        "bisect" => has(&["run"]),
        "submodule" => has(&["foreach"]),
        "diff" | "log" | "show" => has(&["--ext-diff"]),
        _ => false,
    }
}
