//! Tells what a file is, and opens one without waiting for it.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{
    create_directories_for_user, create_for_user, identity, is_directory, is_socket, link_count,
    open_at_once, open_unlinked,
};
#[cfg(windows)]
pub use windows::{
    create_directories_for_user, create_for_user, identity, is_directory, is_socket, link_count,
    open_at_once, open_unlinked,
};
