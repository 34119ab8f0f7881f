//! What a proxy reads of HTTP/1: the head of one [`request`], and where its [`body`] ends. Pure.

pub mod body;
pub mod request;
