//! The way from a sandbox with a list of allowed hosts to the network.
//!
//! Inside there is a private network, without a route. The helper opens listeners there and hands them to
//! this process, which accepts connections inside and connects outside: no other process, no privilege.
//!
//! * Pure: [`allow`] are the lists, [`mod@host`] the hosts of requests, [`public`] the addresses of the
//!   internet, [`names`] the local addresses that stand for names; [`dns`], [`http`] and [`socks`] read
//!   messages.
//! * [`gateway`] decides: what one sandbox may reach, and what it was refused. [`outbound`] resolves and
//!   connects, [`stream`] copies, [`client`] talks to one client, and [`serve`] to all.
//!
//! A name is looked up by this process, whenever a connection is made, and the connection goes to an address
//! that was checked: a name that changes its address gains nothing. TLS is not opened.

pub mod allow;
pub mod client;
pub mod dns;
pub mod gateway;
pub mod host;
pub mod http;
pub mod names;
pub mod outbound;
pub mod public;
pub mod serve;
pub mod socks;
pub mod stream;
