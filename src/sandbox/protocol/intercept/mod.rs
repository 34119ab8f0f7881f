//! The protocol between the host and the interceptor, the program that applies rules to requests and has
//! the secrets for their headers (`src/intercept/`).
//!
//! * [`messages`] has the messages, and what each side does with them.
//! * [`socket`] sends and receives them, with their descriptors.
//!
//! Both sides are a UNIX socket of packets: one packet is one message, encoded by [`crate::wire`]. The host
//! starts the program with its end of the socket as the standard input. The interceptor first confines
//! itself, and then sends [`InterceptorMessage::Hello`](messages::InterceptorMessage::Hello): the version
//! must be the host's. Whichever end closes, the other one ends all connections: the interceptor exits, and
//! a host whose interceptor is gone refuses the connections to hosts with rules.
//!
//! ## A connection
//!
//! 1. The host makes a scope: rules, secrets and roots, for all commands of a toolset or a session. The
//!    interceptor answers with the certificate of the scope's authority, which the commands' clients trust.
//! 2. A command connects to a host with rules. The host decides, looks the name up and connects, as without
//!    rules, and then passes both descriptors. It drops its own copies, and keeps its count of connections
//!    until [`Ended`](messages::InterceptorMessage::Ended).
//! 3. The interceptor reads the client's first byte: TLS or a request. Each connection has one upstream,
//!    and each of its requests must name the connection's host.
//! 4. The interceptor needs a value that a function gives: it asks with
//!    [`NeedValue`](messages::InterceptorMessage::NeedValue), and keeps the value for
//!    [`KEPT_VALUE`](messages::KEPT_VALUE), or until a response with the status 401, for which it asks once
//!    in [`RENEWAL_PAUSE`](messages::RENEWAL_PAUSE). The host keeps no value.

pub mod messages;
#[cfg(target_os = "linux")]
pub mod socket;
