//! A target whose transport is a shell, with a home of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_bash::job::model::shell::Shell;
use agent_bash::job::model::surroundings::OnTarget;
use agent_bash::target::Target;
use agent_bash::target::options::TargetOptions;
use tempfile::TempDir;

use crate::support::Command;

/// A target of this machine.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) target: Arc<Target>,
    directory: TempDir,
}

impl Place {
    /// Creates a target whose shell first runs `start_file`.
    pub(crate) fn with_start_file(start_file: &str, more: &str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let home = directory.path().to_str().expect("text");
        let line = serde_json::to_string(&format!("{start_file}\nexec \"$@\"")).expect("text");
        let json = format!(r#"{{"exec":["/bin/sh","-c",{line},"x"]{more}}}"#);
        let options = TargetOptions::parse(&json).expect("options");
        let environment =
            vec!["PATH=/usr/bin:/bin".to_owned(), format!("HOME={home}"), format!("TMPDIR={home}/tmp")];
        fs::create_dir(directory.path().join("tmp")).expect("made");
        Self { target: Arc::new(Target::new(options, environment, Vec::new())), directory }
    }

    pub(crate) fn new() -> Self {
        Self::with_start_file("", "")
    }

    pub(crate) fn home(&self) -> &Path {
        self.directory.path()
    }

    /// Returns a command for this target.
    pub(crate) fn command(&self, line: &str) -> Command {
        self.place(Command::script(line))
    }

    pub(crate) fn place(&self, mut command: Command) -> Command {
        command.plan.surroundings.target = Some(OnTarget {
            target: Arc::clone(&self.target),
            has_empty_environment: false,
            shells: Shell::usual_ones(),
            session_shell: None,
        });
        command
    }

    /// Returns the files in the cache.
    pub(crate) fn cached(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.home().join(".cache/agent-bash"));
        entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    }
}
