//! The failures of a target: stable codes, and sentences for people.

use std::fmt::Write;
use std::time::Duration;

use super::container::options::{Mount, OwnContainer};
use super::ssh::failure::of_failed_ssh;
use super::transport_command::{TransportCommand, TransportKind};

/// The longest text of the target that an error quotes (bytes).
const MAX_QUOTE: usize = 400;

/// The reason why a target runs no commands, or has lost one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TargetError {
    /// A stable code, such as `TARGET_LOST`.
    pub code: &'static str,
    pub message: String,
}

/// The part of a target that has not answered in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unanswered {
    Shell,
    /// The arrival of the helper's bytes.
    Copy {
        arrived: usize,
        size: usize,
    },
    /// The hello of the helper.
    Helper,
    /// The start of a container of its own.
    Container,
}

impl TargetError {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The target was disposed.
    #[must_use]
    pub fn closed() -> Self {
        Self::new("TARGET_CLOSED", "The target was disposed.")
    }

    /// The transport could not be started.
    pub(super) fn start(program: &str, errno: &str) -> Self {
        Self::new("TARGET_START", format!("'{program}' can't be started: {errno}."))
    }

    /// The connection ended while commands ran.
    pub(super) fn lost(name: &str, why: &str) -> Self {
        let message = format!(
            "The connection to {name} ended ({why}). The command was ended there; its exit code is unknown."
        );
        Self::new("TARGET_LOST", message)
    }

    /// The reaper of a command was killed: for lack of memory if `errno` is `ENOMEM`.
    pub(super) fn reaper_killed(name: &str, errno: i32) -> Self {
        let message =
            format!("The command was ended on {name}: the process there that watches it was killed");
        if errno == libc::ENOMEM {
            let reason = "for lack of memory. Files in a tmpfs, such as /tmp of a container, are memory too.";
            return Self::new("OUT_OF_MEMORY", format!("{message} {reason}"));
        }
        Self::new("TARGET_LOST", format!("{message}. Its exit code is unknown."))
    }

    pub(super) fn protocol(name: &str, said: &str) -> Self {
        Self::new("TARGET_PROTOCOL", format!("{name} did not answer as agent-bash does: \"{said}\"."))
    }

    /// `early_output` is what has come last.
    pub(super) fn banner(early_output: &str) -> Self {
        let early_output = quoted(early_output.as_bytes());
        let message = format!("More than 64 KiB came before the shell answered: \"{early_output}\".");
        Self::new("TARGET_BANNER", message)
    }

    /// The transport has ended without a shell. `quote` is what it has said.
    pub(super) fn no_shell(name: &str, quote: &str) -> Self {
        let said = if quote.is_empty() { "it said nothing".to_owned() } else { format!("\"{quote}\"") };
        Self::new("TARGET_SHELL", format!("{name} answered, but started no shell: {said}."))
    }

    /// The transport has given the shell a terminal, which changes bytes in both directions, or can't do so.
    pub(super) fn terminal(transport_command: &TransportCommand) -> Self {
        let (option, name) = (transport_command.kind.name(), &transport_command.name);
        let message = format!(
            "{option}: '{name}' must carry bytes, and so without a terminal: leave out its option for one, such as -t."
        );
        Self::new("TARGET_SHELL", message)
    }

    /// An option that a shell alone can't offer. `why` is the reason for which no helper runs.
    pub(super) fn degraded(option: &str, why: &Self) -> Self {
        let message = format!("The option '{option}' is not available on this target. {}", why.message);
        Self::new("TARGET_DEGRADED", message)
    }

    /// Ports of a target with a shell alone. `why` is the reason for which no helper runs.
    pub(super) fn without_ports(why: &Self) -> Self {
        let message = format!(
            "forward() and reverse() need the helper on the target. {} Use the transport's own means: ssh -L, \
             kubectl port-forward, or a published port of the container.",
            why.message
        );
        Self::new("ERR_FEATURE_UNAVAILABLE", message)
    }

    /// The target has not answered within `limit`.
    pub(super) fn timeout(transport_command: &TransportCommand, what: Unanswered, limit: Duration) -> Self {
        let (name, seconds) = (&transport_command.name, limit.as_secs_f64());
        let message = match what {
            Unanswered::Shell => {
                let login = if transport_command.kind == TransportKind::Ssh {
                    "Does the login take long, or does"
                } else {
                    "Does"
                };
                let rest = "a start file of the shell wait, or read standard input?";
                format!("No answer from {name} within {seconds} s. {login} {rest}")
            }
            Unanswered::Copy { arrived, size } => format!(
                "The copy of the helper to {name} made no progress for {seconds} s: {arrived} of {size} bytes had arrived."
            ),
            Unanswered::Helper => format!("The helper on {name} did not answer within {seconds} s."),
            Unanswered::Container => {
                format!(
                    "A container of {name} did not start within {seconds} s. Is connectTimeout too short for it?"
                )
            }
        };
        Self::new("TARGET_TIMEOUT", message)
    }
}

/// Returns the reason why a transport ended before the target's shell answered: from the last lines of its
/// error output, or else from the shell's output.
pub(super) fn of_failed_connect(
    transport_command: &TransportCommand,
    errors: &str,
    early_output: &str,
) -> TargetError {
    let TransportCommand { kind, name, .. } = transport_command;
    if *kind == TransportKind::Ssh {
        return of_failed_ssh(name, errors, early_output);
    }
    if *kind == TransportKind::Exec && says_that_input_is_no_terminal(errors) {
        return TargetError::terminal(transport_command);
    }
    let said = if errors.trim().is_empty() { early_output } else { errors };
    let quote = quoted(said.trim().as_bytes());
    if *kind == TransportKind::Container && is_missing_container(errors) {
        let message = format!("There is no running container '{name}' ({quote}).");
        return TargetError::new("TARGET_CONTAINER", message);
    }
    if *kind == TransportKind::Exec && is_missing_container(errors) {
        let message = format!("The container behind '{name}' is missing, or does not run: \"{quote}\".");
        return TargetError::new("TARGET_CONTAINER", message);
    }
    TargetError::no_shell(name, &quote)
}

/// Returns the reason of a container that was not made, or has not run the supervisor.
pub(super) fn of_failed_container(own: &OwnContainer, errors: &str, early_output: &str) -> TargetError {
    let image = &own.image;
    let said = if errors.trim().is_empty() { early_output } else { errors };
    let quote = quoted(said.trim().as_bytes());
    let lower = errors.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
    if own.pulls && is_pull_failed(&lower) {
        return TargetError::new("TARGET_IMAGE", format!("The image '{image}' can't be pulled: {quote}"));
    }
    if !own.pulls && has(&["image not known", "no such image", "unable to find image", "not found locally"]) {
        let message = format!("The image '{image}' is not here; pull it, or set pull: 'missing'.");
        return TargetError::new("TARGET_IMAGE", message);
    }
    if has(&["exec format error"]) {
        return TargetError::new("TARGET_PLATFORM", format!("There is no helper for {image}: {quote}"));
    }
    if let Some(Mount { source, .. }) =
        own.mounts.iter().find(|mount| says_that_source_is_missing(errors, mount))
    {
        let message = format!("container.mounts: '{source}' does not exist on the machine of the engine.");
        return TargetError::new("TARGET_START", message);
    }
    TargetError::new("TARGET_START", format!("A container of {image} can't be started: {quote}"))
}

/// Returns whether podman or docker has said that there is no such path to mount.
fn says_that_source_is_missing(errors: &str, mount: &Mount) -> bool {
    let source = &mount.source;
    let lines = [format!("statfs {source}: no such file"), format!("source path does not exist: {source}")];
    lines.iter().any(|line| errors.contains(line))
}

/// Returns whether an engine, which was asked to download a missing image, has begun to and has not got it.
/// Docker tells that an image is missing also before a download that succeeds.
fn is_pull_failed(errors: &str) -> bool {
    let has = |parts: &[&str]| parts.iter().any(|part| errors.contains(part));
    let has_begun = has(&[
        "unable to find image",
        "trying to pull",
        "initializing source",
        "did not resolve to an alias",
    ]);
    has_begun
        && !has(&["downloaded newer image", "image is up to date", "writing manifest to image destination"])
}

/// Returns whether docker has refused to give a terminal to a program whose own input is none.
fn says_that_input_is_no_terminal(errors: &str) -> bool {
    let errors = errors.to_ascii_lowercase();
    ["the input device is not a tty", "because stdin is not a terminal"]
        .iter()
        .any(|part| errors.contains(part))
}

/// Returns whether an engine, or a client of one or of Kubernetes, has said that there
/// is no such container, or that it does not run.
fn is_missing_container(errors: &str) -> bool {
    let errors = errors.to_ascii_lowercase();
    [
        "no such container",
        "no container with name",
        "is not running",
        "no running container",
        "no running pod",
        // docker compose, and podman-compose
        "no such service",
        "missing services",
        "error from server (notfound)",
        "container not found",
        "can only create exec sessions on running",
    ]
    .iter()
    .any(|part| errors.contains(part))
}

/// Returns the last 400 bytes of untrusted text of the target, with control characters as `\xNN`.
pub(super) fn quoted(bytes: &[u8]) -> String {
    let kept = &bytes[bytes.len().saturating_sub(MAX_QUOTE)..];
    let mut out = String::new();
    for letter in String::from_utf8_lossy(kept).chars() {
        if letter.is_control() {
            let _ = write!(out, "\\x{:02x}", u32::from(letter));
        } else {
            out.push(letter);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::container::options::Container;
    use super::{
        TargetError, TransportCommand, TransportKind, of_failed_connect, of_failed_container, quoted,
    };

    fn connect(kind: TransportKind, errors: &str) -> TargetError {
        of_failed_connect(&TransportCommand { kind, argv: Vec::new(), name: "h".to_owned() }, errors, "")
    }

    fn code(kind: TransportKind, errors: &str) -> &'static str {
        connect(kind, errors).code
    }

    fn container(json: &str, errors: &str) -> TargetError {
        let Ok(Container::Own(own)) = serde_json::from_str(json) else { panic!("expected a container") };
        of_failed_container(&own, errors, "")
    }

    #[test]
    fn only_an_image_that_is_not_pulled_is_to_be_pulled() {
        for errors in
            ["Error: i: image not known", "Unable to find image 'i:latest' locally\ndocker: No such image: i"]
        {
            let error = container(r#"{"image":"i"}"#, errors);
            assert_eq!(error.code, "TARGET_IMAGE");
            assert!(error.message.contains("set pull: 'missing'"), "{}", error.message);
        }
        let missing = "Unable to find image 'i:latest' locally\n";
        let denied =
            "docker: Error response from daemon: pull access denied for i, repository does not exist.";
        for errors in [
            &format!("{missing}{denied}"),
            "Trying to pull localhost:1/i:latest...\nError: initializing source docker://localhost:1/i:latest: refused",
            "Error: short-name \"i\" did not resolve to an alias and no unqualified-search registries are defined",
        ] {
            let error = container(r#"{"image":"i","pull":"missing"}"#, errors);
            assert_eq!(error.code, "TARGET_IMAGE");
            assert!(error.message.starts_with("The image 'i' can't be pulled: "), "{}", error.message);
        }
    }

    #[test]
    fn a_missing_source_of_a_mount_names_the_option() {
        let json =
            r#"{"image":"i","mounts":[{"source":"/a","target":"/x"},{"source":"/s t","target":"/y"}]}"#;
        for errors in [
            "Error: statfs /s t: no such file or directory",
            "docker: Error response from daemon: invalid mount config for type \"bind\": bind source path does not exist: /s t.",
        ] {
            let error = container(json, errors);
            let expected = "container.mounts: '/s t' does not exist on the machine of the engine.";
            assert_eq!((error.code, error.message.as_str()), ("TARGET_START", expected));
        }
        assert!(
            !container(json, "statfs /other: no such file or directory").message.contains("container.mounts")
        );
    }

    #[test]
    fn a_container_that_fails_after_its_image_was_pulled_does_not_blame_the_image() {
        for pulled in [
            "Unable to find image 'i:latest' locally\nStatus: Downloaded newer image for i:latest\n",
            "Trying to pull i:latest...\nWriting manifest to image destination\n",
        ] {
            let error = container(r#"{"image":"i","pull":"missing"}"#, &format!("{pulled}no such network"));
            assert_eq!(error.code, "TARGET_START");
        }
    }

    #[test]
    fn a_transport_that_asks_for_a_terminal_is_told_to_leave_it_out() {
        for errors in [
            "the input device is not a TTY",
            "cannot attach stdin to a TTY-enabled container because stdin is not a terminal",
        ] {
            let error = connect(TransportKind::Exec, errors);
            assert_eq!(error.code, "TARGET_SHELL");
            assert!(error.message.starts_with("exec: 'h' must carry bytes"), "{}", error.message);
        }
    }

    #[test]
    fn a_container_that_does_not_run_is_recognized() {
        for errors in [
            "Error: no container with name or ID \"x\" found: no such container",
            "Error response from daemon: No such container: x",
            "Error response from daemon: Container 12 is not running",
            "Error: can only create exec sessions on running containers: container state improper",
        ] {
            assert_eq!(code(TransportKind::Container, errors), "TARGET_CONTAINER", "{errors}");
        }
        for errors in [
            "Error from server (NotFound): pods \"web\" not found",
            "error: unable to upgrade connection: container not found (\"web\")",
            "service \"web\" is not running",
            "no such service: web",
            "WARNING:__main__:missing services [web]",
        ] {
            assert_eq!(code(TransportKind::Exec, errors), "TARGET_CONTAINER", "{errors}");
        }
        assert_eq!(code(TransportKind::Container, "exec failed"), "TARGET_SHELL");
        assert_eq!(code(TransportKind::Exec, "Permission denied (publickey)"), "TARGET_SHELL");
    }

    #[test]
    fn text_from_there_can_not_write_to_a_terminal() {
        assert_eq!(quoted(b"a\x1b[31m\n"), "a\\x1b[31m\\x0a");
        assert!(quoted(&[b'x'; 5000]).len() <= 400);
    }
}
