//! The messages of clients: name lookups, and the requests of the two kinds of proxies. Pure.

pub mod dns;
pub mod http;
pub mod socks;
