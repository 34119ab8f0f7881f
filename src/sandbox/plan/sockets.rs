//! The UNIX sockets of the host that commands may connect to.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};

use super::error::{PlanError, wrong};
use super::paths::{BasePaths, absolute, leads_out, real};
use crate::process::directory::temporary::runtime_directory;
use crate::process::file::{identity, is_socket};
use crate::wire::raw;

/// The largest number of listed sockets.
pub const MAX_SOCKETS: usize = 16;

const OPTION: &str = "sandbox.sockets";

/// The server that a socket leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SocketKind {
    /// An agent of ssh. Commands get a relay of the engine, which lists keys and signs.
    SshAgent,
    /// The restricted socket of an agent of `GnuPG`.
    GpgAgent,
    /// The daemon of docker.
    Docker,
    /// Any other server.
    Path,
}

impl SocketKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::SshAgent, Self::GpgAgent, Self::Docker, Self::Path];

    /// Returns the kind of an entry of the option.
    #[must_use]
    pub fn of(entry: &str) -> Self {
        match entry {
            "ssh-agent" => Self::SshAgent,
            "gpg-agent" => Self::GpgAgent,
            "docker" => Self::Docker,
            _ => Self::Path,
        }
    }
}

/// The identity of a socket's file: its device and inode.
pub type SocketIdentity = (u64, u64);

/// A socket that commands may connect to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedSocket {
    pub kind: SocketKind,
    /// The absolute path in the sandbox, without symbolic links.
    #[serde(with = "raw")]
    pub path: PathBuf,
    /// The path of the socket on the host, without symbolic links.
    #[serde(with = "raw")]
    pub source: PathBuf,
    /// The file at `source`. Another file there is another server, and no connection is made to it.
    pub identity: SocketIdentity,
}

/// Checks the option without reading the file system.
pub(super) fn check(sockets: &[String], base: BasePaths<'_>) -> Result<(), PlanError> {
    if sockets.len() > MAX_SOCKETS {
        let got = sockets.len();
        return Err(wrong(OPTION, format!("expected at most {MAX_SOCKETS} sockets, got {got}")));
    }
    for entry in sockets.iter().filter(|entry| SocketKind::of(entry) == SocketKind::Path) {
        if !entry.contains('/') {
            return Err(wrong(
                OPTION,
                format!("'{entry}': expected 'ssh-agent', 'gpg-agent', 'docker' or a path with '/'"),
            ));
        }
        absolute(entry, base).map_err(|error| wrong(OPTION, error))?;
    }
    Ok(())
}

/// Finds the listed sockets. `variables` are those of the host by which programs find them. A link in a
/// writable path, which a command may have made, must not lead out of that path.
pub(super) fn resolve(
    sockets: &[String],
    base: BasePaths<'_>,
    variables: &BTreeMap<String, String>,
    writable: &[&Path],
) -> Result<Vec<PlannedSocket>, PlanError> {
    check(sockets, base)?;
    let mut found: Vec<PlannedSocket> = Vec::new();
    for entry in sockets {
        let socket = Finder { entry, base, variables, writable }.find().map_err(PlanError::Socket)?;
        // Two names of one socket give what the first one gives.
        if !found.iter().any(|other| other.identity == socket.identity) {
            found.push(socket);
        }
    }
    Ok(found)
}

/// Finds the socket of one entry.
struct Finder<'a> {
    entry: &'a str,
    base: BasePaths<'a>,
    variables: &'a BTreeMap<String, String>,
    writable: &'a [&'a Path],
}

impl Finder<'_> {
    fn find(&self) -> Result<PlannedSocket, String> {
        match SocketKind::of(self.entry) {
            SocketKind::SshAgent => {
                let Some(path) = self.variable("SSH_AUTH_SOCK") else {
                    return Err("'ssh-agent' needs SSH_AUTH_SOCK, which is not set".to_owned());
                };
                self.socket(SocketKind::SshAgent, Path::new(path))
            }
            SocketKind::Docker => {
                let path = match self.variable("DOCKER_HOST") {
                    None => "/var/run/docker.sock",
                    Some(host) => host.strip_prefix("unix://").ok_or_else(|| {
                        format!("'docker' needs a UNIX socket in DOCKER_HOST, which is '{host}'")
                    })?,
                };
                self.socket(SocketKind::Docker, Path::new(path))
            }
            SocketKind::GpgAgent => self.gpg_agent(),
            SocketKind::Path => self.socket(SocketKind::Path, &absolute(self.entry, self.base)?),
        }
    }

    fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Finds a socket that has the same path in the sandbox.
    fn socket(&self, kind: SocketKind, named: &Path) -> Result<PlannedSocket, String> {
        let entry = self.entry;
        let about = |what: &str| {
            let path = named.display();
            if kind == SocketKind::Path {
                format!("'{path}' {what}")
            } else {
                format!("'{entry}': '{path}' {what}")
            }
        };
        let path = real(named).filter(|_| named.is_absolute()).ok_or_else(|| about("does not exist"))?;
        if let Some(place) = leads_out(named, &path, self.writable) {
            let place = place.display();
            return Err(about(&format!(
                "leads out of '{place}', where commands can write, by a symbolic link"
            )));
        }
        let status = fs::symlink_metadata(&path).map_err(|_| about("does not exist"))?;
        if !is_socket(&status) {
            return Err(about("is no socket"));
        }
        let identity = identity(&status);
        Ok(PlannedSocket { kind, source: path.clone(), path, identity })
    }

    /// Finds the socket `agent-extra-socket` of `GnuPG`, which stands at the path of the usual one in the
    /// sandbox: programs there look for that.
    fn gpg_agent(&self) -> Result<PlannedSocket, String> {
        // GnuPG prefers a directory of the session to its own home.
        let session = runtime_directory().join("gnupg");
        let directories = match (self.variable("GNUPGHOME"), self.base.home) {
            (Some(home), _) => vec![session.join(session_name(home)), PathBuf::from(home)],
            (None, Some(home)) => vec![session, home.join(".gnupg")],
            (None, None) => vec![session],
        };
        let sockets = directories.iter().map(|directory| directory.join("S.gpg-agent.extra"));
        let found = sockets.into_iter().find_map(|path| self.socket(SocketKind::GpgAgent, &path).ok());
        let found = found.ok_or_else(|| {
            let all: Vec<String> = directories.iter().map(|path| path.display().to_string()).collect();
            format!(
                "'gpg-agent' has no socket S.gpg-agent.extra in {}: start it by gpgconf --launch gpg-agent",
                all.join(", ")
            )
        })?;
        Ok(PlannedSocket { path: found.source.with_extension(""), ..found })
    }
}

/// Returns the name of the directory that `GnuPG` has in a session for a home other than the usual one: a
/// part of the home's hash, by the alphabet of z-base-32.
fn session_name(home: &str) -> String {
    const ALPHABET: &[u8; 32] = b"ybndrfg8ejkmcpqxot1uwisza345h769";
    let hash = Sha1::digest(home.as_bytes());
    let groups = hash.chunks_exact(5).take(3);
    let letters = groups.flat_map(|group| {
        let bits = group.iter().fold(0_u64, |bits, &byte| bits << 8 | u64::from(byte));
        (0..8).rev().map(move |at| usize::try_from(bits >> (5 * at) & 31).unwrap_or(0))
    });
    let letters = letters.filter_map(|letter| ALPHABET.get(letter).copied().map(char::from));
    "d.".chars().chain(letters).collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::collections::BTreeMap;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::path::Path;

    use super::{BasePaths, PlannedSocket, SocketKind, check, resolve, session_name};

    fn find(sockets: &[&str], root: &Path, variables: &[(&str, &str)]) -> Result<Vec<PlannedSocket>, String> {
        let sockets: Vec<String> = sockets.iter().map(|&socket| socket.to_owned()).collect();
        let variables: BTreeMap<String, String> =
            variables.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        let base = BasePaths { root, home: Some(root) };
        resolve(&sockets, base, &variables, &[&root.join("writable")]).map_err(|error| error.to_string())
    }

    fn message(sockets: &[&str], variables: &[(&str, &str)]) -> String {
        let place = tempfile::tempdir().expect("a directory");
        find(sockets, place.path(), variables).expect_err("a mistake")
    }

    #[test]
    fn a_name_that_leads_nowhere_says_what_it_needs() {
        assert_eq!(message(&["ssh-agent"], &[]), "'ssh-agent' needs SSH_AUTH_SOCK, which is not set");
        assert_eq!(
            message(&["ssh-agent"], &[("SSH_AUTH_SOCK", "/nowhere/at/all")]),
            "'ssh-agent': '/nowhere/at/all' does not exist"
        );
        assert_eq!(
            message(&["ssh-agent"], &[("SSH_AUTH_SOCK", "/etc/passwd")]),
            "'ssh-agent': '/etc/passwd' is no socket"
        );
        assert_eq!(
            message(&["docker"], &[("DOCKER_HOST", "tcp://10.0.0.1:2375")]),
            "'docker' needs a UNIX socket in DOCKER_HOST, which is 'tcp://10.0.0.1:2375'"
        );
        assert_eq!(message(&["/nowhere/at/all"], &[]), "'/nowhere/at/all' does not exist");
        assert!(
            message(&["gpg-agent"], &[("GNUPGHOME", "/nowhere")])
                .contains(", /nowhere: start it by gpgconf --launch gpg-agent")
        );
    }

    #[test]
    fn an_entry_is_a_known_name_or_a_path_and_their_number_has_a_bound() {
        let base = BasePaths { root: Path::new("/w"), home: None };
        let mistake = |entry: &str| check(&[entry.to_owned()], base).expect_err("a mistake").to_string();
        assert_eq!(
            mistake("sshagent"),
            "sandbox.sockets: 'sshagent': expected 'ssh-agent', 'gpg-agent', 'docker' or a path with '/'"
        );
        assert!(mistake("~/x").contains("HOME is not set"));
        let many = vec!["/a".to_owned(); 17];
        assert!(
            check(&many, base).expect_err("a mistake").to_string().contains("at most 16 sockets, got 17")
        );
        assert!(check(&many[1..], base).is_ok());
    }

    #[test]
    fn a_link_counts_as_its_target_and_one_socket_once() {
        let place = tempfile::tempdir().expect("a directory");
        let root = place.path().canonicalize().expect("a path");
        let _server = UnixListener::bind(root.join("server")).expect("a socket");
        symlink("server", root.join("link")).expect("a link");
        let found = find(&["./link", "~/server"], &root, &[]).expect("sockets");
        assert_eq!(found.iter().map(|socket| socket.path.clone()).collect::<Vec<_>>(), [root.join("server")]);
    }

    #[test]
    fn a_link_in_a_writable_path_does_not_lead_out_of_it() {
        let place = tempfile::tempdir().expect("a directory");
        let root = place.path().canonicalize().expect("a path");
        std::fs::create_dir(root.join("writable")).expect("a directory");
        let _server = UnixListener::bind(root.join("server")).expect("a socket");
        symlink("../server", root.join("writable/app.sock")).expect("a link");
        let error = find(&["writable/app.sock"], &root, &[]).expect_err("a mistake");
        assert!(error.contains("leads out of"), "{error}");
    }

    #[test]
    fn gnupg_has_a_directory_of_its_own_for_each_other_home() {
        // As of `gpgconf --list-dirs agent-extra-socket`.
        assert_eq!(session_name("/tmp/gpgh"), "d.ykzdsu9qmcemxckqtm799km3");
    }

    #[test]
    fn the_restricted_socket_of_gnupg_stands_at_the_path_of_the_usual_one() {
        let place = tempfile::tempdir().expect("a directory");
        let root = place.path().canonicalize().expect("a path");
        let _server = UnixListener::bind(root.join("S.gpg-agent.extra")).expect("a socket");
        let found = find(&["gpg-agent"], &root, &[("GNUPGHOME", root.to_str().expect("a text"))]);
        let [socket] = &found.expect("a socket")[..] else { panic!("one socket") };
        assert_eq!((socket.kind, socket.path.clone()), (SocketKind::GpgAgent, root.join("S.gpg-agent")));
        assert_eq!(socket.source, root.join("S.gpg-agent.extra"));
    }
}
