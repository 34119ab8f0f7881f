//! Redirections: whether an allow rule covers what they write.

use super::commands::{Redirect, UNKNOWN};
use super::request::Request;
use super::syntax::tree::Mode;

/// Returns whether an allow rule covers a redirection: one that reads, or writes below the root, to `/dev/null` or a descriptor.
pub(super) fn write_is_covered(redirect: &Redirect, request: &Request) -> bool {
    let target = redirect.target.text.as_str();
    let is_descriptor = || {
        let number = target.strip_suffix('-').unwrap_or(target);
        number.bytes().all(|byte| byte.is_ascii_digit())
    };
    if target.starts_with("/dev/tcp") || target.starts_with("/dev/udp") {
        return false;
    }
    match redirect.mode {
        Mode::Read | Mode::HereDocument | Mode::HereString | Mode::DuplicateInput => {
            !target.starts_with(UNKNOWN) || redirect.mode == Mode::Read
        }
        Mode::DuplicateOutput if is_descriptor() => true,
        Mode::Write | Mode::Append | Mode::ReadWrite | Mode::DuplicateOutput => {
            let is_covered = |target: &str| {
                let mut directories = redirect.directories.iter();
                is_device(target)
                    || directories.all(|directory| is_inside(directory.as_deref(), target, request))
            };
            match redirect.target.literal() {
                Some(target) => is_covered(target),
                None => {
                    !redirect.values.is_empty() && redirect.values.iter().all(|target| is_covered(target))
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

/// Returns whether a path lies below the root, by real path, and outside of `.git`, where hooks and settings run programs.
fn is_inside(directory: Option<&str>, target: &str, request: &Request) -> bool {
    let joined = match (target.starts_with('/'), directory) {
        (true, _) => target.to_owned(),
        (false, Some(directory)) => format!("{directory}/{target}"),
        (false, None) => return false,
    };
    let Some(root) = request.root().and_then(|root| request.paths.real(root)) else { return false };
    let Some(real) = request.paths.real(&joined) else { return false };
    let inside = real.strip_prefix(root.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
    inside.is_some_and(|inside| !inside.split('/').any(|part| part.eq_ignore_ascii_case(".git")))
}

/// Returns a redirection as text.
pub(super) fn describe(redirect: &Redirect) -> String {
    let operator = match redirect.mode {
        Mode::Read => "<",
        Mode::Write => ">",
        Mode::Append => ">>",
        Mode::ReadWrite => "<>",
        Mode::DuplicateInput => "<&",
        Mode::DuplicateOutput => ">&",
        Mode::HereDocument => "<<",
        Mode::HereString => "<<<",
    };
    format!("{operator} {}", redirect.target.shown())
}
