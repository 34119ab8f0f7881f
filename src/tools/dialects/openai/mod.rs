//! The shell tools of the Responses API: [`shell`], and the older [`local_shell`].

pub mod local_shell;
pub mod shell;

use crate::tools::call::arguments::Arguments;

/// Returns the API's `action` object. Some SDKs pass the whole call, which contains it.
fn action_of(arguments: &Arguments) -> Arguments {
    arguments.object("action").unwrap_or_else(|| arguments.clone())
}
