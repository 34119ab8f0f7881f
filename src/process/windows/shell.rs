//! Finds the shell of commands: Git Bash, then busybox.
//!
//! A `bash` on `PATH` is not looked for: in most installations it is that of WSL (`System32\bash.exe`), which
//! runs on another system, with other files and programs.

use super::search::{Files, entries, join, kind};

/// A shell that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shell {
    /// The `bash.exe` of Git for Windows.
    GitBash(String),
    /// `busybox.exe`, whose first argument is `sh`.
    Busybox(String),
}

/// Where a shell is searched.
#[derive(Clone, Copy, Debug, Default)]
pub struct Installed<'a> {
    /// `InstallPath` of `SOFTWARE\GitForWindows`, of the machine or the user.
    pub git: Option<&'a str>,
    /// `ProgramFiles`, `ProgramFiles(x86)` and `LOCALAPPDATA`.
    pub program_files: Option<&'a str>,
    pub program_files_x86: Option<&'a str>,
    pub local_app_data: Option<&'a str>,
    /// The variable `PATH` of the host; `None` if it has none.
    pub path: Option<&'a str>,
}

/// Why there is no shell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShellError {
    #[error(
        "no shell was found: install Git for Windows, put busybox.exe (busybox-w32) on PATH, or name the path of \
         a shell"
    )]
    None,
    #[error(
        "{0} runs commands in WSL, another system: name the bash.exe of Git for Windows, or use WSL as a whole"
    )]
    Wsl(String),
}

/// Finds the shell for commands.
///
/// # Errors
///
/// When there is none.
pub fn shell(installed: Installed<'_>, files: &impl Files) -> Result<Shell, ShellError> {
    let git = git_directories(installed, files)
        .into_iter()
        .map(|directory| join(&directory, r"bin\bash.exe"))
        .find(|path| !is_wsl(path) && files.is_file(path));
    let busybox = || on_path(installed, "busybox.exe").find(|path| files.is_file(path));
    git.map(Shell::GitBash).or_else(|| busybox().map(Shell::Busybox)).ok_or(ShellError::None)
}

/// Checks the path of a shell that a caller named. A name without a path is searched before.
///
/// # Errors
///
/// [`ShellError::Wsl`] for the `bash.exe` of Windows itself.
pub fn named(path: &str) -> Result<(), ShellError> {
    if is_wsl(path) { Err(ShellError::Wsl(path.to_owned())) } else { Ok(()) }
}

/// The directories in which Git for Windows may be installed, in the order in which they are tried.
fn git_directories(installed: Installed<'_>, files: &impl Files) -> Vec<String> {
    let usual = [
        (installed.program_files, "Git"),
        (installed.program_files_x86, "Git"),
        (installed.local_app_data, r"Programs\Git"),
    ];
    let usual =
        usual.into_iter().filter_map(|(base, name)| Some(join(base.filter(|base| !base.is_empty())?, name)));
    // Not only the first: a package manager has a small `git.exe` of its own that starts the other one.
    let of_programs = on_path(installed, "git.exe")
        .filter(|path| files.is_file(path))
        .filter_map(|path| installation(&path));
    installed.git.map(str::to_owned).into_iter().chain(usual).chain(of_programs).collect()
}

/// Returns the directory of Git for Windows to which `program` leads: one of its `git.exe`, in `cmd`, `bin`
/// or `mingw64\bin`, or that of Scoop in `shims`.
fn installation(program: &str) -> Option<String> {
    let is = |name: &str, known: [&str; 2]| known.iter().any(|known| known.eq_ignore_ascii_case(name));
    let (directory, _) = program.rsplit_once('\\')?;
    let (base, name) = directory.rsplit_once('\\')?;
    if name.eq_ignore_ascii_case("shims") {
        return Some(join(base, r"apps\git\current"));
    }
    if !is(name, ["cmd", "bin"]) {
        return None;
    }
    let outer = base.rsplit_once('\\').filter(|(_, name)| is(name, ["mingw64", "clangarm64"]));
    Some(outer.map_or(base, |(outer, _)| outer).to_owned())
}

fn on_path<'a>(installed: Installed<'a>, name: &'a str) -> impl Iterator<Item = String> + use<'a> {
    entries(installed.path.unwrap_or_default())
        .map(|entry| entry.replace('/', "\\"))
        .map(move |entry| join(&entry, name))
}

/// Whether a path is one of the `bash.exe` that Windows brings: that of the system, or an alias of the store.
fn is_wsl(path: &str) -> bool {
    let path = path.replace('/', "\\").to_ascii_lowercase();
    let (directory, name) = path.rsplit_once('\\').unwrap_or(("", &path));
    let is_bash = matches!(name, "bash.exe" | "bash" | "wsl.exe" | "wsl");
    let of_system = ["\\system32", "\\sysnative", "\\syswow64", "\\microsoft\\windowsapps"];
    is_bash
        && (name.starts_with("wsl") && kind(name).is_some()
            || of_system.iter().any(|end| directory.ends_with(end)))
}

#[cfg(test)]
mod tests {
    use super::{Installed, Shell, ShellError, named, shell};

    const INSTALLED: Installed<'_> = Installed {
        git: None,
        program_files: Some(r"C:\Program Files"),
        program_files_x86: Some(r"C:\Program Files (x86)"),
        local_app_data: Some(r"C:\Users\ä b\AppData\Local"),
        path: Some(r"C:\Windows\System32;D:\tools;D:\git\cmd"),
    };

    fn found(installed: Installed<'_>, files: &'static [&'static str]) -> Result<Shell, ShellError> {
        shell(installed, &files)
    }

    fn git_bash(path: &str) -> Shell {
        Shell::GitBash(path.to_owned())
    }

    #[test]
    fn the_registry_comes_before_the_usual_places() {
        let installed = Installed { git: Some(r"E:\Git"), ..INSTALLED };
        let files = &[r"E:\Git\bin\bash.exe", r"C:\Program Files\Git\bin\bash.exe"];
        assert_eq!(found(installed, files), Ok(git_bash(r"E:\Git\bin\bash.exe")));
    }

    #[test]
    fn an_installation_for_one_user_is_found() {
        let path = r"C:\Users\ä b\AppData\Local\Programs\Git\bin\bash.exe";
        assert_eq!(
            found(INSTALLED, &[r"C:\Users\ä b\AppData\Local\Programs\Git\bin\bash.exe"]),
            Ok(git_bash(path))
        );
    }

    #[test]
    fn the_git_on_path_leads_to_its_bash() {
        let files = &[r"D:\git\cmd\git.exe", r"D:\git\bin\bash.exe"];
        assert_eq!(found(INSTALLED, files), Ok(git_bash(r"D:\git\bin\bash.exe")));
        let installed = Installed { path: Some("D:/git/MINGW64/bin"), ..INSTALLED };
        let files = &[r"D:\git\MINGW64\bin\git.exe", r"D:\git\bin\bash.exe"];
        assert_eq!(found(installed, files), Ok(git_bash(r"D:\git\bin\bash.exe")));
    }

    #[test]
    fn the_git_of_a_package_manager_leads_to_its_bash_or_to_the_next_git() {
        let installed = Installed { path: Some(r"C:\choco\bin;C:\scoop\shims;D:\git\cmd"), ..INSTALLED };
        let files = &[r"C:\scoop\shims\git.exe", r"C:\scoop\apps\git\current\bin\bash.exe"];
        assert_eq!(found(installed, files), Ok(git_bash(r"C:\scoop\apps\git\current\bin\bash.exe")));
        let files = &[r"C:\choco\bin\git.exe", r"D:\git\cmd\git.exe", r"D:\git\bin\bash.exe"];
        assert_eq!(found(installed, files), Ok(git_bash(r"D:\git\bin\bash.exe")));
    }

    #[test]
    fn busybox_comes_after_git_bash() {
        let busybox = Ok(Shell::Busybox(r"D:\tools\busybox.exe".to_owned()));
        assert_eq!(found(INSTALLED, &[r"D:\tools\busybox.exe"]), busybox);
        let both = &[r"D:\tools\busybox.exe", r"C:\Program Files\Git\bin\bash.exe"];
        assert_eq!(found(INSTALLED, both), Ok(git_bash(r"C:\Program Files\Git\bin\bash.exe")));
    }

    #[test]
    fn the_bash_of_wsl_is_never_found() {
        assert_eq!(found(INSTALLED, &[r"C:\Windows\System32\bash.exe"]), Err(ShellError::None));
    }

    #[test]
    fn a_shell_in_a_relative_entry_of_path_is_not_found() {
        let installed = Installed { path: Some(r".;bin;\tools"), ..INSTALLED };
        let files = &[r".\busybox.exe", r"bin\busybox.exe", r"\tools\busybox.exe"];
        assert_eq!(found(installed, files), Err(ShellError::None));
    }

    #[test]
    fn a_path_to_wsl_is_an_error() {
        for path in [
            r"C:\Windows\System32\bash.exe",
            "c:/windows/SYSTEM32/Bash.EXE",
            r"C:\Windows\Sysnative\bash.exe",
            r"C:\Users\a\AppData\Local\Microsoft\WindowsApps\bash.exe",
            r"C:\Windows\System32\wsl.exe",
            "wsl.exe",
        ] {
            assert_eq!(named(path), Err(ShellError::Wsl(path.to_owned())));
        }
    }

    #[test]
    fn any_other_path_is_a_shell() {
        for path in [
            r"C:\Program Files\Git\bin\bash.exe",
            r"D:\msys64\usr\bin\bash.exe",
            r"C:\Windows\System32\cmd.exe",
        ] {
            assert_eq!(named(path), Ok(()));
        }
    }
}
