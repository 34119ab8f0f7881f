//! The file of a command that is too long for a command line.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::job::model::plan::Environment;
use crate::process::directory::private::PREFIX;
use crate::process::file::create_for_user;

/// A file with a command, which is removed when this is dropped.
#[derive(Debug)]
pub(in crate::job) struct TemporaryScript(PathBuf);

impl TemporaryScript {
    /// Writes a command into a new file in the directory of the user's temporary files.
    pub(super) fn create(environment: &Environment, command: &str) -> io::Result<Self> {
        let directory = environment.get("TEMP").or_else(|| environment.get("TMP"));
        let directory = directory.ok_or(io::ErrorKind::NotFound)?;
        let (host, random) = (std::process::id(), RandomState::new().hash_one(()));
        let path = Path::new(directory).join(format!("{PREFIX}{host}.{random:x}.sh"));
        let mut file = create_for_user(&path)?;
        let script = Self(path);
        file.write_all(command.as_bytes())?;
        Ok(script)
    }

    /// Returns a command that runs the file in the shell itself.
    pub(super) fn loader(&self) -> String {
        let path = self.0.to_string_lossy().replace('\\', "/");
        format!(". '{}'", path.replace('\'', r"'\''"))
    }
}

impl Drop for TemporaryScript {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
