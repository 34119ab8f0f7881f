//! A command that is longer than an argument may be reaches its shell through a descriptor.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::OwnedFd;
use std::path::Path;

use crate::process::fd::unnamed_file::unnamed_file;

/// The descriptor under which a shell finds a script that it reads at once.
pub const SCRIPT_DESCRIPTOR: i32 = 3;

/// The descriptor on which a shell waits for its command. zsh closes only those of one digit, and start files use the
/// first ones.
pub const COMMANDS_DESCRIPTOR: i32 = 9;

/// The longest single argument that Linux takes, in bytes, without its final NUL.
pub const LONGEST_ARGUMENT: usize = 128 * 1024 - 1;

/// Stands after the command in the file: a command substitution drops the line breaks at its end.
const END_MARK: &[u8] = b".";

/// For shells that read a file by themselves. No start file can put another program in between.
const BY_ITSELF: &str = r#"set -- "$(</dev/fd/3)"; eval "set --; ${1%.}" 3<&-"#;

/// For all others: the system's `cat`, whatever PATH and the start files say.
const BY_CAT: &str = r#"set -- "$(command -p cat <&3)"; eval "set --; ${1%.}" 3<&-"#;

/// Shells whose language has what it takes.
const POSIX_SHELLS: [&str; 12] =
    ["sh", "bash", "zsh", "dash", "ash", "ksh", "ksh93", "mksh", "rbash", "yash", "busybox", "posh"];

/// Whether this program can be told to read its command: another one may not know the words.
#[must_use]
pub fn can_read_script(shell: &str) -> bool {
    shell.rsplit('/').next().is_some_and(|name| POSIX_SHELLS.contains(&name))
}

/// What the shell is told instead of the command: read it from the descriptor, and run it without that descriptor and
/// without a trace of the reading.
#[must_use]
pub fn read_script(shell: &str) -> &'static str {
    choose(shell, Path::new("/dev/fd").exists())
}

fn choose(shell: &str, has_descriptor_files: bool) -> &'static str {
    match shell.rsplit('/').next() {
        Some("zsh" | "bash") if has_descriptor_files => BY_ITSELF,
        _ => BY_CAT,
    }
}

/// An open file with the command in it, at its beginning.
///
/// # Errors
///
/// The system's error, such as `EMFILE` or `ENOMEM`.
pub fn script_file(command: &str) -> io::Result<OwnedFd> {
    let mut file = File::from(unnamed_file()?);
    file.write_all(command.as_bytes())?;
    file.write_all(END_MARK)?;
    file.rewind()?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use super::{BY_CAT, BY_ITSELF, can_read_script, choose};

    #[test]
    fn only_a_shell_can_read_a_script() {
        assert!(["/bin/zsh", "bash", "/usr/bin/dash"].into_iter().all(can_read_script));
        assert!(!["/usr/bin/env", "python3", "/bin/fish", ""].into_iter().any(can_read_script));
    }

    #[test]
    fn zsh_and_bash_read_by_themselves() {
        assert_eq!([choose("/bin/zsh", true), choose("bash", true)], [BY_ITSELF; 2]);
    }

    #[test]
    fn another_shell_needs_a_program() {
        assert_eq!([choose("sh", true), choose("/bin/dash", true)], [BY_CAT; 2]);
    }

    #[test]
    fn without_files_for_descriptors_every_shell_does() {
        assert_eq!([choose("/bin/zsh", false), choose("bash", false)], [BY_CAT; 2]);
    }
}
