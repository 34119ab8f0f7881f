//! Redirections: whether an allow rule covers the files that they write.

use super::commands::{ExpandedCommand, Redirect, UNKNOWN};
use super::paths::{PathStyle, is_below};
use super::request::PolicyRequest;
use super::windows::places;
use crate::syntax::tree::RedirectMode;
use crate::text::path::normal;

/// Files in a home directory that shells run at their start or end.
pub(super) const START_FILES: [&str; 12] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".config/fish/config.fish",
];

/// Files and directories, in any place, in which programs find commands or keys.
const SETTINGS: [&str; 13] = [
    ".git", ".gitconfig", ".gitmodules", ".git-credentials", ".ssh", ".gnupg", ".netrc", ".envrc",
    ".pam_environment", ".config/git", ".config/systemd", ".config/autostart", ".config/environment.d",
];

/// Returns whether an allow rule covers a redirection.
///
/// A rule covers reading, and writing below the root or a directory of `writable`, to `/dev/null`, or to a
/// descriptor.
pub(super) fn write_is_covered(
    redirect: &Redirect,
    command: &ExpandedCommand,
    request: &PolicyRequest,
) -> bool {
    let target = redirect.target.text.as_str();
    let is_descriptor = || {
        let number = target.strip_suffix('-').unwrap_or(target);
        number.bytes().all(|byte| byte.is_ascii_digit())
    };
    if target.starts_with("/dev/tcp") || target.starts_with("/dev/udp") {
        return false;
    }
    match redirect.mode {
        RedirectMode::Read
        | RedirectMode::HereDocument
        | RedirectMode::HereString
        | RedirectMode::DuplicateInput => !target.starts_with(UNKNOWN) || redirect.mode == RedirectMode::Read,
        RedirectMode::DuplicateOutput if is_descriptor() => true,
        RedirectMode::Write
        | RedirectMode::Append
        | RedirectMode::ReadWrite
        | RedirectMode::DuplicateOutput => {
            let is_covered = |target: &str| {
                let mut directories = command.directories.iter();
                is_device(target)
                    || directories.all(|directory| is_writable(directory.as_deref(), target, request))
            };
            let field = &redirect.target;
            match field.known() {
                Some(target) => is_covered(target),
                None => {
                    let values = &field.values;
                    values.is_complete
                        && !field.is_many
                        && !field.has_glob
                        && values.all.iter().all(|target| is_covered(target))
                }
            }
        }
    }
}

fn is_device(target: &str) -> bool {
    matches!(target, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty")
        || target
            .strip_prefix("/dev/fd/")
            .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()) && !number.is_empty())
}

/// Returns whether a path lies below the root or a writable directory, by real path, and programs find no
/// commands in it.
fn is_writable(directory: Option<&str>, target: &str, request: &PolicyRequest) -> bool {
    let Some(real) = request.real_path(target, directory) else { return false };
    let writable = request.policy.writable.iter().map(String::as_str);
    let mut allowed = request.root().into_iter().chain(writable);
    let inside = allowed.find_map(|allowed| {
        let allowed = request.real(allowed)?;
        (real != allowed && is_below(&real, &allowed))
            .then(|| real[allowed.trim_end_matches('/').len()..].to_owned())
    });
    inside.is_some_and(|inside| !holds_commands(&inside, request.style()))
}

/// Returns whether programs find commands in a file, given by its path below a writable directory.
fn holds_commands(inside: &str, style: PathStyle) -> bool {
    let has_short_names = style == PathStyle::Windows;
    if has_short_names
        && [&SETTINGS[..], &START_FILES].iter().any(|names| places::holds_commands(inside, names))
    {
        return true;
    }
    let inside = format!("{}/", normal(inside).to_ascii_lowercase());
    let is_part = |part: &&str| inside.contains(&format!("/{part}/"));
    SETTINGS.iter().any(&is_part) || START_FILES.iter().any(is_part)
}

/// Returns a redirection as text.
pub(super) fn describe(redirect: &Redirect) -> String {
    let operator = match redirect.mode {
        RedirectMode::Read => "<",
        RedirectMode::Write => ">",
        RedirectMode::Append => ">>",
        RedirectMode::ReadWrite => "<>",
        RedirectMode::DuplicateInput => "<&",
        RedirectMode::DuplicateOutput => ">&",
        RedirectMode::HereDocument => "<<",
        RedirectMode::HereString => "<<<",
    };
    format!("{operator} {}", redirect.target.shown())
}
