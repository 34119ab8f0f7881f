//! The part of HTTP/1 that a proxy parses: the head of one [`request`], and the end of its [`body`]. Pure.

pub mod body;
pub mod request;
