//! The shell tools of OpenAI's Responses API: [`shell`], and the older [`local_shell`].

pub mod local_shell;
pub mod shell;
