//! The mode `ReadOnly`: allows a command line if every simple command is a known query with known arguments.
//!
//! `query` decides about one command, and `arguments` checks its arguments by the record of its program.
//! [`hardening`] keeps the settings of git from running programs, by options that `insertion` places. Rules
//! have no part in this mode.

mod arguments;
pub mod hardening;
mod insertion;
mod query;

use super::commands::{Analysis, ExpandedCommand};
use super::danger;
use super::decision::{Code, DENIED, Decision, Judged, Verdict};
use super::lists::OnDanger;
use super::request::PolicyRequest;
pub(crate) use arguments::{outside, unknown_option};
pub(crate) use insertion::Insertion;
use query::{is_known, path_is_inside, refusal};
pub(super) use query::{is_query, is_query_program};

/// Decides on a command line that may only read.
pub(super) fn decide(found: &Analysis, request: &PolicyRequest) -> Decision {
    let commands: Vec<Judged> = found.commands.iter().map(|command| judge(command, found, request)).collect();
    let dangerous =
        if request.policy.dangerous == OnDanger::Ignore { None } else { danger::find(found, request) };
    let looks_outside = found
        .paths
        .iter()
        .find(|(field, directories)| !is_known(field) || !path_is_inside(&field.text, directories, request));
    let refused = commands.iter().find(|command| command.verdict != Verdict::Allow);
    let (verdict, code, reason) = match (&dangerous, refused) {
        (Some(danger), _) => (Verdict::Deny, Code::Dangerous, danger.reason()),
        (None, Some(command)) => {
            let name = command.name.as_deref().unwrap_or("a command");
            (Verdict::Deny, Code::Denied, format!("{DENIED}: `{name}` does more than read: {}", command.why))
        }
        (None, None) if looks_outside.is_some() => {
            let path = looks_outside.map_or_else(String::new, |(field, _)| field.shown());
            (Verdict::Deny, Code::Denied, format!("{path} is not known to be in the root"))
        }
        (None, None) if commands.is_empty() && found.paths.is_empty() => {
            (Verdict::Deny, Code::Denied, "There is no command".to_owned())
        }
        (None, None) => (Verdict::Allow, Code::Allowed, "Every command only reads".to_owned()),
    };
    Decision { verdict, code, reason, commands, dangerous, suggestions: Vec::new() }
}

fn judge(command: &ExpandedCommand, found: &Analysis, request: &PolicyRequest) -> Judged {
    match refusal(command, found, request, false) {
        None => Judged::of(command, Verdict::Allow, None, "it only reads".to_owned()),
        Some(why) => Judged::of(command, Verdict::Deny, None, why),
    }
}
