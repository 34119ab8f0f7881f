//! The start files of a shell. Pure.
//!
//! A session's shell starts without them and reads them by lines of its own, because a shell that reads them
//! by itself gives them the standard input from which it reads its lines: a `read` in such a file would take
//! those.

use super::flavor::SessionFlavor;

/// The start files that a shell reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartFiles {
    /// No files, but for those that an administrator forces on each zsh (`/etc/zshenv`).
    #[default]
    None,
    /// The files of a login shell.
    Login,
    /// The files of an interactive shell.
    Interactive,
    /// The files of a login shell and of an interactive one.
    Both,
}

/// The variable with the value of `ENV`, whose file an interactive sh would read by itself.
pub(in crate::session) const ENV_BEFORE: &str = "__agent_bash_env";

/// The first of the files that exists is a login bash's own.
const BASH_PROFILES: &str = "for __agent_bash_file in ~/.bash_profile ~/.bash_login ~/.profile; do \
     \\[ -r $__agent_bash_file ] && break; done";

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

    /// Returns the lines that read the files. An error in a file ends its line alone. Both streams have the
    /// token and `<` before the output of a file, and the token and `>` behind it.
    #[must_use]
    pub fn lines(self, flavor: SessionFlavor, token: &str) -> String {
        let builtin = flavor.builtin();
        let mark =
            |end: char| format!("{builtin} printf '{token}{end}'; {builtin} printf '{token}{end}' >&2");
        let (begin, end) = (mark('<'), mark('>'));
        let read =
            |file: &str| format!("[ -r {file} ] && {{ {begin}; {builtin} . {file} </dev/null; {end}; }}\n");
        match flavor {
            SessionFlavor::Bash => self.bash(&read),
            SessionFlavor::Zsh => self.zsh(&read),
            SessionFlavor::Posix => self.posix(&read),
        }
    }

    /// Returns the lines for bash, in which a login shell reads no other files than its own.
    fn bash(self, read: &dyn Fn(&str) -> String) -> String {
        match self {
            Self::None => String::new(),
            Self::Login | Self::Both => {
                read("/etc/profile")
                    + BASH_PROFILES
                    + "\n"
                    + &read("$__agent_bash_file")
                    + "\\builtin unset __agent_bash_file\n"
            }
            Self::Interactive => read("/etc/bash.bashrc") + &read("~/.bashrc"),
        }
    }

    fn zsh(self, read: &dyn Fn(&str) -> String) -> String {
        let (is_login, is_interactive) = (self.is_login(), self.is_interactive());
        let files: [(bool, &[&str]); 4] = [
            (is_login || is_interactive, &["${ZDOTDIR:-$HOME}/.zshenv"]),
            (is_login, &["/etc/zsh/zprofile", "/etc/zprofile", "${ZDOTDIR:-$HOME}/.zprofile"]),
            (is_interactive, &["/etc/zsh/zshrc", "/etc/zshrc", "${ZDOTDIR:-$HOME}/.zshrc"]),
            (is_login, &["/etc/zsh/zlogin", "/etc/zlogin", "${ZDOTDIR:-$HOME}/.zlogin"]),
        ];
        let mut lines = String::new();
        for file in files.into_iter().filter(|(is_read, _)| *is_read).flat_map(|(_, files)| files) {
            lines += &read(file);
        }
        lines
    }

    fn posix(self, read: &dyn Fn(&str) -> String) -> String {
        let mut lines = String::new();
        if self.is_login() {
            lines += &read("/etc/profile");
            lines += &read("\"$HOME/.profile\"");
        }
        if self.is_interactive() {
            // A shell expands the value of `ENV`.
            lines.extend([
                "\\command eval \"ENV=\\\"$",
                ENV_BEFORE,
                "\\\"\"; \\command unset ",
                ENV_BEFORE,
                "\n",
            ]);
            lines += &read("\"$ENV\"");
        }
        lines
    }
}

/// Returns what the start files have printed: the text between the marks, or behind one of a file that has
/// not been read to its end.
#[must_use]
pub fn printed(own: &str, token: &str) -> String {
    let (begin, end) = (format!("{token}<"), format!("{token}>"));
    own.split(&begin).skip(1).filter_map(|text| text.split(&end).next()).collect()
}

#[cfg(test)]
mod tests {
    use super::printed;

    #[test]
    fn prompts_between_the_files_are_not_their_output() {
        assert_eq!(printed("$ t<one\nt>$ t<two\nt>$ t<three", "t"), "one\ntwo\nthree");
        assert_eq!(printed("$ exit\n", "t"), "");
    }
}
