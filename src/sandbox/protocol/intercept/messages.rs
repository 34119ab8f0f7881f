//! The messages of both sides.
//!
//! Ids of scopes, connections and requests are numbers of the side that sends them first. A message that
//! names an id without a counterpart is ignored: its scope or connection may just have ended.

use std::fmt::{self, Debug, Formatter};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::sandbox::network::allow::AllowedDestination;
use crate::wire::raw;

/// The time for which the interceptor keeps a value of a function.
pub const KEPT_VALUE: Duration = Duration::from_secs(5 * 60);

/// The shortest time between two renewals of a value. A server that rejects the new value too gets it again
/// until then.
pub const RENEWAL_PAUSE: Duration = Duration::from_secs(30);

/// The time for which the interceptor waits for a value. A function that takes longer has failed.
pub const VALUE_DEADLINE: Duration = Duration::from_secs(10);

/// The longest value of a secret (bytes).
pub const MAX_VALUE: usize = 8192;

/// The most bytes of a scope's values together.
pub const MAX_VALUES: usize = 64 * 1024;

/// The most secrets of a scope.
pub const MAX_SECRETS: usize = 256;

/// The most rules of a scope. The certificate of its authority names each host.
pub const MAX_RULES: usize = 256;

/// The longest encoded [`ScopePlan`] (bytes).
pub const MAX_SCOPE: usize = 8 << 20;

/// The most bytes that the host may have read of a client before it passes the connection: the longest head
/// of a request to its proxy, and one read.
pub const MAX_FIRST: usize = 72 << 10;

/// The longest path in a [`Refusal`] (bytes); the rest is cut off.
pub const MAX_SHOWN_PATH: usize = 1024;

/// The longest method in a [`Refusal`] (bytes); the rest is cut off.
pub const MAX_SHOWN_METHOD: usize = 32;

/// The longest reason in a message (bytes); the rest is cut off, so that each message can be sent.
pub const MAX_REASON: usize = 512;

/// Returns the beginning of a text: at most this many bytes, of whole characters.
#[must_use]
pub fn shortened(text: &str, most: usize) -> &str {
    let end = (0..=text.len().min(most)).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or_default()]
}

/// A message of the host to the interceptor.
#[derive(Debug, Serialize, Deserialize)]
pub enum HostMessage {
    /// A new scope. The message carries one descriptor: an unnamed file
    /// ([`unnamed_file`](crate::process::fd::unnamed_file)) with the encoded [`ScopePlan`], which is too long
    /// for a message. The interceptor reads the file from its beginning, and answers with
    /// [`InterceptorMessage::Scope`].
    Scope { id: u32 },
    /// Ends a scope, and forgets its secrets and its authority. Its connections end.
    EndScope { id: u32 },
    /// A connection to a host with rules. The message carries two descriptors: the client's connection and
    /// the server's, both TCP sockets, in this order. They have the options that the host sets.
    Connection(PassedConnection),
    /// Ends a connection, as when its sandbox has ended. [`InterceptorMessage::Ended`] follows.
    Close { id: u64 },
    /// The answer to [`InterceptorMessage::NeedValue`]: the value, or why there is none. The reason is shown
    /// to the command, so it must not have secrets in it; at most [`MAX_REASON`] bytes. An answer for another
    /// scope or secret than that of the question is ignored.
    Value { request: u64, scope: u32, secret: u32, value: Result<SecretText, String> },
}

/// A connection of a command to a host with rules.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassedConnection {
    pub id: u64,
    pub scope: u32,
    /// The name or address that the gateway has decided about, in the form of
    /// [`Destination`](crate::sandbox::network::destination::Destination): a name in lower case without a
    /// final dot, or an address without brackets.
    pub host: String,
    pub port: u16,
    /// The bytes that the host has read of the client after CONNECT or SOCKS, or the head and what follows
    /// of a request to its proxy, in the form for a server. At most [`MAX_FIRST`]. The host has sent nothing
    /// to the server.
    #[serde(with = "raw")]
    pub first: Vec<u8>,
}

/// The rules and the secrets of a scope.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopePlan {
    /// The rules, in the order of the list of allowed hosts, without the hosts that have no rules. At most
    /// [`MAX_RULES`].
    pub rules: Vec<HostRule>,
    /// The secrets that the rules name by their positions. At most [`MAX_SECRETS`].
    pub secrets: Vec<SecretPlan>,
    /// The certificates that servers are verified by: PEM, with any text between them. Certificates that
    /// can't be used are ignored.
    #[serde(with = "raw")]
    pub roots: Vec<u8>,
}

/// An entry of the allowed hosts that has rules.
///
/// The entries of a host add up: a request is permitted if one of them permits it. The first that does sets
/// the headers. A host without an entry for the connection's port refuses all requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostRule {
    pub destination: AllowedDestination,
    pub headers: Vec<HeaderRule>,
    /// The permitted methods, in capitals; `None` for all.
    pub methods: Option<Vec<String>>,
    /// Patterns of the permitted paths: each begins with `/`, `*` stands for any characters of one segment,
    /// `**` for the rest; `None` for all. They don't see the query.
    pub paths: Option<Vec<String>>,
    /// Whether responses are searched for the scope's values, which are masked.
    pub masks: bool,
    /// Whether the headers may be set on requests without TLS. If not, such requests are refused where the
    /// rule has headers.
    pub is_plain: bool,
}

/// A header that is set on each request, in place of the client's headers of that name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeaderRule {
    pub name: String,
    /// The value of the header, in which `{}` stands for the secret: `Bearer {}`. After `Basic `, the rest is
    /// encoded by base64: `Basic user:{}`.
    pub template: String,
    /// The position of the secret.
    pub secret: u32,
}

/// A secret of a scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretPlan {
    /// The name of the credential, for texts. A secret of `headers` may have a name such as
    /// `headers.x-api-key`.
    pub name: String,
    /// The value; `None` if the interceptor asks for it.
    pub value: Option<SecretText>,
}

/// A value, 6 to [`MAX_VALUE`] bytes that a header may have.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretText(pub String);

/// A message of the interceptor to the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InterceptorMessage {
    /// The first message: the interceptor is confined and waits. The version is that of the package
    /// ([`VERSION`](crate::process::helper_program::VERSION)).
    Hello { version: String },
    /// The answer to [`HostMessage::Scope`]: the certificate of the scope's authority (PEM), or why the plan
    /// can't be used. Connections may be passed before the answer.
    Scope { id: u32, certificate: Result<String, String> },
    /// Asks for the value of a secret. Equal questions are not repeated before the answer. The host answers
    /// with [`HostMessage::Value`] within [`VALUE_DEADLINE`].
    NeedValue {
        request: u64,
        scope: u32,
        secret: u32,
        /// Whether a server has answered the last value with 401, so that a host with a cache must not
        /// answer from it.
        is_renewal: bool,
    },
    /// A request has been sent to the connection's server with this secret. One message for each request.
    Used { connection: u64, secret: u32 },
    /// A request, or the whole connection, was refused by rules.
    Refused { connection: u64, refusal: Refusal },
    /// A connection has ended, with both of its descriptors closed.
    Ended { connection: u64 },
}

/// A refused request or connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Refusal {
    /// A request, which the client got an answer to.
    Request {
        /// At most [`MAX_SHOWN_METHOD`] bytes.
        method: String,
        /// The path without the query, at most [`MAX_SHOWN_PATH`] bytes.
        path: String,
        reason: RequestRefusal,
    },
    /// The client asked in its TLS handshake for this name, or for none.
    Name { name: Option<String> },
}

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestRefusal {
    /// No rule of the host permits the method and path.
    NotInRules,
    /// Servers may read the path in different ways.
    AmbiguousPath,
    /// The query has a method, which servers may take for that of the request.
    AmbiguousMethod,
    /// The request names another host than that of the connection, or several.
    OtherHost,
    /// TRACE, which repeats the headers of a request.
    Trace,
    /// The rule has headers, and the connection no TLS.
    NotEncrypted,
    /// An upgrade, as to a WebSocket, whose messages can't be masked.
    Upgrade,
}

impl Debug for SecretText {
    /// Shows no value.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("SecretText")
    }
}

impl Debug for PassedConnection {
    /// Shows no request.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let Self { id, scope, host, port, first } = self;
        write!(out, "connection {id} of scope {scope} to {host}:{port} after {} bytes", first.len())
    }
}
