//! Listening sockets: the TCP sockets of processes, and UNIX sockets of this process, `path_listener`.

#[cfg(target_os = "linux")]
mod linux;
mod listener;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(unix)]
mod path_listener;
#[cfg(target_os = "linux")]
mod tables;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub use linux::{listening, sockets_of};
pub use listener::Listener;
#[cfg(target_os = "macos")]
pub use macos::{listening, listening_elsewhere, sockets_of};
#[cfg(unix)]
pub use path_listener::{SocketFile, listen_at};
#[cfg(target_os = "linux")]
pub use tables::listening_elsewhere;
#[cfg(windows)]
pub use windows::{listening, listening_elsewhere, sockets_of};
