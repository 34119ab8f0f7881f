//! Finds out whether an engine runs on another machine: there, a path of this machine names another
//! directory, or none.

use std::time::Duration;

use super::engine::{ContainerEngine, Flavor};
use super::query::ask;
use crate::target::error::quoted;

/// The arguments and variables that give podman's client another engine than that of this machine.
const PODMAN_ARGUMENTS: [&str; 5] = ["--remote", "-r", "--url", "--connection", "-c"];
const PODMAN_VARIABLES: [&str; 2] = ["CONTAINER_HOST=", "CONTAINER_CONNECTION="];

/// The names of this machine in an address of an engine.
const OWN_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Returns the address of an engine on another machine, or what selects it. Blocks.
pub(super) fn remote_engine(
    engine: &ContainerEngine,
    environment: &[String],
    limit: Duration,
) -> Option<String> {
    let address = match engine.flavor {
        Flavor::Podman => selected_by_podman(&engine.argv, environment)?,
        Flavor::Docker => {
            // The context that is named `default` has what `-H` and `DOCKER_HOST` say.
            let words = engine.words(&["context", "inspect", "--format", "{{.Endpoints.docker.Host}}"]);
            ask(&words, environment, limit).ok().filter(|answer| answer.is_success)?.stdout.trim().to_owned()
        }
    };
    is_elsewhere(&address).then(|| quoted(address.as_bytes()))
}

/// Returns what selects another engine than that of this machine.
fn selected_by_podman(argv: &[String], environment: &[String]) -> Option<String> {
    let variable = |name: &&str| environment.iter().find_map(|text| text.strip_prefix(*name));
    if let Some(value) = PODMAN_VARIABLES.iter().find_map(variable).filter(|value| !value.is_empty()) {
        return Some(value.to_owned());
    }
    let mut words = argv.iter().skip(1);
    while let Some(word) = words.next() {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        if PODMAN_ARGUMENTS.contains(&name) {
            let next = if value.is_empty() { words.next().map_or(name, String::as_str) } else { value };
            return Some(next.to_owned());
        }
    }
    None
}

/// Returns whether an address is not that of this machine: a socket, or a port of its own.
fn is_elsewhere(address: &str) -> bool {
    let Some((scheme, rest)) = address.split_once("://") else { return !address.is_empty() };
    let is_socket = matches!(scheme, "unix" | "npipe" | "fd");
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    !is_socket && !OWN_NAMES.iter().any(|name| host.strip_prefix(name).is_some_and(ends_a_name))
}

fn ends_a_name(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with([':', '/'])
}

#[cfg(test)]
mod tests {
    use super::{is_elsewhere, selected_by_podman};

    #[test]
    fn only_a_socket_or_a_port_of_this_machine_is_here() {
        for here in ["unix:///var/run/docker.sock", "tcp://localhost:2375", "ssh://me@127.0.0.1/run/x", ""] {
            assert!(!is_elsewhere(here), "{here}");
        }
        for there in ["ssh://me@build", "tcp://10.0.0.7:2376", "tcp://localhost.example:1", "production"] {
            assert!(is_elsewhere(there), "{there}");
        }
    }

    #[test]
    fn a_connection_of_podman_is_found_in_arguments_and_variables() {
        let selected = |words: &[&str], variables: &[&str]| {
            let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
            selected_by_podman(&texts(words), &texts(variables))
        };
        assert_eq!(selected(&["podman", "--runtime", "runc"], &["PATH=/bin"]), None);
        assert_eq!(selected(&["podman", "--connection", "build"], &[]).as_deref(), Some("build"));
        assert_eq!(selected(&["podman", "--url=ssh://b"], &[]).as_deref(), Some("ssh://b"));
        assert_eq!(selected(&["podman"], &["CONTAINER_HOST=ssh://b"]).as_deref(), Some("ssh://b"));
    }
}
