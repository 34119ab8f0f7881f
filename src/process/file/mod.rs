//! Tells what a file is, and opens one without waiting for it.

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod platform;

pub use platform::{
    create_directories_for_user, create_for_user, identity, is_directory, is_socket, link_count,
    open_at_once, open_unlinked,
};
