//! The request of a model for more than the sandbox of a command.

use serde::Serialize;

use super::arguments::Arguments;
use crate::sandbox::escalation::ExtraRights;
use crate::sandbox::options::{Network, UsualNetwork};

/// A request for more than the sandbox of a command gives. Not resolved: the model has written it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EscalationRequest {
    /// The requested rights.
    pub more: ExtraRights,
    /// Why, in the model's words.
    pub reason: Option<String>,
}

impl EscalationRequest {
    /// Creates a request to run without the sandbox.
    #[must_use]
    pub fn unsandboxed(reason: Option<&str>) -> Self {
        Self {
            more: ExtraRights { unsandboxed: true, ..ExtraRights::default() },
            reason: reason.map(str::to_owned),
        }
    }

    /// Creates a request for the network, and for the paths that `files` has as lists `read` and `write`.
    /// `None` if it asks for nothing.
    #[must_use]
    pub fn additional(needs_network: bool, files: &Arguments, reason: Option<&str>) -> Option<Self> {
        let paths = |name| files.words(name).unwrap_or_default();
        let more = ExtraRights {
            unsandboxed: false,
            network: needs_network.then_some(Network::Usual(UsualNetwork::On)),
            writable: paths("write"),
            visible: paths("read"),
        };
        (!more.is_nothing()).then(|| Self { more, reason: reason.map(str::to_owned) })
    }
}
