//! Commands of cmd and PowerShell that remove, move, copy and write files, and change who may use them.

use super::{has_parameter, has_switch, lower, operands};
use crate::policy::commands::{ExpandedCommand, Field};
use crate::policy::danger::{ProtectedPath, ProtectedPaths, copies_onto, loses_file, removes, writes};
use crate::policy::decision::{Danger, Effect};
use crate::policy::programs::Program;
use crate::policy::programs::program::harmful;

pub(super) const PROGRAMS: &[Program] = &[
    harmful(&["del", "erase"], &[removes_files]),
    harmful(&["rd", "rmdir", "deltree"], &[removes_directories]),
    harmful(&["remove-item", "ri"], &[removes_settings, removes_files]),
    harmful(&["clear-content", "clc", "set-content", "out-file"], &[overwrites]),
    harmful(&["add-content", "ac"], &[appends]),
    harmful(&["move", "move-item", "mi", "ren", "rename", "rename-item", "rni"], &[moves, copies]),
    harmful(&["copy", "xcopy", "copy-item", "cpi"], &[copies]),
    harmful(&["robocopy"], &[mirrors]),
    harmful(&["takeown"], &[takes]),
    harmful(&["icacls", "cacls", "xcacls"], &[grants]),
];

fn is_recursive(words: &[Field]) -> bool {
    has_switch(words, &["s"]) || has_parameter(words, "recurse", 1)
}

/// Returns the harm of `del` and `Remove-Item`. A pattern takes the content of a directory in any case.
fn removes_files(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let is_recursive = is_recursive(&command.words);
    operands(&command.words).find_map(|field| {
        let takes_all = is_recursive || field.text.contains(['*', '?']);
        let removed = if takes_all { removes(field, command, paths) } else { None };
        removed.or_else(|| loses_file(field, command, paths))
    })
}

fn removes_directories(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let takes_all = is_recursive(&command.words) || command.base_name() == Some("deltree");
    operands(&command.words).filter(|_| takes_all).find_map(|field| removes(field, command, paths))
}

/// Returns the harm of removing a part of the registry, which is a drive of PowerShell.
fn removes_settings(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let is_machine = |field: &&Field| {
        let text = field.text.to_ascii_lowercase();
        ["hklm:", "registry::hkey_local_machine"].iter().any(|hive| text.starts_with(hive))
    };
    let takes = operands(&command.words).find(is_machine).is_some();
    takes.then(|| Danger::new(Effect::Removal, "remove settings of the system"))
}

fn overwrites(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    operands(&command.words).find_map(|field| writes(&field.text, false, command, paths))
}

fn appends(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    operands(&command.words).find_map(|field| writes(&field.text, true, command, paths))
}

fn moves(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let source = operands(&command.words).next()?;
    let is_content = source.text.contains('*') && !source.text.contains([':', '/', '\\']);
    let moved = if is_content { None } else { removes(source, command, paths) };
    moved.or_else(|| loses_file(source, command, paths))
}

/// Returns the harm of a copy onto a file of the system.
fn copies(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let operands: Vec<&Field> = operands(&command.words).collect();
    let target = operands.last().filter(|_| operands.len() > 1)?;
    let name = operands[0].text.rsplit(['/', '\\']).next().unwrap_or_default();
    let inside = format!("{}/{name}", target.text);
    copies_onto(&[target.text.clone(), inside], command, paths)
}

/// Returns the harm of `robocopy /mir`, which removes what the source lacks.
fn mirrors(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let removed = has_switch(&command.words, &["mir", "purge"]);
    let target = operands(&command.words).nth(1).filter(|_| removed)?;
    removes(target, command, paths)
}

fn changes(field: &Field, command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let change =
        |place: &str| Some(Danger::new(Effect::Permissions, &format!("change the permissions of {place}")));
    match paths.protected(field, command) {
        // The project belongs to its user, who can repair the permissions.
        Some(ProtectedPath::Project(_)) => None,
        Some(place) => change(&place.to_string()),
        None => loses_file(field, command, paths).and_then(|_| change("a file of the system")),
    }
}

fn takes(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    operands(&command.words).find_map(|field| changes(field, command, paths))
}

fn grants(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let changing = ["grant", "grant:r", "deny", "remove", "reset", "setowner", "inheritance", "g", "p", "e"];
    let is_changing = has_switch(&command.words, &changing);
    let file = operands(&command.words).next().filter(|_| is_changing && lower(&command.words, 1) != "/?")?;
    changes(file, command, paths)
}
