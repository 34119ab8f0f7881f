//! The shell tools of the Responses API: [`shell`], and the older [`local_shell`].

pub mod local_shell;
pub mod shell;
