//! The text of a shell outside of its commands, which the end of an action of its session reports.

/// A callback for the end of an action. Gets the text that the shell has written to its own streams since the
/// request.
pub type OnDone = Box<dyn FnOnce(OwnOutput) + Send>;

/// The text that a shell wrote to its own streams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnOutput {
    pub stdout: String,
    pub stderr: String,
}
