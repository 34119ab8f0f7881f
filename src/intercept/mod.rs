//! The interceptor: a program between commands and the hosts that have rules. It ends TLS, checks requests,
//! sets headers with secrets, and masks responses.
//!
//! * Started by: the host, at the first connection to a host with rules, with its end of a socket as the
//!   standard input.
//! * May: use the connections that the host passes, and nothing else: no files, sockets or programs.
//! * Ends: with the socket.
//!
//! Read [`serve`] first: it serves one connection.
//!
//! * [`rules`] decide about requests, [`masks`] search responses, and [`tls`] does the handshakes.
//! * [`scope`] has what the commands of one toolset or session share: rules, [`secrets`], and the
//!   [`authority`] that signs certificates.
//! * [`link`] is the conversation with the host, in the messages of
//!   [`protocol::intercept`](crate::sandbox::protocol::intercept), and [`program`] its loop.

pub mod authority;
pub mod link;
pub mod masks;
pub mod program;
pub mod rules;
pub mod scope;
pub mod secrets;
pub mod serve;
#[cfg(test)]
mod testing;
pub mod tls;
