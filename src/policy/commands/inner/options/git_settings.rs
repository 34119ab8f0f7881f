//! Settings of git: which of them run nothing, and which hold a command line.

use crate::policy::commands::field::Field;

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

/// Returns the command line in the value of a setting that `git config` writes.
pub(super) fn setting_code(words: &[Field]) -> Option<String> {
    let mut operands = words
        .iter()
        .enumerate()
        .filter(|(at, field)| {
            let before = at.checked_sub(1).map_or("", |at| words[at].text.as_str());
            !field.text.starts_with('-') && !matches!(before, "-f" | "--file" | "--type" | "--comment")
        })
        .map(|(_, field)| field)
        .skip_while(|field| matches!(field.text.as_str(), "set" | "get" | "list" | "unset"));
    let (name, value) = (operands.next()?.known()?.to_lowercase(), operands.next()?.known()?);
    if let Some(code) = value.strip_prefix('!') {
        return Some(code.to_owned());
    }
    let section = name.split('.').next().unwrap_or_default();
    if section == "alias" {
        return Some(aliased(value));
    }
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

/// Returns what an alias stands for: a subcommand of git, or a command line behind `!`.
pub(super) fn aliased(value: &str) -> String {
    value.strip_prefix('!').map_or_else(|| format!("git {value}"), str::to_owned)
}

pub(super) fn is_harmless_setting(name: &str, value: &str) -> bool {
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
