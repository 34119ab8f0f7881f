//! A call: its [`arguments`], the [`action`] that a dialect makes of them, and the [`request`] that it may
//! have for more than a sandbox gives.

pub mod action;
pub mod arguments;
pub mod request;
