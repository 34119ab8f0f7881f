//! The interceptor: a program between commands and the hosts that have rules. It ends TLS, checks requests,
//! sets headers with secrets, and masks responses.
//!
//! * Started by: the host, at the first connection to a host with rules, with its end of a socket as the
//!   standard input.
//! * May: use the connections that the host passes, and nothing else: no files, sockets or programs.
//! * Ends: with the socket.

pub mod authority;
pub mod link;
pub mod masks;
pub mod rules;
pub mod secrets;
pub mod tls;
