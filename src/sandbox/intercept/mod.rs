//! The host's side of the interceptor: the program that has the secrets of hosts with rules, and their TLS.
//!
//! * [`process`] is the program, one for each process of the host, which starts when it is first needed and
//!   ends with its socket. It is no process of a job.
//! * [`scope`] is what commands of a toolset or a session share: rules, secrets, and the authority that their
//!   clients trust.
//! * [`link`] passes the connections of one sandbox, and notes what becomes of their requests.
//! * [`files`] writes the files of a scope that commands see: certificates, also as a [`key_store`] of Java,
//!   and settings with placeholders.
//!
//! [`crate::sandbox::protocol::intercept`] has the messages. Where anything of this fails, the connection is
//! closed: no request gets to a host with rules without the interceptor.

pub mod files;
mod key_store;
pub mod link;
pub mod process;
pub mod scope;
