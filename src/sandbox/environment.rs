//! Selects the variables of the host that a command inherits.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::options::{Network, SandboxOptions, UsualNetwork};
use super::plan::paths::real;
use super::plan::sockets::SocketKind;
use super::plan::{NetworkMode, SandboxPlan, Source, Tier};
use super::protocol::inside::PROXY;
use crate::process::environment::{BASIC, comparable};

/// Parts of names of variables with secrets.
const PARTS: [&str; 8] =
    ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "PRIVATE_KEY", "API_KEY", "APIKEY"];

/// Endings of names of variables with secrets, or with addresses of programs that have secrets
/// (`SSH_AUTH_SOCK`).
const ENDINGS: [&str; 4] = ["_KEY", "_AUTH", "_SOCK", "_DSN"];

/// Names of further variables of these kinds.
const NAMES: [&str; 5] =
    ["DATABASE_URL", "DBUS_SESSION_BUS_ADDRESS", "GPG_AGENT_INFO", "DOCKER_HOST", "KUBECONFIG"];

/// The set of variables that a command inherits from the host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Inherit {
    /// Every variable.
    #[default]
    All,
    /// Every variable except those that look like secrets.
    Safe,
    None,
    /// The named variables, [`BASIC`] and `LC_*`.
    Names(Vec<String>),
}

/// Which variables a command inherits: `exclude` removes some, `include` adds some of the host's again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inheritance {
    /// The set before `exclude` and `include`.
    pub inherit: Inherit,
    /// Names that are removed; `*` stands for any part.
    pub exclude: Vec<String>,
    /// Names that stay in any case; `*` stands for any part.
    pub include: Vec<String>,
}

impl Inheritance {
    /// Returns whether a command gets this variable of the host.
    #[must_use]
    pub fn keeps(&self, name: &str, value: &str) -> bool {
        let is_in = |names: &[String]| names.iter().any(|pattern| matches(pattern, name));
        if is_in(&self.include) {
            return true;
        }
        let is_inherited = match &self.inherit {
            Inherit::All => true,
            Inherit::Safe => !is_secret(name, value),
            Inherit::None => false,
            Inherit::Names(names) => is_in(names) || is_basic(&comparable(name)),
        };
        is_inherited && !is_in(&self.exclude)
    }
}

/// Returns whether a variable is added to a list of names.
fn is_basic(name: &str) -> bool {
    BASIC.contains(&name) || name.starts_with("LC_")
}

/// Returns whether a variable looks like a secret, by its name or by a password in an address.
#[must_use]
pub fn is_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_uppercase();
    PARTS.iter().any(|part| name.contains(part))
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || NAMES.contains(&name.as_str())
        || has_password(value)
}

/// Returns whether a text contains `scheme://user:password@`.
fn has_password(value: &str) -> bool {
    value.match_indices("://").any(|(at, separator)| {
        let rest = &value[at + separator.len()..];
        let authority = rest.split(['/', '?', '#', ' ', '"', '\'']).next().unwrap_or_default();
        authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'))
    })
}

/// Returns whether a name matches a pattern in which `*` stands for any part, as the system compares names.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    matches_exactly(&comparable(pattern), &comparable(name))
}

fn matches_exactly(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(first) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return name.ends_with(part);
        }
        let Some(at) = name.find(part) else { return false };
        name = &name[at + part.len()..];
    }
    true
}

/// The variables that name the directory for temporary files: programs read different ones.
const TEMPORARY: [&str; 4] = ["TMPDIR", "TMP", "TEMP", "TEMPDIR"];

/// Returns the variables that a sandbox adds: those that tell programs about the sandbox, and those for
/// temporary files if the caller's directory can't be used in the sandbox. `value_of` returns the caller's
/// variables.
#[must_use]
pub fn added<'a>(
    options: &SandboxOptions,
    plan: &SandboxPlan,
    value_of: impl Fn(&str) -> Option<&'a str>,
) -> Vec<(Cow<'static, str>, String)> {
    let network = match options.network {
        Network::Usual(UsualNetwork::Off) => "off",
        Network::Usual(UsualNetwork::Loopback) => "loopback",
        Network::Usual(UsualNetwork::On) => "on",
        Network::Allow { .. } => "allow",
    };
    let mut added = vec![
        ("AGENT_BASH_SANDBOX", options.level.name().to_owned()),
        ("AGENT_BASH_SANDBOX_NETWORK", network.to_owned()),
    ];
    if plan.network == NetworkMode::Allow {
        added.extend(proxy_variables());
    }
    for socket in &plan.sockets {
        let path = socket.path.display();
        match socket.kind {
            SocketKind::SshAgent => added.push(("SSH_AUTH_SOCK", path.to_string())),
            SocketKind::Docker => added.push(("DOCKER_HOST", format!("unix://{path}"))),
            SocketKind::GpgAgent | SocketKind::Path => {}
        }
    }
    // Without mounts, a private directory has the same path as on the host.
    let own = plan.places.iter().find_map(|place| match &place.source {
        Source::Directory(source) if plan.tier == Tier::Landlock => source.to_str(),
        _ => None,
    });
    if own.is_some() && value_of("TMPDIR").is_none() {
        added.extend(own.map(|own| ("TMPDIR", own.to_owned())));
    }
    let is_unusable =
        |name: &&str| value_of(name).is_some_and(|path| own.is_some() || !is_usable(path, plan));
    let replaced = TEMPORARY.into_iter().filter(is_unusable);
    added.extend(replaced.map(|name| (name, own.unwrap_or("/tmp").to_owned())));
    let of_git = plan.overlay.iter().flat_map(|_| git_in_overlay(value_of("GIT_CONFIG_COUNT")));
    added.into_iter().map(|(name, value)| (Cow::Borrowed(name), value)).chain(of_git).collect()
}

/// Returns whether a directory for temporary files can be used in a sandbox: the place that it lies in is
/// writable, and has the host's files, or a directory of that name.
fn is_usable(path: &str, plan: &SandboxPlan) -> bool {
    let Some(path) = real(Path::new(path)).filter(|path| path.is_absolute()) else { return false };
    let is_in = |paths: &[PathBuf]| paths.iter().any(|other| path.starts_with(other));
    let around = plan.places.iter().filter(|place| path.starts_with(&place.path));
    let Some(place) = around.max_by_key(|place| place.path.components().count()) else { return false };
    let rest = path.strip_prefix(&place.path).unwrap_or(&path);
    let has_path = match &place.source {
        Source::Host | Source::Overlay { .. } => true,
        Source::Directory(source) => source.join(rest).is_dir(),
        Source::Memory(_) => rest.as_os_str().is_empty(),
    };
    has_path && !is_in(&plan.protected) && !is_in(&plan.hidden)
}

/// Returns the variables that make git compare only the sizes and times of files: an overlay has other device
/// and inode numbers, so git would read every file again.
fn git_in_overlay(count: Option<&str>) -> [(Cow<'static, str>, String); 3] {
    let count: u32 = count.and_then(|count| count.parse().ok()).unwrap_or(0);
    [
        ("GIT_CONFIG_COUNT".into(), (count + 1).to_string()),
        (format!("GIT_CONFIG_KEY_{count}").into(), "core.checkStat".to_owned()),
        (format!("GIT_CONFIG_VALUE_{count}").into(), "minimal".to_owned()),
    ]
}

/// Returns the variables by which programs find the proxy. `ALL_PROXY` is an HTTP address, because Python's
/// libraries refuse a SOCKS address without a further package.
fn proxy_variables() -> Vec<(&'static str, String)> {
    const NAMES: [&str; 6] =
        ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    let proxies = NAMES.map(|name| (name, format!("http://{PROXY}")));
    let not_proxied = ["NO_PROXY", "no_proxy"].map(|name| (name, "localhost,127.0.0.1,::1".to_owned()));
    let node = ("NODE_USE_ENV_PROXY", "1".to_owned());
    proxies.into_iter().chain(not_proxied).chain([node]).collect()
}

#[cfg(test)]
mod tests {
    use super::{Inherit, Inheritance, is_secret, matches};

    #[test]
    fn secrets_are_known_by_their_names() {
        for name in [
            "GITHUB_TOKEN", "npm_token", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "MYSQL_PASSWD",
            "GOOGLE_CREDENTIALS", "SSH_AUTH_SOCK", "OPENAI_API_KEY", "SENTRY_DSN", "HTTP_AUTH",
            "DATABASE_URL", "DOCKER_HOST", "KUBECONFIG",
        ] {
            assert!(is_secret(name, "x"), "{name}");
        }
        for name in ["PATH", "HOME", "KEYBOARD", "AUTHOR", "SOCKET", "NODE_OPTIONS", "CI"] {
            assert!(!is_secret(name, "x"), "{name}");
        }
    }

    #[test]
    fn a_password_in_an_address_is_a_secret() {
        for value in ["postgres://u:p@host/db", "x=https://a:b@c", "amqp://u:@h"] {
            assert!(is_secret("X", value), "{value}");
        }
        for value in ["https://host:443/a@b", "https://user@host", "a:b@c", "http://[::1]:80/", "://"] {
            assert!(!is_secret("X", value), "{value}");
        }
    }

    #[test]
    fn a_list_has_the_basic_names_too() {
        let of = Inheritance { inherit: Inherit::Names(vec!["MY_*".to_owned()]), ..Inheritance::default() };
        assert!(of.keeps("MY_TOKEN", "x") && of.keeps("PATH", "x") && of.keeps("LC_ALL", "x"));
        assert!(!of.keeps("OTHER", "x"));
    }

    #[test]
    fn what_is_included_stays_whatever_removes_it() {
        let names = |name: &str| vec![name.to_owned()];
        let of = Inheritance { inherit: Inherit::Safe, exclude: names("A*"), include: names("A_TOKEN") };
        assert!(of.keeps("A_TOKEN", "x") && of.keeps("B", "x"));
        assert!(!of.keeps("AB", "x") && !of.keeps("B_TOKEN", "x"));
        assert!(!Inheritance { inherit: Inherit::None, ..Inheritance::default() }.keeps("PATH", "x"));
    }

    #[test]
    fn a_star_stands_for_any_part() {
        for (pattern, name) in
            [("a", "a"), ("*", ""), ("a*", "ab"), ("*b", "ab"), ("a*c*e", "abcde"), ("*a*", "xay")]
        {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("a", "ab"), ("a*", "ba"), ("a*b", "a"), ("a*a", "a"), ("a*c*e", "abde")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
