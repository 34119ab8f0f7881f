//! A question of a program, and what is known of it.

use std::os::fd::OwnedFd;

use crate::helper::askpass::{AskpassHint, AskpassRequest};
use crate::job::prompts::PromptKind;
use crate::process::askpass::asker::Asker;
use crate::process::askpass::socket::AskpassConnection;
use crate::text::{visible, visible_lines};

/// A question of a program of the job. Dropping it refuses an answer.
#[derive(Debug)]
pub(crate) struct Question {
    pub(super) kind: PromptKind,
    pub(super) text: String,
    pub(super) asker: Asker,
    pub(super) connection: AskpassConnection,
    /// The standard output of the process that passes the question on.
    pub(super) output: OwnedFd,
}

impl Question {
    pub(super) fn new(
        request: &AskpassRequest,
        asker: Asker,
        connection: AskpassConnection,
        output: OwnedFd,
    ) -> Self {
        let AskpassRequest { text, hint } = request;
        let Asker { program, is_verified } = asker;
        Self {
            kind: kind_of(text, *hint),
            text: visible_lines(text).into_owned(),
            asker: Asker { program: visible(&program).into_owned(), is_verified },
            connection,
            output,
        }
    }
}

/// Returns the kind of answer by what the program says of it, and by the texts that `ssh` and `git` have.
/// Anything else may be a password.
fn kind_of(text: &str, hint: AskpassHint) -> PromptKind {
    match hint {
        AskpassHint::Confirm | AskpassHint::Nothing => PromptKind::Confirm,
        AskpassHint::Absent if text.contains("(yes/no") || text.contains("'yes'") => PromptKind::Confirm,
        AskpassHint::Absent if text.trim_start().starts_with("Username") => PromptKind::Text,
        AskpassHint::Absent => PromptKind::Password,
    }
}

#[cfg(test)]
mod tests {
    use super::{AskpassHint, PromptKind, kind_of};

    #[test]
    fn the_kind_is_that_of_the_hint_or_of_the_text() {
        let cases = [
            ("Allow use of key id_ed25519?", AskpassHint::Confirm, PromptKind::Confirm),
            ("Confirm user presence for key", AskpassHint::Nothing, PromptKind::Confirm),
            ("continue connecting (yes/no/[fingerprint])? ", AskpassHint::Absent, PromptKind::Confirm),
            ("Please type 'yes', 'no' or the fingerprint: ", AskpassHint::Absent, PromptKind::Confirm),
            ("Username for 'https://example.org': ", AskpassHint::Absent, PromptKind::Text),
            ("Password for 'https://me@example.org': ", AskpassHint::Absent, PromptKind::Password),
            ("Enter passphrase for key: ", AskpassHint::Absent, PromptKind::Password),
            ("[sudo] password for me: ", AskpassHint::Absent, PromptKind::Password),
            ("", AskpassHint::Absent, PromptKind::Password),
        ];
        for (text, hint, kind) in cases {
            assert_eq!(kind_of(text, hint), kind, "{text}");
        }
    }
}
