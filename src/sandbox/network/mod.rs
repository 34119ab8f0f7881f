//! Connects the commands of a sandbox to its allowed hosts.
//!
//! The sandbox has a network namespace without a route. The helper opens listeners there and passes them to
//! this process, which accepts connections in the sandbox and connects to the hosts: without another process,
//! and without a privilege.
//!
//! * Pure: [`allow`] are the lists, [`destination`] the names and addresses of requests, [`public`] the
//!   addresses of the internet, [`names`] the local addresses that stand for names; [`messages`] reads those
//!   of clients.
//! * [`gateway`] decides: what one sandbox may reach, and what it was refused. [`ask`] has the questions
//!   about hosts that are not listed. [`outbound`] resolves and connects, [`stream`] copies, [`client`] talks
//!   to one client, and [`serve`] to all.
//!
//! [`counters`] is for the network `off`: it tells that a command tried to reach others.
//!
//! This process looks a name up for each connection, checks the addresses, and connects to a checked address.
//! So a name that changes its address gains nothing (DNS rebinding). TLS is not decrypted here: the
//! connections to hosts with rules go to the interceptor, which decrypts them.

pub mod allow;
pub mod ask;
pub mod destination;
pub mod names;
pub mod public;
#[cfg(unix)]
mod unix;

#[cfg(unix)]
pub use unix::*;
