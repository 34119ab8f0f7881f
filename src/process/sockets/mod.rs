//! Listening sockets: the TCP sockets of processes, and UNIX sockets of this process, `path_listener`.

mod listener;
#[cfg(unix)]
mod path_listener;
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod platform;

pub use listener::Listener;
#[cfg(unix)]
pub use path_listener::{SocketFile, listen_at};
pub use platform::{listening, listening_elsewhere, sockets_of};
