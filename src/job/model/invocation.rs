//! The program that runs, and its arguments.

use std::borrow::Cow;
use std::path::Path;

/// The program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invocation {
    /// A shell that gets the command as text.
    Shell {
        /// The program's path, or a name to look up in PATH.
        program: String,
        /// The arguments before the command, such as `-c`.
        flags: Vec<String>,
        /// The command; of any length.
        command: String,
    },
    /// A program without a shell.
    Program {
        /// The program's path, or a name to look up in PATH.
        program: String,
        /// The arguments, without the name of the program.
        arguments: Vec<String>,
    },
}

/// The reasons for which words are no command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WordsError {
    /// No program could be found.
    #[error("expected a program")]
    Empty,
    /// A quote is not closed.
    #[error("a quote is not closed")]
    OpenQuote,
}

impl Invocation {
    /// Runs a command in the usual shell: `/bin/zsh -c`, else `/bin/bash -lc`, else `sh -c` from PATH.
    #[must_use]
    pub fn by_usual_shell(command: String) -> Self {
        choose(command, |path| Path::new(path).exists())
    }

    /// Runs a command in the usual shell apart from zsh: `/bin/bash -lc`, else `sh -c` from PATH.
    #[must_use]
    pub fn by_bash(command: String) -> Self {
        choose(command, |path| path != "/bin/zsh" && Path::new(path).exists())
    }

    /// Creates the invocation of a program from words: its name and its arguments.
    ///
    /// # Errors
    ///
    /// When there are none, or the program's name is empty.
    pub fn of_words(words: Vec<String>) -> Result<Self, WordsError> {
        let mut words = words.into_iter();
        let program = words.next().filter(|program| !program.is_empty()).ok_or(WordsError::Empty)?;
        Ok(Self::Program { program, arguments: words.collect() })
    }

    /// Creates the invocation of a program from text, which is split into words as in a POSIX shell. Nothing is
    /// expanded.
    ///
    /// # Errors
    ///
    /// When a quote is not closed or there is no word.
    pub fn split(command: &str) -> Result<Self, WordsError> {
        Self::of_words(shell_words::split(command).map_err(|_| WordsError::OpenQuote)?)
    }

    /// Returns the program's name for errors.
    #[must_use]
    pub fn program(&self) -> &str {
        match self {
            Self::Shell { program, .. } | Self::Program { program, .. } => program,
        }
    }

    /// Returns whether any part has a NUL, which no argument of a program may have.
    #[must_use]
    pub fn has_null_byte(&self) -> bool {
        let has_null = |text: &String| text.contains('\0');
        match self {
            Self::Shell { program, flags, command } => {
                has_null(program) || flags.iter().any(has_null) || has_null(command)
            }
            Self::Program { program, arguments } => has_null(program) || arguments.iter().any(has_null),
        }
    }
}

/// Quotes words into a line that a shell splits into the same words, also a shell that expands braces.
#[must_use]
pub fn quote(words: &[String]) -> String {
    let quoted = words.iter().map(|word| match shell_words::quote(word) {
        Cow::Borrowed(bare) if bare.contains(['{', '}', '^', '%', '=']) => Cow::Owned(format!("'{bare}'")),
        quoted => quoted,
    });
    quoted.collect::<Vec<_>>().join(" ")
}

fn choose(command: String, exists: impl Fn(&str) -> bool) -> Invocation {
    let (program, flag) = if exists("/bin/zsh") {
        ("/bin/zsh", "-c")
    } else if exists("/bin/bash") {
        ("/bin/bash", "-lc")
    } else {
        ("sh", "-c")
    };
    Invocation::Shell { program: program.to_owned(), flags: vec![flag.to_owned()], command }
}

#[cfg(test)]
mod tests {
    use super::{Invocation, WordsError, choose, quote};

    fn chosen(present: &[&str]) -> (String, Vec<String>) {
        match choose("x".to_owned(), |path| present.contains(&path)) {
            Invocation::Shell { program, flags, .. } => (program, flags),
            Invocation::Program { .. } => unreachable!("a shell was asked for"),
        }
    }

    #[test]
    fn zsh_comes_first() {
        assert_eq!(chosen(&["/bin/zsh", "/bin/bash"]), ("/bin/zsh".to_owned(), vec!["-c".to_owned()]));
    }

    #[test]
    fn bash_is_a_login_shell() {
        assert_eq!(chosen(&["/bin/bash"]), ("/bin/bash".to_owned(), vec!["-lc".to_owned()]));
    }

    #[test]
    fn sh_is_searched_in_path() {
        assert_eq!(chosen(&[]), ("sh".to_owned(), vec!["-c".to_owned()]));
    }

    #[test]
    fn text_is_split_as_a_shell_does_it_and_nothing_is_expanded() {
        let expected = ["git", "commit", "-m", "a b $HOME", "", "*"].map(str::to_owned).to_vec();
        assert_eq!(
            Invocation::split(r"git commit -m 'a b $HOME' '' \*"),
            Ok(Invocation::of_words(expected).expect("words"))
        );
    }

    #[test]
    fn quoted_words_can_be_split_again_and_no_shell_expands_them() {
        let words =
            ["echo", "a b", "it's", "", "$x", "\n", "{a,b}", "=ls", "a=b", "~", "-n"].map(str::to_owned);
        let line = quote(&words);
        assert_eq!(shell_words::split(&line).expect("words"), words);
        assert_eq!(quote(&["{a,b}".to_owned()]), "'{a,b}'");
    }

    #[test]
    fn an_open_quote_and_no_word_are_different_errors() {
        assert_eq!(Invocation::split("echo 'a"), Err(WordsError::OpenQuote));
        assert_eq!(Invocation::split("  # only a comment"), Err(WordsError::Empty));
        assert_eq!(Invocation::split("''"), Err(WordsError::Empty));
    }
}
