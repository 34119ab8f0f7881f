//! Finds and checks the helper program.
//!
//! The package has one small program beside the addon, `src/bin/agent-bash-helper.rs`. Each task that must
//! outlive the host, or run between the host and a command, is a *role* of this program. The name under which
//! the host starts it (`argv[0]`) selects the role, so `ps` shows the role. A shell can't choose that name,
//! so the supervisor is selected by an argument. The roles themselves are in `src/helper/`.

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod platform;

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::errno::Errno;

/// The version of the addon. The helper must have the same.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The `argv[0]` that selects the role of the guardian.
pub const GUARDIAN: &str = "agent-bash-guardian";

/// The `argv[0]` that selects the role of the sandbox.
pub const SANDBOX: &str = "agent-bash-sandbox";

/// The `argv[0]` that selects the role that mounts the layer of an overlay or a home.
pub const OVERLAY: &str = "agent-bash-overlay";

/// The `argv[0]` that selects the role of the keeper of a container.
pub const KEEPER: &str = "agent-bash-keeper";

/// The name that selects the role askpass: the last part of `argv[0]`, since programs execute it by a path.
pub const ASKPASS: &str = "agent-bash-askpass";

/// The `argv[0]` that selects the role `exec`.
pub const EXEC: &str = "agent-bash-exec";

/// The first argument that selects the role of the supervisor.
pub const SUPERVISE: &str = "supervise";

/// The first argument that selects the role of the supervisor of a durable job. The id of the job follows.
pub const DURABLE: &str = "durable";

/// The first argument that selects the role for files.
pub const FILES: &str = "files";

/// The first argument that selects the role that presses Ctrl-C. The key and the pid of a process of the
/// console follow.
pub const INTERRUPT: &str = "interrupt";

/// The beginning of the helper's first line, before its version.
const GREETING: &str = "agent-bash-helper ";

/// The longest greeting that is accepted (bytes): more than twice the length of a version.
const MAX_GREETING: usize = 64;

/// The file name of the helper, which names the platform as the addon's does.
pub const FILE_NAME: &str = file_name();

const fn file_name() -> &'static str {
    macro_rules! choose {
        ($($os:literal $arch:literal $env:literal => $name:literal),* $(,)?) => {
            $(if cfg!(all(target_os = $os, target_arch = $arch, target_env = $env)) {
                return concat!("agent-bash-helper.", $name);
            })*
        };
    }
    choose! {
        "linux" "x86_64" "gnu" => "linux-x64-gnu",
        "linux" "x86_64" "musl" => "linux-x64-musl",
        "linux" "aarch64" "gnu" => "linux-arm64-gnu",
        "linux" "aarch64" "musl" => "linux-arm64-musl",
        "macos" "x86_64" "" => "darwin-x64",
        "macos" "aarch64" "" => "darwin-arm64",
        "windows" "x86_64" "gnu" => "win32-x64-gnu.exe",
        "windows" "x86_64" "msvc" => "win32-x64-msvc.exe",
        "windows" "aarch64" "msvc" => "win32-arm64-msvc.exe",
    }
    // Another platform, for which the addon was built from source.
    "agent-bash-helper"
}

static PATH: OnceLock<PathBuf> = OnceLock::new();

/// Returns the path of the helper: in the addon's directory.
#[must_use]
pub fn path() -> &'static Path {
    PATH.get_or_init(|| {
        let addon = platform::own_file().unwrap_or_default();
        // The path is made absolute, because the helper starts in another directory.
        let addon = std::path::absolute(&addon).unwrap_or(addon);
        unpacked(addon.parent().unwrap_or(Path::new(""))).join(FILE_NAME)
    })
}

/// Sets the path of a helper in another directory, for tests. Only the first call has an effect, and only
/// before [`path`] was called.
pub fn use_path(path: PathBuf) {
    let _ = PATH.set(path);
}

/// Replaces `app.asar` by `app.asar.unpacked` in a path.
///
/// Electron packs an app into the archive `app.asar`, whose files can't be executed. Executables are in the
/// folder `app.asar.unpacked` beside it.
fn unpacked(directory: &Path) -> PathBuf {
    let unpack = |part: &OsStr| match part.as_encoded_bytes() {
        name if name.ends_with(b".asar") => {
            let mut name = part.to_owned();
            name.push(".unpacked");
            name
        }
        _ => part.to_owned(),
    };
    directory.iter().map(unpack).collect()
}

/// The reason why the helper can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HelperError {
    #[error(
        "agent-bash can't find its helper program {}. The file must be in the directory of the addon: let \
         the bundler copy it, let Electron unpack it (asarUnpack), and include it in the image. Without it, \
         processes that a command has started survive when Node.js is killed.", .0.display()
    )]
    Missing(PathBuf),
    #[error(
        "agent-bash can't run its helper program {}: {}. The file must be executable (chmod +x), built for \
         this processor, and on a file system that is not mounted noexec. Without it, processes that a \
         command has started survive when Node.js is killed.", path.display(), errno.name()
    )]
    NotExecutable { path: PathBuf, errno: Errno },
    /// The program exited, or was silent for too long, before it reported its version.
    #[error(
        "agent-bash can't use its helper program {}: it did not report its version. The file may be damaged \
         or built for another processor: install the package again. Without it, processes that a command \
         has started survive when Node.js is killed.", .0.display()
    )]
    Silent(PathBuf),
    #[error(
        "agent-bash can't use its helper program {}: it is version {version}, and the addon is version \
         {VERSION}. Install the package again, or copy both files from the same package.", path.display()
    )]
    OtherVersion { path: PathBuf, version: String },
    /// A SIGKILL ended the program before it reported its version. So macOS refuses to run a program, but
    /// another process may have sent the signal.
    #[error(
        "agent-bash can't use its helper program {}: something kills it before it reports its version. macOS \
         does so to a program whose signature is damaged or that is in quarantine: compare with \
         `codesign --verify --verbose` and `xattr -p com.apple.quarantine`, sign the file again, or install \
         the package again. Without it, processes that a command has started survive when Node.js is \
         killed.", .0.display()
    )]
    Killed(PathBuf),
    /// The system had no process, memory or descriptor left to start the helper. A later try may succeed.
    #[error("agent-bash can't start its helper program {}: {}", path.display(), errno.name())]
    System { path: PathBuf, errno: Errno },
}

impl HelperError {
    /// Returns the stable error code that JavaScript gets.
    #[must_use]
    pub fn code(&self) -> String {
        match self {
            Self::Missing(_) | Self::NotExecutable { .. } | Self::Silent(_) | Self::Killed(_) => {
                "HELPER_MISSING".to_owned()
            }
            Self::OtherVersion { .. } => "HELPER_VERSION".to_owned(),
            Self::System { errno, .. } => errno.name(),
        }
    }

    /// Returns whether another try would fail in the same way. `previous` is the error of the last try: one
    /// kill may have come from anywhere, two in a row come from the system.
    #[must_use]
    pub const fn is_permanent_after(&self, previous: Option<&Self>) -> bool {
        match self {
            Self::System { .. } => false,
            Self::Killed(_) => matches!(previous, Some(Self::Killed(_))),
            _ => true,
        }
    }

    /// Returns the error for a helper whose execution failed.
    #[must_use]
    pub fn of_execution(path: &Path, errno: Errno) -> Self {
        let path = path.to_owned();
        match errno.0 {
            libc::ENOENT | libc::ENOTDIR => Self::Missing(path),
            _ => Self::NotExecutable { path, errno },
        }
    }
}

/// Checks that the helper exists and may be executed, without starting it.
///
/// # Errors
///
/// Returns why it can't be executed.
pub fn check(path: &Path) -> Result<(), HelperError> {
    platform::check_executable(path).map_err(|error| HelperError::of_execution(path, Errno::of(&error)))
}

/// Returns the first line that the helper writes: its name and version.
#[must_use]
pub fn greeting() -> String {
    format!("{GREETING}{VERSION}\n")
}

/// Reads the greeting of a helper that was just started, and compares its version with the addon's.
///
/// # Errors
///
/// Returns [`HelperError::Silent`] without a greeting, and [`HelperError::OtherVersion`] for another version.
pub fn expect_greeting(path: &Path, mut from: impl Read) -> Result<(), HelperError> {
    let mut said = Vec::with_capacity(MAX_GREETING);
    let mut piece = [0; MAX_GREETING];
    while said.len() < MAX_GREETING && !said.ends_with(b"\n") {
        match from.read(&mut piece) {
            Ok(0) => break,
            Ok(length) => said.extend_from_slice(&piece[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    let said = String::from_utf8_lossy(&said);
    match said.lines().next().and_then(|line| line.strip_prefix(GREETING)) {
        Some(VERSION) => Ok(()),
        Some(version) => {
            Err(HelperError::OtherVersion { path: path.to_owned(), version: version.to_owned() })
        }
        None => Err(HelperError::Silent(path.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Errno, FILE_NAME, HelperError, check, expect_greeting, greeting, platform, unpacked};

    fn says(text: &str) -> Result<(), HelperError> {
        expect_greeting(Path::new("/helper"), text.as_bytes())
    }

    #[test]
    fn a_helper_of_this_version_is_accepted() {
        assert_eq!(says(&greeting()), Ok(()));
    }

    #[test]
    fn a_helper_of_another_version_is_refused_with_both_versions() {
        let error = says("agent-bash-helper 0.0.1\n").expect_err("another version");
        assert_eq!(error.code(), "HELPER_VERSION");
        let message = error.to_string();
        assert!(message.contains("/helper: it is version 0.0.1, and the addon is version"), "{message}");
    }

    #[test]
    fn a_program_that_does_not_greet_is_refused() {
        for text in ["", "agent-bash", "sh: 1: Syntax error\n", &"x".repeat(1000)] {
            assert_eq!(says(text).expect_err("no greeting").code(), "HELPER_MISSING");
        }
    }

    #[test]
    fn an_error_names_the_path_and_the_remedy() {
        let missing = check(Path::new("/nowhere/helper")).expect_err("it is not there");
        assert_eq!(missing, HelperError::Missing("/nowhere/helper".into()));
        assert!(missing.to_string().contains("/nowhere/helper"));
        let denied = HelperError::of_execution(Path::new("/helper"), Errno(libc::EACCES));
        assert_eq!(denied.code(), "HELPER_MISSING");
        assert!(denied.to_string().contains("/helper: EACCES."), "{denied}");
        assert!(denied.to_string().contains("noexec"));
    }

    #[test]
    fn a_helper_that_is_killed_twice_in_a_row_is_refused_by_the_system() {
        let killed = HelperError::Killed("/helper".into());
        let out_of_processes = HelperError::System { path: "/helper".into(), errno: Errno(libc::EAGAIN) };
        assert!(!killed.is_permanent_after(None));
        assert!(!killed.is_permanent_after(Some(&out_of_processes)));
        assert!(killed.is_permanent_after(Some(&killed)));
        assert!(killed.to_string().contains("com.apple.quarantine"));
        assert_eq!(killed.code(), "HELPER_MISSING");
    }

    #[test]
    fn this_code_finds_its_own_file() {
        let own = platform::own_file().expect("a file").canonicalize().expect("it is there");
        assert_eq!(own, std::env::current_exe().expect("a path").canonicalize().expect("it is there"));
    }

    #[test]
    fn an_archive_of_electron_has_its_programs_beside_it() {
        let packed = Path::new("/app/resources/app.asar/node_modules/agent-bash-linux-x64-gnu");
        let beside = Path::new("/app/resources/app.asar.unpacked/node_modules/agent-bash-linux-x64-gnu");
        assert_eq!(unpacked(packed), beside);
        assert_eq!(unpacked(beside), beside);
    }

    #[test]
    fn the_file_has_the_name_of_its_platform() {
        assert!(FILE_NAME.starts_with("agent-bash-helper."), "{FILE_NAME}");
    }
}
