//! Finds the engine of a container, and what kind of engine it is.

use std::collections::HashMap;
use std::io;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::geteuid;

use super::query::{EngineAnswer, ask};
use crate::process::errno::Errno;
use crate::target::error::{TargetError, quoted};

/// The engines that are tried, in this order, where none is given.
const USUAL: [&str; 2] = ["podman", "docker"];

/// The two families of engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flavor {
    Podman,
    Docker,
}

/// An engine that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ContainerEngine {
    /// The program and its global arguments.
    pub(super) argv: Vec<String>,
    pub(super) flavor: Flavor,
    /// Whether root in a container is an ordinary user of this machine.
    pub(super) is_rootless: bool,
}

impl ContainerEngine {
    /// Returns the arguments of a command of the engine, the program first.
    pub(super) fn words(&self, words: &[&str]) -> Vec<String> {
        let words = words.iter().map(|&word| word.to_owned());
        self.argv.iter().cloned().chain(words).collect()
    }

    /// Returns the given engine, or the first usual one that answers. Blocks on the first call for each.
    ///
    /// # Errors
    ///
    /// `TARGET_ENGINE` if none answers within `limit`.
    pub(super) fn find(
        given: Option<&[String]>,
        environment: &[String],
        limit: Duration,
    ) -> Result<Self, TargetError> {
        static KNOWN: LazyLock<Mutex<HashMap<Vec<String>, ContainerEngine>>> = LazyLock::new(Mutex::default);
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let tried: Vec<Vec<String>> = match given {
            Some(words) => vec![words.to_vec()],
            None => USUAL.map(|program| vec![program.to_owned()]).to_vec(),
        };
        let mut reason = String::new();
        for argv in &tried {
            if let Some(engine) = known().get(argv) {
                return Ok(engine.clone());
            }
            match identify(argv, environment, limit) {
                Ok(engine) => {
                    known().insert(argv.clone(), engine.clone());
                    return Ok(engine);
                }
                Err(error) => reason = format!("{}: {error}", argv.first().map_or("", String::as_str)),
            }
        }
        let names: Vec<&str> = tried.iter().filter_map(|argv| argv.first()).map(String::as_str).collect();
        let message = format!("No container engine answers ({}): {reason}.", names.join(", "));
        Err(TargetError::new("TARGET_ENGINE", message))
    }
}

/// Finds out which kind of engine a program is.
fn identify(argv: &[String], environment: &[String], limit: Duration) -> Result<ContainerEngine, String> {
    let said = |words: &[&str]| {
        let words: Vec<String> = argv.iter().cloned().chain(words.iter().map(ToString::to_string)).collect();
        ask(&words, environment, limit).map_err(|error| reason_of(&error))
    };
    let version = said(&["--version"])?;
    let flavor = flavor_of(&version.stdout).ok_or_else(|| last_words(&version))?;
    let is_rootless = match flavor {
        Flavor::Podman => !geteuid().is_root(),
        // Docker's client prints its version without a daemon too, so the daemon is queried.
        Flavor::Docker => {
            let answer = said(&["info", "--format", "{{.ServerVersion}} {{.SecurityOptions}}"])?;
            if !answer.is_success {
                return Err(last_words(&answer));
            }
            answer.stdout.contains("name=rootless")
        }
    };
    Ok(ContainerEngine { argv: argv.to_vec(), flavor, is_rootless })
}

fn flavor_of(version: &str) -> Option<Flavor> {
    let version = version.to_ascii_lowercase();
    if version.contains("podman") {
        Some(Flavor::Podman)
    } else if version.contains("docker") {
        Some(Flavor::Docker)
    } else {
        None
    }
}

fn last_words(EngineAnswer { stdout, stderr, .. }: &EngineAnswer) -> String {
    let said = if stderr.trim().is_empty() { stdout } else { stderr };
    quoted(said.trim().trim_end_matches('.').as_bytes())
}

fn reason_of(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::TimedOut { "no answer".to_owned() } else { Errno::of(error).name() }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{ContainerEngine, Flavor, flavor_of};

    #[test]
    fn an_engine_is_known_by_its_version() {
        assert_eq!(flavor_of("podman version 4.3.1\n"), Some(Flavor::Podman));
        assert_eq!(flavor_of("Docker version 28.2.2, build e6534b4\n"), Some(Flavor::Docker));
        assert_eq!(flavor_of("sh 1\n"), None);
    }

    #[test]
    fn a_missing_engine_and_another_program_are_no_engine() {
        for (program, said) in [("/nowhere/engine", "ENOENT"), ("/bin/false", "")] {
            let words = [program.to_owned()];
            let error =
                ContainerEngine::find(Some(&words), &[], Duration::from_secs(10)).expect_err("no engine");
            assert_eq!(error.code, "TARGET_ENGINE");
            let expected = format!("No container engine answers ({program}): {program}: {said}");
            assert!(error.message.starts_with(&expected), "{}", error.message);
        }
    }
}
