//! The settings of git by which it runs programs.

use Value::{Choice, Command};

/// A setting by which git runs a program or reaches the network.
struct Setting {
    name: &'static str,
    value: Value,
    /// A value with which git runs no program; `None` for a setting that no query depends on.
    safe: Option<&'static str>,
}

/// The meaning of the value of a setting.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    /// A command line, or a file with settings.
    Command,
    /// A choice between ways of git.
    Choice,
}

const fn setting(name: &'static str, value: Value, safe: Option<&'static str>) -> Setting {
    Setting { name, value, safe }
}

const SETTINGS: [Setting; 27] = [
    setting("core.fsmonitor", Command, Some("false")),
    setting("core.hooksPath", Command, Some("/dev/null")),
    setting("core.pager", Command, Some("cat")),
    setting("core.editor", Command, Some("true")),
    setting("core.sshCommand", Command, Some("false")),
    setting("core.askPass", Command, Some("")),
    setting("core.gitProxy", Command, None),
    setting("core.attributesFile", Choice, Some("/dev/null")),
    setting("sequence.editor", Command, None),
    setting("credential.helper", Command, None),
    setting("include.path", Command, None),
    setting("diff.external", Command, Some("")),
    setting("interactive.diffFilter", Choice, Some("")),
    setting("log.showSignature", Choice, Some("false")),
    setting("gpg.program", Command, Some("false")),
    setting("gpg.ssh.program", Command, Some("false")),
    setting("gpg.x509.program", Command, Some("false")),
    setting("submodule.recurse", Choice, Some("false")),
    setting("diff.submodule", Choice, Some("short")),
    setting("log.diffMerges", Choice, Some("separate")),
    // A partial clone would fetch missing objects, by a program of the settings.
    setting("protocol.allow", Choice, Some("never")),
    setting("protocol.file.allow", Choice, Some("never")),
    setting("protocol.git.allow", Choice, Some("never")),
    setting("protocol.ssh.allow", Choice, Some("never")),
    setting("protocol.http.allow", Choice, Some("never")),
    setting("protocol.https.allow", Choice, Some("never")),
    setting("protocol.ext.allow", Choice, Some("never")),
];

/// Settings of git that run nothing.
const HARMLESS_SETTINGS: [&str; 22] = [
    "user.name", "user.email", "core.quotepath", "core.autocrlf", "core.longpaths", "core.filemode",
    "core.ignorecase", "core.abbrev", "commit.gpgsign", "tag.gpgsign", "gc.auto", "http.postbuffer",
    "init.defaultbranch", "pull.rebase", "pull.ff", "diff.renames", "diff.noprefix", "diff.algorithm",
    "log.showsignature", "push.default", "rebase.autosquash", "merge.conflictstyle",
];

/// Last parts of the names of settings whose value is a command line or a file with settings.
const COMMAND_KEYS: [&str; 11] = [
    "command", "textconv", "clean", "smudge", "process", "driver", "cmd", "helper", "program", "path",
    "proxy",
];

/// Returns whether git runs the value of a setting.
pub(super) fn runs_command(name: &str, value: &str) -> bool {
    let name = name.to_lowercase();
    let section = name.split('.').next().unwrap_or_default();
    let key = name.rsplit('.').next().unwrap_or_default();
    let names_command = is_command(&name)
        || matches!(section, "alias" | "pager" | "includeif")
        || COMMAND_KEYS.contains(&key);
    value.starts_with('!')
        || names_command && !is_harmless(&name, value) && !matches!(value, "true" | "false")
}

/// Returns whether a setting, with this value, runs nothing.
pub(super) fn is_harmless(name: &str, value: &str) -> bool {
    let name = name.to_lowercase();
    HARMLESS_SETTINGS.contains(&name.as_str())
        || name.starts_with("color.")
        || name.starts_with("advice.")
        || (name == "core.pager" || name.starts_with("pager.")) && matches!(value, "cat" | "" | "false")
        || matches!(name.as_str(), "core.fsmonitor" | "core.untrackedcache") && value == "false"
        || matches!(name.as_str(), "core.editor" | "sequence.editor") && matches!(value, "true" | ":" | "cat")
        || name == "core.hookspath" && value == "/dev/null"
}

fn is_command(name: &str) -> bool {
    let mut commands = SETTINGS.iter().filter(|setting| setting.value == Command);
    commands.any(|setting| setting.name.eq_ignore_ascii_case(name))
}

/// Returns the settings with values that run nothing, including those for filters with these names.
pub(super) fn safe_settings(filters: &[String]) -> Vec<(String, &'static str)> {
    let of_filter = |name: &String| {
        [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")]
            .map(|(key, value)| (format!("filter.{name}.{key}"), value))
    };
    let settings = SETTINGS.iter().filter_map(|setting| Some((setting.name.to_owned(), setting.safe?)));
    settings.chain(filters.iter().flat_map(of_filter)).collect()
}
