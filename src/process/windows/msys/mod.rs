//! Programs that MSYS2 or Cygwin runs, such as the shell of Git for Windows.
//!
//! [`Runtime`] tells which programs these are, `kill` sends their processes signals, and [`status`] reads
//! the signal of an exit code. Their command lines have rules of their own, in
//! [`quote::msys`](super::quote::msys).

#[cfg(windows)]
pub mod kill;
pub mod status;

use super::search::{Files, join};

/// The libraries of MSYS2 and Cygwin.
const LIBRARIES: [&str; 2] = ["msys-2.0.dll", "cygwin1.dll"];

/// The runtime of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runtime {
    /// The directory of the library and of the programs that belong to it.
    pub directory: String,
    /// Whether the program itself is none of the runtime's: it starts one with its own line, and passes the
    /// exit code on.
    pub is_behind_wrapper: bool,
}

impl Runtime {
    /// Returns the runtime of the program with this absolute path: its library lies beside the program.
    ///
    /// `bin\bash.exe` and `bin\sh.exe` of Git for Windows are wrappers of those in `usr\bin`.
    pub fn of(program: &str, files: &impl Files) -> Option<Self> {
        let program = program.replace('/', "\\");
        let (directory, name) = program.rsplit_once('\\')?;
        let in_directory = |directory: &str, is_behind_wrapper| {
            let has_library = LIBRARIES.iter().any(|library| files.is_file(&join(directory, library)));
            has_library.then(|| Self { directory: directory.to_owned(), is_behind_wrapper })
        };
        let is = |text: &str, known: &str| text.eq_ignore_ascii_case(known);
        let is_shell = is(name, "bash.exe") || is(name, "sh.exe");
        let base = directory.rsplit_once('\\').filter(|(_, last)| is_shell && is(last, "bin"));
        in_directory(directory, false)
            .or_else(|| base.and_then(|(base, _)| in_directory(&join(base, r"usr\bin"), true)))
    }
}

#[cfg(test)]
mod tests {
    use super::Runtime;

    fn runs(program: &str, files: &'static [&'static str]) -> bool {
        Runtime::of(program, &files).is_some()
    }

    #[test]
    fn a_program_beside_the_runtime_is_run_by_it() {
        let files = &[r"D:\msys64\usr\bin\msys-2.0.dll", r"D:\cygwin\bin\cygwin1.dll"];
        for program in [r"D:\msys64\usr\bin\sed.exe", "D:/cygwin/bin/sed.exe"] {
            assert!(runs(program, files), "{program}");
        }
        assert!(!runs(r"D:\msys64\mingw64\bin\python.exe", files));
        assert!(!runs("sed.exe", files));
    }

    #[test]
    fn the_shells_of_git_that_start_another_one_count_and_its_other_programs_do_not() {
        let files = &[r"C:\Git\usr\bin\msys-2.0.dll"];
        let of_git = |name: &str| runs(&format!(r"C:\Git\bin\{name}"), files);
        assert_eq!(["bash.exe", "SH.EXE", "git.exe"].map(of_git), [true, true, false]);
        assert!(!runs(r"C:\Git\mingw64\bin\bash.exe", files));
    }

    #[test]
    fn a_wrapper_is_told_from_the_shell_that_it_starts() {
        let files = &[r"C:\Git\usr\bin\msys-2.0.dll"][..];
        for (program, is_behind_wrapper) in
            [(r"C:\Git\bin\bash.exe", true), (r"C:\Git\usr\bin\bash.exe", false)]
        {
            let directory = r"C:\Git\usr\bin".to_owned();
            assert_eq!(Runtime::of(program, &files), Some(Runtime { directory, is_behind_wrapper }));
        }
    }
}
