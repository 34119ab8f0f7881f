//! The prompts of a command: programs ask for passwords and names, and a person who watches the command
//! answers.
//!
//! * `server` has the socket of a job, at which its programs ask a `question`; the launch makes it.
//! * `open` has the prompts of one command that nobody has answered yet.
//!
//! [`Prompt`] is what the person sees, [`Answer`] what the person gives.

mod answer;
#[cfg_attr(target_os = "linux", path = "linux/mod.rs")]
#[cfg_attr(not(target_os = "linux"), path = "none.rs")]
mod platform;

pub use answer::Answer;
pub(crate) use platform::{OpenPrompts, PromptServer, PromptSocket, Question};

/// The kind of answer that a program expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    Password,
    /// A name, which is no secret while it is typed.
    Text,
    /// `yes` or `no`.
    Confirm,
}

/// A question of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The number of the question among those of the command.
    pub number: u32,
    pub kind: PromptKind,
    pub text: String,
    pub program: String,
    /// Whether the program is sudo with root's rights, and nobody else can read the answer.
    pub is_verified: bool,
}

/// The variables by which programs find the one that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptVariables {
    pub sudo: bool,
    pub ssh: bool,
    pub git: bool,
    pub scope: PromptScope,
}

/// The kind of job that asks: whether its prompts are counted and end with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptScope {
    /// A command, whose prompts are counted.
    Command,
    /// The shell of a session, whose commands have prompts of their own.
    Shell,
}

/// The most prompts of a command. Programs that ask more often are refused.
const MAX_PROMPTS: u32 = 5;

/// The number of prompts that a command has had, of at most [`MAX_PROMPTS`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PromptCount(u32);

impl PromptCount {
    /// Returns whether one more may be asked, and counts it.
    pub(crate) const fn takes_one(&mut self) -> bool {
        self.0 += 1;
        self.0 <= MAX_PROMPTS
    }
}
