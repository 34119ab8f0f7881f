//! Programs that change the permissions and owners of files, and open them to everybody.

use crate::policy::commands::{ExpandedCommand, Field};
use crate::policy::danger::{ProtectedPath, ProtectedPaths, has_option, opens_to_all, operands};
use crate::policy::decision::{Danger, Effect};
use crate::policy::programs::Program;
use crate::policy::programs::program::harmful;

/// Directories of programs that belong to root.
const PROGRAM_DIRECTORIES: [&str; 4] = ["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/"];

pub(in crate::policy::programs) const PROGRAMS: &[Program] =
    &[harmful(&["chmod", "chown", "chgrp", "chattr", "chcon", "setfacl", "gchmod", "gchown"], &[changes])];

fn changes(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let name = command.base_name()?;
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
        && let Some(field) = targets
            .iter()
            .find(|field| PROGRAM_DIRECTORIES.iter().any(|directory| field.text.starts_with(directory)))
    {
        return Some(Danger::new(
            Effect::Permissions,
            &format!("run {} with its owner's rights for everybody", field.text),
        ));
    }
    if opens
        && let Some(field) = targets.iter().find(|field| {
            matches!(
                paths.file(&field.text, command).as_deref(),
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
        let place = paths.protected(field, command)?;
        // The project belongs to its user, who can repair the permissions.
        let is_project = matches!(place, ProtectedPath::Project(_));
        (!is_project).then(|| Danger::new(Effect::Permissions, &format!("change the permissions of {place}")))
    })
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
