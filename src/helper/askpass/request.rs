//! The request of the role, and the host's reply.

use serde::{Deserialize, Serialize};

/// The name of the socket, in the directory of the link.
pub const SOCKET: &str = "socket";

/// The longest text of a question (bytes): `ssh` takes some 300 to ask about the key of a host.
const MAX_TEXT: usize = 1024;

/// The longest request (bytes).
pub const MAX_REQUEST: usize = MAX_TEXT + 64;

/// The reply that the answer has been written. Anything else, also the end of the connection, is a refusal.
pub const ANSWERED: &[u8] = b"answered";

/// The kind of answer that a program expects, where it says so: `ssh` in `SSH_ASKPASS_PROMPT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AskpassHint {
    Absent,
    /// Yes or no.
    Confirm,
    /// None: the program shows the text until it goes on by itself.
    Nothing,
}

/// The question of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskpassRequest {
    pub text: String,
    pub hint: AskpassHint,
}

impl AskpassRequest {
    /// Creates a request with the first [`MAX_TEXT`] bytes of a text.
    #[must_use]
    pub fn new(text: &str, hint: AskpassHint) -> Self {
        let end = (0..=text.len().min(MAX_TEXT)).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        Self { text: text[..end].to_owned(), hint }
    }
}
