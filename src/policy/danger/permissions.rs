//! Permissions and owners of protected paths, and files that are opened to everybody.

use super::arguments::{has_option, operands};
use super::places::{Place, Places};
use super::removal::protected_start;
use crate::policy::commands::{ExpandedCommand, Field, base_name, runs_program};
use crate::policy::decision::{Danger, Effect};

/// Directories of programs that belong to root.
const PROGRAMS: [&str; 4] = ["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/"];

pub(super) fn find(name: &str, command: &ExpandedCommand, places: &Places) -> Option<Danger> {
    if matches!(name, "find" | "gfind") {
        return by_find(command, places);
    }
    if !matches!(name, "chmod" | "chown" | "chgrp" | "chattr" | "chcon" | "setfacl" | "gchmod" | "gchown") {
        return None;
    }
    // `chmod -x file` removes a permission: its mode looks like an option.
    let removed =
        command.words[1..].iter().find(|field| name.ends_with("chmod") && removes_rights(&field.text));
    let mut rest = operands(&command.words);
    // `--reference=file` takes the place of a mode.
    let has_mode = !command.words.iter().any(|field| field.text.starts_with("--ref"));
    let mode = match removed {
        Some(field) => field.text.as_str(),
        // `chattr -i` and `setfacl -b` have no mode among their words: a path is no mode.
        None if has_mode && !matches!(name, "chattr" | "setfacl") => rest.next()?.text.as_str(),
        None => "",
    };
    let targets: Vec<&Field> = rest.collect();
    let is_chmod = name.ends_with("chmod");
    let opens = is_chmod && opens_to_all(mode);
    if is_chmod
        && sets_user(mode)
        && let Some(field) =
            targets.iter().find(|field| PROGRAMS.iter().any(|directory| field.text.starts_with(directory)))
    {
        return Some(Danger::new(
            Effect::Permissions,
            &format!("run {} with its owner's rights for everybody", field.text),
        ));
    }
    if opens
        && let Some(field) = targets.iter().find(|field| {
            matches!(
                places.file(&field.text, command).as_deref(),
                Some("/etc/shadow" | "/etc/passwd" | "/etc/sudoers" | "/etc/gshadow")
            )
        })
    {
        return Some(Danger::new(Effect::Permissions, &format!("open {} to everybody", field.text)));
    }
    if !opens && !has_option(&command.words, 'R', "recursive") {
        return None;
    }
    targets.iter().find_map(|field| {
        let place = places.protected(field, command)?;
        // The project belongs to its user, who can repair the permissions.
        let is_project = matches!(place, Place::Project(_));
        (!is_project).then(|| Danger::new(Effect::Permissions, &format!("change the permissions of {place}")))
    })
}

/// Returns the harm of `find / -exec chmod 777 {} +`, which equals that of `chmod -R`.
fn by_find(command: &ExpandedCommand, places: &Places) -> Option<Danger> {
    let changes = command.words.windows(3).any(|triple| {
        runs_program(&triple[0].text)
            && match base_name(&triple[1].text) {
                "chmod" => opens_to_all(&triple[2].text),
                "chown" | "chgrp" => true,
                _ => false,
            }
    });
    if !changes {
        return None;
    }
    let place = protected_start(command, places)?;
    let is_project = matches!(place, Place::Project(_));
    (!is_project).then(|| Danger::new(Effect::Permissions, &format!("change the permissions of {place}")))
}

/// Returns whether an argument of `chmod` is a mode that removes permissions.
fn removes_rights(text: &str) -> bool {
    let letters = text.strip_prefix('-').unwrap_or_default();
    !letters.is_empty() && letters.chars().all(|letter| "rwxXst".contains(letter))
}

/// Returns whether a mode makes a program run with the rights of its owner or group.
fn sets_user(mode: &str) -> bool {
    let octal = mode.trim_start_matches('0');
    let is_symbolic = mode.split(',').any(|part| {
        let rights = part.split_once(['+', '=']).map_or("", |(_, rights)| rights);
        rights.contains('s')
    });
    is_symbolic
        || octal.len() == 4
            && octal.starts_with(['2', '3', '4', '5', '6', '7'])
            && octal.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a mode lets everybody write.
fn opens_to_all(mode: &str) -> bool {
    if mode.bytes().all(|byte| byte.is_ascii_digit()) && !mode.is_empty() {
        return mode.ends_with(['2', '3', '6', '7']);
    }
    mode.split(',').any(|part| {
        let who = part.split(['+', '=']).next().unwrap_or("");
        (part.contains('+') || part.contains('='))
            && part.contains('w')
            && (who.is_empty() || who.contains('a') || who.contains('o'))
    })
}
