//! Permissions and owners of protected paths, and files that are opened to everybody.

use super::arguments::{has_option, operands};
use super::places::Places;
use crate::policy::commands::{Field, Found};
use crate::policy::decision::{Danger, Effect};

/// Directories of programs that belong to root.
const PROGRAMS: [&str; 4] = ["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/"];

pub(super) fn find(name: &str, command: &Found, places: &Places) -> Option<Danger> {
    if !matches!(name, "chmod" | "chown" | "chgrp" | "setfacl" | "gchmod" | "gchown") {
        return None;
    }
    let mut rest = operands(&command.words);
    let mode = rest.next()?.text.as_str();
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
        // The project belongs to its user, who can mend the permissions.
        let is_project = place.ends_with("the root of the project");
        (!is_project).then(|| Danger::new(Effect::Permissions, &format!("change the permissions of {place}")))
    })
}

/// Returns whether a mode makes a program run with the rights of its owner or group.
fn sets_user(mode: &str) -> bool {
    mode.contains("+s")
        || mode.len() == 4
            && mode.starts_with(['4', '6', '2'])
            && mode.bytes().all(|byte| byte.is_ascii_digit())
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
