//! The proxy and the forwarders, which Windows lacks.

pub mod client;
pub mod counters;
pub mod gateway;
pub mod messages;
pub mod outbound;
pub mod serve;
pub mod stream;
