//! The shell that runs a command line.

use std::path::Path;

/// A shell and its flags before the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell {
    /// The path, or a name to look up in PATH.
    pub program: String,
    pub flags: Vec<String>,
}

impl Shell {
    /// Creates a shell that runs a command by `flag`.
    #[must_use]
    pub fn new(program: &str, flag: &str) -> Self {
        Self { program: program.to_owned(), flags: vec![flag.to_owned()] }
    }

    /// Returns the usual shell, `shell: 'auto'`: `/bin/bash -c`, else `sh -c` from PATH.
    ///
    /// bash comes first because models and people write its language. It is no login shell: `/etc/profile`
    /// would replace the PATH of the host, such as that of an active virtual environment.
    ///
    /// On Windows, where [`BASH`] is no absolute path, the launch finds Git Bash or busybox by the name.
    #[must_use]
    pub fn usual() -> Self {
        let bash = Path::new(BASH);
        match bash.is_absolute() {
            true if bash.exists() => Self::new(BASH, "-c"),
            true => Self::default(),
            false => Self::new("bash", "-c"),
        }
    }

    /// Returns the shells of which the usual one is the first that exists, for another machine.
    #[must_use]
    pub fn usual_ones() -> Vec<Self> {
        vec![Self::new(BASH, "-c"), Self::new("sh", "-c")]
    }

    /// Returns a shell, and `sh` with the same flags for another machine without that shell.
    #[must_use]
    pub fn or_sh(program: &str, flags: &[String]) -> Vec<Self> {
        [program, "sh"].map(|name| Self { program: name.to_owned(), flags: flags.to_vec() }).to_vec()
    }
}

/// The file of a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellProgram {
    /// The path, or a name to look up in PATH.
    pub path: String,
    /// The first argument of a program that is a shell only with that: `sh` of busybox on Windows.
    pub applet: Option<&'static str>,
}

impl Default for Shell {
    /// `sh -c` from PATH.
    fn default() -> Self {
        Self::new("sh", "-c")
    }
}

/// The path of bash where a system has one.
pub const BASH: &str = "/bin/bash";
