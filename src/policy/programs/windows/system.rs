//! Programs and cmdlets that change disks, settings, backups and logs of the machine, or stop it.

use super::{has_parameter, has_switch, lower, operands};
use crate::policy::commands::{ExpandedCommand, Field};
use crate::policy::danger::{ProtectedPaths, texts};
use crate::policy::decision::{Danger, Effect};
use crate::policy::programs::Program;
use crate::policy::programs::program::harmful;

pub(super) const PROGRAMS: &[Program] = &[
    harmful(&["format"], &[formats]),
    harmful(&["format-volume", "clear-disk", "initialize-disk", "remove-partition", "clean-disk"], &[erases]),
    harmful(&["diskpart"], &[partitions]),
    harmful(&["cipher"], &[wipes]),
    harmful(&["mountvol"], &[unmounts]),
    harmful(&["reg"], &[removes_settings]),
    harmful(&["vssadmin", "wbadmin", "wmic"], &[removes_backups]),
    harmful(&["disable-computerrestore"], &[disables_restore]),
    harmful(&["bcdedit"], &[changes_start]),
    harmful(&["shutdown"], &[stops]),
    harmful(&["stop-computer", "restart-computer"], &[stops_always]),
    harmful(&["taskkill", "tskill", "stop-process", "spps"], &[kills_all]),
    harmful(&["wevtutil"], &[clears_logs]),
    harmful(&["clear-eventlog", "remove-eventlog"], &[clears_logs_always]),
    harmful(&["set-executionpolicy"], &[trusts_all]),
];

/// Processes without which Windows ends.
const SYSTEM_PROCESSES: [&str; 8] =
    ["csrss", "lsass", "services", "smss", "svchost", "wininit", "winlogon", "system"];

fn harm_if(is_harmful: bool, effect: Effect, what: &str) -> Option<Danger> {
    (is_harmful && !what.is_empty()).then(|| Danger::new(effect, what))
}

/// Returns whether a command only asks for help.
fn asks(command: &ExpandedCommand) -> bool {
    has_switch(&command.words, &["?", "help", "h"]) && command.words.len() == 2
        || command.words.iter().any(|field| matches!(field.text.as_str(), "/?" | "//?" | "-?"))
}

fn formats(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let is_drive = |field: &Field| {
        let text = field.text.trim_end_matches(['/', '\\']);
        text.ends_with(':') || text.starts_with(r"\\")
    };
    let is_disk = operands(&command.words).any(is_drive) && !asks(command);
    harm_if(is_disk, Effect::Overwrite, "make a new file system on a drive")
}

fn erases(_: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    harm_if(true, Effect::Overwrite, "erase a disk")
}

fn partitions(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    harm_if(!asks(command), Effect::Overwrite, "change the partitions of a disk")
}

fn wipes(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let wipes = has_switch(&command.words, &["w"]);
    harm_if(wipes, Effect::Overwrite, "overwrite what a drive could still restore")
}

fn unmounts(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    harm_if(has_switch(&command.words, &["d", "p", "r"]), Effect::Removal, "take a drive away")
}

/// Returns the harm of removing a key that all users share, or all settings of one.
fn removes_settings(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let key = lower(&command.words, 2);
    let (hive, below) = key.split_once('\\').unwrap_or((&key, ""));
    let is_shared = ["hklm", "hkcr", "hku", "hkcc", "hkey_local_machine", "hkey_classes_root", "hkey_users"];
    let is_own = matches!(hive, "hkcu" | "hkey_current_user") && (below.is_empty() || below == "software");
    let removes = lower(&command.words, 1) == "delete" && (is_shared.contains(&hive) || is_own);
    harm_if(removes, Effect::Removal, "remove settings of the system")
}

fn removes_backups(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let words: Vec<String> = texts(&command.words).iter().map(|text| text.to_ascii_lowercase()).collect();
    let has = |text: &str| words.iter().any(|word| word == text);
    let removes = match command.base_name() {
        Some("wmic") => has("shadowcopy") && has("delete"),
        Some("vssadmin") => has("delete") || has("resize"),
        _ => has("delete") || words.first().is_some_and(|word| word.starts_with("delete")),
    };
    harm_if(removes, Effect::Removal, "remove the backups of the system")
}

fn disables_restore(_: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    harm_if(true, Effect::Removal, "stop the backups of the system")
}

fn changes_start(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let changing = [
        "set", "delete", "deletevalue", "import", "create", "createstore", "default", "displayorder",
        "bootsequence", "timeout", "toolsdisplayorder", "copy",
    ];
    harm_if(has_switch(&command.words, &changing), Effect::Kernel, "change how the machine starts")
}

fn stops(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let stops = has_switch(&command.words, &["s", "r", "p", "h", "g", "sg", "l", "f", "hybrid", "now"])
        || operands(&command.words).any(|field| field.text == "now");
    let stops = stops && !has_switch(&command.words, &["a"]);
    harm_if(stops, Effect::Shutdown, "stop the machine")
}

fn stops_always(_: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    harm_if(true, Effect::Shutdown, "stop the machine")
}

fn kills_all(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let is_vital = |field: &Field| {
        let name = field.text.to_ascii_lowercase();
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        SYSTEM_PROCESSES.contains(&name) || matches!(name, "*" | "*.*" | "?*")
    };
    harm_if(operands(&command.words).any(is_vital), Effect::Shutdown, "end the processes of the system")
}

fn clears_logs(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let clears = matches!(lower(&command.words, 1).as_str(), "cl" | "clear-log");
    if clears { clears_logs_always(command, paths) } else { None }
}

fn clears_logs_always(_: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    harm_if(true, Effect::Removal, "remove the logs of the system")
}

/// Returns the harm of letting every script run, but for the process itself.
fn trusts_all(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let has = |name: &str| operands(&command.words).any(|field| field.text.eq_ignore_ascii_case(name));
    let is_for_all = !(has_parameter(&command.words, "scope", 1) && has("process"));
    let trusts = (has("unrestricted") || has("bypass")) && is_for_all;
    harm_if(trusts, Effect::Permissions, "let every script run")
}
