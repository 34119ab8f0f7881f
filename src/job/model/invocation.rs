//! The command of a plan: a line for a shell, or a program and its arguments.

use super::shell::Shell;
use crate::syntax::quote;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invocation {
    /// A command line of any length, for the shell of the surroundings.
    Line(String),
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
    #[error("expected a program")]
    Empty,
    #[error("a quote is not closed")]
    OpenQuote,
}

impl Invocation {
    /// Creates the invocation of a line by a shell.
    ///
    /// A line that begins like a flag gets a space in front, so that the shell does not take it for one of
    /// its own. Flags of the caller's own, such as `-e -c`, take the line as it is.
    #[must_use]
    pub fn line(line: String, shell: &Shell) -> Self {
        Self::Line(if shell.flags == ["-c"] && line.starts_with(['-', '+']) {
            format!(" {line}")
        } else {
            line
        })
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

    /// Creates the invocation of a program from text, which is split into words as in a POSIX shell. Nothing
    /// is expanded.
    ///
    /// # Errors
    ///
    /// When a quote is not closed or there is no word.
    pub fn split(text: &str) -> Result<Self, WordsError> {
        Self::of_words(quote::split(text).ok_or(WordsError::OpenQuote)?)
    }
}

#[cfg(test)]
mod tests {
    use super::{Invocation, Shell, WordsError};

    fn line(text: &str, shell: &Shell) -> Invocation {
        Invocation::line(text.to_owned(), shell)
    }

    #[test]
    fn a_line_that_looks_like_a_flag_is_a_command() {
        let shell = Shell::default();
        assert_eq!(line("-x", &shell), Invocation::Line(" -x".to_owned()));
        assert_eq!(line("+x", &shell), Invocation::Line(" +x".to_owned()));
        assert_eq!(line("x -y", &shell), Invocation::Line("x -y".to_owned()));
    }

    #[test]
    fn flags_of_ones_own_take_the_line_as_it_is() {
        let shell = Shell { program: "sh".to_owned(), flags: ["-e", "-c"].map(str::to_owned).to_vec() };
        assert_eq!(line("-x", &shell), Invocation::Line("-x".to_owned()));
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
    fn an_open_quote_and_no_word_are_different_errors() {
        assert_eq!(Invocation::split("echo 'a"), Err(WordsError::OpenQuote));
        assert_eq!(Invocation::split("  # only a comment"), Err(WordsError::Empty));
        assert_eq!(Invocation::split("''"), Err(WordsError::Empty));
    }
}
