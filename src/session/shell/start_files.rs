//! The start files of a shell. Pure.
//!
//! A session's shell starts without them and reads them by lines of its own, because a shell that reads them
//! by itself gives them the standard input from which it reads its lines: a `read` in such a file would take
//! those.

/// The start files that a shell reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartFiles {
    /// No files, but for those that an administrator forces on each zsh (`/etc/zshenv`).
    #[default]
    None,
    Login,
    Interactive,
    Both,
}

/// The variable with the value of `ENV`, whose file an interactive sh would read by itself.
pub(in crate::session) const ENV_BEFORE: &str = "__agent_bash_env";

impl StartFiles {
    /// Returns whether the shell is a login shell.
    #[must_use]
    pub const fn is_login(self) -> bool {
        matches!(self, Self::Login | Self::Both)
    }

    /// Returns whether the shell reads the files of an interactive one.
    #[must_use]
    pub const fn is_interactive(self) -> bool {
        matches!(self, Self::Interactive | Self::Both)
    }
}

/// Returns what the start files have printed: the text between the marks, or behind one of a file that has
/// not been read to its end.
#[must_use]
pub fn output_of_start_files(own: &str, token: &str) -> String {
    let (begin, end) = (format!("{token}<"), format!("{token}>"));
    own.split(&begin).skip(1).filter_map(|text| text.split(&end).next()).collect()
}

#[cfg(test)]
mod tests {
    use super::output_of_start_files;

    #[test]
    fn prompts_between_the_files_are_not_their_output() {
        assert_eq!(output_of_start_files("$ t<one\nt>$ t<two\nt>$ t<three", "t"), "one\ntwo\nthree");
        assert_eq!(output_of_start_files("$ exit\n", "t"), "");
    }
}
