//! Passes a command to its shell in another way than by an argument: through a descriptor if the command is
//! too long, or through a variable if it searches the arguments of processes.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::OwnedFd;
use std::path::Path;

use crate::process::fd::unnamed_file::unnamed_file;
use crate::syntax::Syntax;
use crate::syntax::shells::KnownShell;

/// The descriptor at which a shell reads the script with a long command.
pub const SCRIPT_DESCRIPTOR: i32 = 3;

/// The longest single argument that Linux accepts (bytes, without its final NUL): `MAX_ARG_STRLEN`.
pub const MAX_ARGUMENT: usize = 128 * 1024 - 1;

/// The end of the file, after the command. Without it, the command substitution would drop the command's last
/// line breaks.
const SENTINEL: &[u8] = b".";

/// Loads the script in shells whose `$(<file)` reads a file without a program, so that no start file can
/// replace that program.
const LOAD_BY_BUILTIN: &str = r#"set -- "$(</dev/fd/3)"; eval "set --; ${1%.}" 3<&-"#;

/// Loads the script in any other shell, by the system's `cat`, whatever `PATH` and the start files say.
const LOAD_BY_CAT: &str = r#"set -- "$(command -p cat <&3)"; eval "set --; ${1%.}" 3<&-"#;

/// Returns whether this program is a POSIX shell by its name, and so can run the code of [`script_loader`].
#[must_use]
pub fn is_posix_shell(program: &str) -> bool {
    // busybox runs a shell as its applet `sh`.
    KnownShell::of(program).map_or(program.rsplit('/').next() == Some("busybox"), KnownShell::is_posix)
}

/// Returns the shell code that runs in place of the command.
///
/// The code reads the script from [`SCRIPT_DESCRIPTOR`], closes the descriptor and evaluates the script. The
/// command sees neither the descriptor nor the arguments of this code.
#[must_use]
pub fn script_loader(shell: &str) -> &'static str {
    loader_for(shell, Path::new("/dev/fd").exists())
}

fn loader_for(shell: &str, has_descriptor_files: bool) -> &'static str {
    match KnownShell::of(shell).and_then(|shell| shell.syntax) {
        Some(Syntax::Bash | Syntax::Zsh) if has_descriptor_files => LOAD_BY_BUILTIN,
        _ => LOAD_BY_CAT,
    }
}

/// The variable that carries a command.
pub const COMMAND_VARIABLE: &str = "__agent_bash_command";

/// The shell code that runs in place of a command in [`COMMAND_VARIABLE`]. The command does not see the
/// variable.
pub const VARIABLE_LOADER: &str = r#"eval "unset -v __agent_bash_command; $__agent_bash_command""#;

/// Returns whether a command may find its own shell by its text, and end it.
///
/// `pkill -f 'sleep 61'` matches the arguments of the shell that runs it, so a variable carries such a
/// command. Any other command is an argument: after an `eval`, a shell does not replace itself by the last
/// program, which costs a fork (a fifth of the time of `/bin/true`), and syntax errors would name `eval`.
#[must_use]
pub fn searches_processes(command: &str) -> bool {
    let words =
        || command.split(|character: char| !character.is_alphanumeric() && !"_-.".contains(character));
    words().any(|word| matches!(word, "pkill" | "pgrep"))
        || (words().any(|word| word == "kill") && words().any(|word| matches!(word, "ps" | "proc")))
}

/// Creates an unnamed file with the command in it, open at its beginning.
///
/// # Errors
///
/// The system's error, such as `EMFILE` or `ENOMEM`.
pub fn script_file(command: &str) -> io::Result<OwnedFd> {
    let mut file = File::from(unnamed_file()?);
    file.write_all(command.as_bytes())?;
    file.write_all(SENTINEL)?;
    file.rewind()?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use super::{LOAD_BY_BUILTIN, LOAD_BY_CAT, is_posix_shell, loader_for, searches_processes};

    #[test]
    fn only_a_shell_can_read_a_script() {
        assert!(["/bin/zsh", "bash", "/usr/bin/dash"].into_iter().all(is_posix_shell));
        assert!(!["/usr/bin/env", "python3", "/bin/fish", ""].into_iter().any(is_posix_shell));
    }

    #[test]
    fn a_command_that_may_find_its_own_shell_is_known_by_its_words() {
        for command in
            ["pkill -f x; echo", "kill $(pgrep -f x)", "/usr/bin/pkill x", "ps aux | grep x | xargs kill"]
        {
            assert!(searches_processes(command), "{command}");
        }
        for command in ["echo pkiller", "ps aux", "kill -9 7", "skill ps", "cat /proc/1/stat", ""] {
            assert!(!searches_processes(command), "{command}");
        }
    }

    #[test]
    fn zsh_and_bash_read_by_themselves() {
        assert_eq!([loader_for("/bin/zsh", true), loader_for("bash", true)], [LOAD_BY_BUILTIN; 2]);
    }

    #[test]
    fn another_shell_needs_a_program() {
        assert_eq!([loader_for("sh", true), loader_for("/bin/dash", true)], [LOAD_BY_CAT; 2]);
    }

    #[test]
    fn without_files_for_descriptors_every_shell_does() {
        assert_eq!([loader_for("/bin/zsh", false), loader_for("bash", false)], [LOAD_BY_CAT; 2]);
    }
}
