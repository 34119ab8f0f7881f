//! Listening TCP sockets, and the processes that hold them.

#[cfg(target_os = "linux")]
mod linux;
mod listener;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "linux")]
mod tables;

#[cfg(target_os = "linux")]
pub use linux::{listening, sockets_of};
pub use listener::Listener;
#[cfg(target_os = "macos")]
pub use macos::{listening, listening_elsewhere, sockets_of};
#[cfg(target_os = "linux")]
pub use tables::listening_elsewhere;
