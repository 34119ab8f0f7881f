//! Sentences about a request for more rights, for the person who decides.

use super::ExtraRights;
use crate::sandbox::options::{Network, UsualNetwork};
use crate::text::visible;

/// The longest part of a model's reason that a text quotes (characters): a person reads it before an answer.
const MAX_REASON: usize = 1_000;

/// Returns a request and its reason as a sentence for the person who decides. `reason` is the model's, quoted
/// so that no line of it looks like one of ours. Hosts and paths come from the model too.
#[must_use]
pub fn request(more: &ExtraRights, reason: Option<&str>) -> String {
    let why = match reason {
        Some(reason) => {
            let quoted: String = reason.chars().take(MAX_REASON).collect();
            format!("The model's reason, in its own words: {}", quoted_text(&quoted))
        }
        None => "The model gives no reason.".to_owned(),
    };
    format!("It asks for more than its sandbox gives: {}. {why}", beyond(more))
}

fn quoted_text(text: &str) -> String {
    format!("\"{}\"", visible(&text.replace('"', "\\\"")))
}

/// Names all rights beyond a sandbox.
#[must_use]
pub fn beyond(more: &ExtraRights) -> String {
    if more.unsandboxed {
        return "to run without the sandbox, with all rights of the user".to_owned();
    }
    let network = more.network.as_ref().map(|network| match network {
        Network::Usual(UsualNetwork::On) => "to use the network".to_owned(),
        Network::Usual(UsualNetwork::Loopback) => "to reach servers on this machine".to_owned(),
        Network::Usual(UsualNetwork::Off) => "to reach nothing".to_owned(),
        Network::Allow { allow } => format!("to reach {}", visible(&allow.join(", "))),
    });
    let paths = |what: &str, paths: &[String]| {
        let quoted: Vec<String> = paths.iter().map(|path| quoted_text(path)).collect();
        (!paths.is_empty()).then(|| format!("to {what} below {}", quoted.join(", ")))
    };
    let parts = [network, paths("write", &more.writable), paths("read", &more.visible)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}
