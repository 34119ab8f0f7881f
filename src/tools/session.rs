//! Describes to a model the state that a shell keeps between calls.

use serde::{Deserialize, Serialize};

use super::dialect::{Dialect, Tool};

/// The part of a shell's state that is kept between calls: the host's option `session`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionMode {
    /// Nothing.
    #[default]
    None,
    /// The working directory.
    Cwd,
    /// The state, which each new shell takes over.
    Carry,
    /// The shell.
    Live,
}

impl SessionMode {
    /// Returns the sentence about commands.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::None => "Each command has a shell of its own.",
            Self::Cwd => {
                "Each command has a shell of its own, which starts in the directory where the last one ended."
            }
            Self::Carry => {
                "Each command has a shell of its own, with the directory, variables, functions and options that the last one left."
            }
            Self::Live => {
                "All commands run in one shell: its directory, variables and functions stay from call to call."
            }
        }
    }

    /// Returns the directory of a command for which the model names none; `first` is the host's.
    #[must_use]
    pub const fn directory(self, first: &'static str) -> &'static str {
        match self {
            Self::None => first,
            _ => "where the last command ended",
        }
    }
}

/// Returns the tools and the instructions of a dialect. A dialect that says nothing of what is kept gets the
/// sentence about it.
#[must_use]
pub fn tools_and_instructions(
    dialect: &dyn Dialect,
    tells_session: bool,
    session: SessionMode,
) -> (Vec<Tool>, String) {
    let (mut tools, mut instructions) = (dialect.tools(), dialect.instructions().into_owned());
    if session != SessionMode::None && !tells_session {
        let add = |text: &str| format!("{text} {}", session.sentence());
        instructions = add(&instructions);
        if let Some(main) = tools.first_mut() {
            main.description = add(&main.description).into();
        }
    }
    (tools, instructions)
}
