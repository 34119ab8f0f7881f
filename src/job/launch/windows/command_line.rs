//! Finds the program of a plan, and makes its command line.

use std::path::Path;

use super::script::TemporaryScript;
use crate::job::model::error::LaunchError;
use crate::job::model::plan::{Environment, Invocation, Plan, Shell};
use crate::job::model::shell::ShellProgram;
use crate::process::errno::Errno;
use crate::process::windows::installed_git;
use crate::process::windows::msys::Runtime;
use crate::process::windows::quote::msys::msys_line;
use crate::process::windows::quote::{QuoteError, batch_line, cmd_line, line};
use crate::process::windows::search::{Files, Found, Kind, Places, has_drive, program};
use crate::process::windows::shell::{self, Installed, ShellError};
use crate::process::windows::system_directory;

/// A program with its command line.
pub(super) struct CommandLine {
    /// The absolute path of the file that is executed.
    pub(super) program: String,
    pub(super) line: String,
    /// The file that the shell reads, if the command is too long for a command line.
    pub(super) script: Option<TemporaryScript>,
}

/// The applet of busybox that is a shell.
const BUSYBOX_SHELL: &str = "sh";

/// The file system.
struct RealFiles;

impl Files for RealFiles {
    fn is_file(&self, path: &str) -> bool {
        let path = Path::new(path);
        // An alias of an app of the store (`winget.exe`) can be started but not opened: its entry counts.
        path.metadata().or_else(|_| path.symlink_metadata()).is_ok_and(|entry| entry.is_file())
    }
}

impl CommandLine {
    /// Returns the command line of a plan. `environment` is that of the process, `directory` the absolute
    /// path of its working directory.
    pub(super) fn of(plan: &Plan, environment: &Environment, directory: &str) -> Result<Self, LaunchError> {
        let Plan { invocation, surroundings, .. } = plan;
        let finder = Finder { directory, environment };
        match invocation {
            Invocation::Program { program, arguments } => {
                let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
                finder.of_program(program, &words)
            }
            Invocation::Line(command) => finder.of_shell(&surroundings.shell, command),
        }
    }

    fn new(
        program: String,
        line: impl FnOnce(&str) -> Result<String, QuoteError>,
    ) -> Result<Self, LaunchError> {
        let line = line(&program).map_err(|error| refused(&program, &error))?;
        Ok(Self { program, line, script: None })
    }
}

/// The places in which programs are searched.
struct Finder<'a> {
    directory: &'a str,
    environment: &'a Environment,
}

impl Finder<'_> {
    fn of_program(&self, name: &str, arguments: &[&str]) -> Result<CommandLine, LaunchError> {
        if is_usual(name)
            && let Ok(ShellProgram { path, applet }) = self.usual_shell()
        {
            return CommandLine::new(path, |path| program_line(path, &with_applet(applet, arguments)));
        }
        let Found { path, kind } = self.find(name)?;
        if is_usual(name) {
            shell::named(&path).map_err(|error| LaunchError::Argument(error.to_string()))?;
        }
        match kind {
            Kind::Program => CommandLine::new(path, |path| program_line(path, arguments)),
            Kind::Batch => self.of_batch_file(&path, arguments),
        }
    }

    fn of_shell(&self, shell: &Shell, command: &str) -> Result<CommandLine, LaunchError> {
        let Shell { program, flags } = shell;
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        if is_usual(program) {
            let usual = self.usual_shell().map_err(|error| LaunchError::Argument(error.to_string()))?;
            return self.of_posix_shell(&usual.path, &with_applet(usual.applet, &flags), command);
        }
        let Found { path, kind } = self.find(program)?;
        shell::named(&path).map_err(|error| LaunchError::Argument(error.to_string()))?;
        if kind == Kind::Batch {
            return self.of_batch_file(&path, &[flags.as_slice(), &[command]].concat());
        }
        if is_cmd(&path) {
            self.check_directory_of_cmd()?;
            // A shell without flags is called with `-c`, for which cmd.exe has other words.
            let flags = if flags == ["-c"] { vec!["/d", "/s", "/c"] } else { flags };
            return CommandLine::new(path, |path| cmd_line(path, &flags, command));
        }
        // A caller's own flags begin with the applet.
        let applet = applet_of(&path).filter(|_| flags == ["-c"]);
        self.of_posix_shell(&path, &with_applet(applet, &flags), command)
    }

    /// Finds Git Bash, or else busybox.
    fn usual_shell(&self) -> Result<ShellProgram, ShellError> {
        let git = installed_git::directory();
        Ok(match shell::shell(self.installed(git.as_deref()), &RealFiles)? {
            shell::Shell::GitBash(path) => ShellProgram { path, applet: None },
            shell::Shell::Busybox(path) => ShellProgram { path, applet: Some(BUSYBOX_SHELL) },
        })
    }

    /// Returns the line of a shell that takes its command as the last argument. The shell reads a command
    /// that is too long for that from a file.
    fn of_posix_shell(&self, path: &str, flags: &[&str], command: &str) -> Result<CommandLine, LaunchError> {
        let with = |command: &str| program_line(path, &[flags, &[command]].concat());
        let (line, script) = match with(command) {
            Err(QuoteError::Long { .. }) => {
                let on_error = |error| LaunchError::system(path, Errno::of(&error));
                let script = TemporaryScript::create(self.environment, command).map_err(on_error)?;
                (with(&script.loader()), Some(script))
            }
            line => (line, None),
        };
        let line = line.map_err(|error| refused(path, &error))?;
        Ok(CommandLine { program: path.to_owned(), line, script })
    }

    /// Returns the line by which the system's `cmd.exe`, not one of `PATH`, runs a batch file.
    fn of_batch_file(&self, path: &str, arguments: &[&str]) -> Result<CommandLine, LaunchError> {
        self.check_directory_of_cmd()?;
        let cmd = system_directory::path_of("cmd.exe")
            .map_err(|error| LaunchError::system(path, Errno::of(&error)))?;
        let line = batch_line(&cmd, path, arguments).map_err(|error| refused(path, &error))?;
        Ok(CommandLine { program: cmd, line, script: None })
    }

    /// Checks that the working directory is on a drive: where it is on a share, `cmd.exe` goes on in the
    /// directory of Windows itself.
    fn check_directory_of_cmd(&self) -> Result<(), LaunchError> {
        if has_drive(self.directory) {
            return Ok(());
        }
        let why = "connect the share to a drive, and use the path on that drive";
        Err(LaunchError::Argument(format!("cmd.exe can't run in {}: {why}", self.directory)))
    }

    fn find(&self, name: &str) -> Result<Found, LaunchError> {
        let places = Places {
            directory: self.directory,
            path: self.environment.get("PATH"),
            endings: self.environment.get("PATHEXT"),
        };
        let found = program(name, places, &RealFiles);
        found
            .map_err(|error| LaunchError::Argument(error.to_string()))?
            .ok_or_else(|| LaunchError::system(name, Errno(libc::ENOENT)))
    }

    fn installed<'a>(&'a self, git: Option<&'a str>) -> Installed<'a> {
        let get = |name| self.environment.get(name);
        Installed {
            git,
            program_files: get("ProgramFiles"),
            program_files_x86: get("ProgramFiles(x86)"),
            local_app_data: get("LOCALAPPDATA"),
            path: get("PATH"),
        }
    }
}

/// Returns the program of a shell by its path or name, by default the usual one, for which the variables of
/// the host count. If there is none, returns its name, and the launch has the error.
#[must_use]
pub fn shell_program(given: Option<String>) -> ShellProgram {
    let Some(path) = given.filter(|name| !is_usual(name)) else {
        let names = ["PATH", "ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"];
        #[allow(
            clippy::disallowed_methods,
            reason = "Windows keeps other threads from changing it meanwhile"
        )]
        let variable = |name| Some(format!("{name}={}\0", std::env::var(name).ok()?));
        let environment = Environment(names.into_iter().filter_map(variable).collect());
        let usual = Finder { directory: "", environment: &environment }.usual_shell();
        return usual.unwrap_or_else(|_| ShellProgram { path: Shell::usual().program, applet: None });
    };
    ShellProgram { applet: applet_of(&path), path }
}

/// Returns the applet that makes a program a shell: that of busybox.
fn applet_of(path: &str) -> Option<&'static str> {
    let name = path.rsplit(['\\', '/']).next()?;
    let is = |known: &str| name.eq_ignore_ascii_case(known);
    (is("busybox.exe") || is("busybox")).then_some(BUSYBOX_SHELL)
}

fn with_applet<'a>(applet: Option<&'a str>, flags: &[&'a str]) -> Vec<&'a str> {
    applet.into_iter().chain(flags.iter().copied()).collect()
}

/// Returns the line of a program, by the rules of its kind.
fn program_line(path: &str, arguments: &[&str]) -> Result<String, QuoteError> {
    if runtime_of(path).is_some() { msys_line(path, arguments) } else { line(path, arguments) }
}

/// Returns the runtime of MSYS2 or Cygwin that runs a program, by its absolute path.
pub(super) fn runtime_of(program: &str) -> Option<Runtime> {
    Runtime::of(program, &RealFiles)
}

/// Returns whether a shell is the usual one: by its name without a path, or by its path on Unix, which models
/// know.
fn is_usual(program: &str) -> bool {
    let name = ["/usr/bin/", "/bin/"].iter().find_map(|directory| program.strip_prefix(directory));
    let name = name.unwrap_or(program);
    ["bash", "bash.exe", "sh", "sh.exe"].iter().any(|usual| usual.eq_ignore_ascii_case(name))
}

fn is_cmd(path: &str) -> bool {
    path.rsplit(['\\', '/']).next().is_some_and(|name| name.eq_ignore_ascii_case("cmd.exe"))
}

fn refused(program: &str, error: &QuoteError) -> LaunchError {
    match error {
        QuoteError::Long { .. } => LaunchError::system(program, Errno(libc::E2BIG)),
        other => LaunchError::Argument(other.to_string()),
    }
}
