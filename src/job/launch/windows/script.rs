//! The file of a command that is too long for a command line.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::job::model::plan::Environment;
use crate::process::directory::private::PrivateDirectory;
use crate::process::file::create_for_user;

/// A file with a command, which is removed with its directory when this is dropped.
#[derive(Debug)]
pub(in crate::job) struct TemporaryScript {
    path: PathBuf,
    _directory: PrivateDirectory,
}

impl TemporaryScript {
    /// Writes a command into a new file in the directory of the user's temporary files.
    pub(super) fn create(environment: &Environment, command: &str) -> io::Result<Self> {
        let temporary = environment.get("TEMP").or_else(|| environment.get("TMP"));
        let directory = PrivateDirectory::create_in(Path::new(temporary.ok_or(io::ErrorKind::NotFound)?))?;
        let path = directory.path().join("command.sh");
        create_for_user(&path)?.write_all(command.as_bytes())?;
        Ok(Self { path, _directory: directory })
    }

    /// Returns a command that runs the file in the shell itself.
    pub(super) fn loader(&self) -> String {
        let path = self.path.to_string_lossy().replace('\\', "/");
        format!(". '{}'", path.replace('\'', r"'\''"))
    }
}
