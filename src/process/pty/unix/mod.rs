//! Pseudoterminals of Unix.
//!
//! The engine holds the *main* end: it reads the program's output there, and writes the input that a user
//! types. The program gets the *peer*, which behaves like any other terminal.
//!
//! The engine keeps the peer open until the leader has exited: otherwise a program that closes its terminal
//! and opens it again would end its output. After all written data, the output ends with the error EIO on
//! Linux, and as a pipe does on macOS.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use super::{InputMode, WindowSize};
use crate::process::fd::above_standard_streams;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl, fstat};
use rustix::process::Pid;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, Termios, Winsize, tcgetattr, tcgetpgrp, tcsetattr, tcsetwinsize,
};

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as platform;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "macos")]
use macos as platform;
mod peer;

pub use peer::Peer;

/// Both ends of a new terminal, closed on exec.
#[derive(Debug)]
pub struct Pty {
    /// The engine's end, which does not block.
    pub main: OwnedFd,
    /// The program's end.
    pub peer: OwnedFd,
}

impl Pty {
    /// Opens a terminal of this size, with the system's default modes, except that backspace erases whole
    /// UTF-8 characters.
    ///
    /// # Errors
    ///
    /// The system's error, such as `ENOENT` without `/dev/ptmx`, or `ENOSPC` when there are too many
    /// terminals.
    pub fn open(size: WindowSize) -> io::Result<Self> {
        let main =
            above_standard_streams(openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | platform::CLOEXEC)?)?;
        platform::close_on_exec(&main)?;
        grantpt(&main)?;
        unlockpt(&main)?;
        let path = ptsname(&main, Vec::new())?;
        let peer = above_standard_streams(platform::open_peer(&main, &path)?)?;
        let mut modes = tcgetattr(&peer)?;
        modes.input_modes |= InputModes::IUTF8;
        tcsetattr(&peer, OptionalActions::Now, &modes)?;
        set_size(&peer, size)?;
        fcntl_setfl(&main, fcntl_getfl(&main)? | OFlags::NONBLOCK)?;
        Ok(Self { main, peer })
    }
}

/// Changes the size of a terminal, through either end. If the size differs, the foreground programs get
/// SIGWINCH.
///
/// # Errors
///
/// The system's error.
pub fn set_size(terminal: impl AsFd, WindowSize { columns, rows }: WindowSize) -> io::Result<()> {
    Ok(tcsetwinsize(terminal, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 })?)
}

/// Returns the input mode of a terminal, through either end; `None` if the system does not report it.
pub fn input_mode(terminal: impl AsFd) -> Option<InputMode> {
    let Termios { local_modes, .. } = tcgetattr(terminal).ok()?;
    Some(InputMode {
        is_by_line: local_modes.contains(LocalModes::ICANON),
        has_echo: local_modes.contains(LocalModes::ECHO),
    })
}

/// Returns the device number of a terminal, through its peer end; `None` if the system does not report it.
pub fn device(peer: impl AsFd) -> Option<u64> {
    Some(platform::widened(fstat(peer).ok()?.st_rdev))
}

/// Returns the foreground process group of a terminal, through its main end; `None` if there is none.
///
/// The peer reports the group only to processes whose controlling terminal it is.
pub fn foreground_group(terminal: impl AsFd) -> Option<Pid> {
    tcgetpgrp(terminal).ok()
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::{InputMode, Pty, WindowSize, input_mode, set_size};

    const SIZE: WindowSize = WindowSize { columns: 132, rows: 50 };

    #[test]
    fn a_new_terminal_has_its_size_and_works_by_line() {
        let pty = Pty::open(SIZE).expect("a terminal");
        let size = rustix::termios::tcgetwinsize(&pty.peer).expect("a size");
        assert_eq!((size.ws_col, size.ws_row), (132, 50));
        assert_eq!(input_mode(&pty.main), Some(InputMode { is_by_line: true, has_echo: true }));
        set_size(&pty.main, WindowSize { columns: 10, rows: 5 }).expect("set");
        assert_eq!(rustix::termios::tcgetwinsize(&pty.peer).expect("a size").ws_col, 10);
    }

    #[test]
    fn what_is_written_at_one_end_is_read_at_the_other() {
        let pty = Pty::open(SIZE).expect("a terminal");
        let (mut main, mut peer) = (std::fs::File::from(pty.main), std::fs::File::from(pty.peer));
        main.write_all(b"typed\r").expect("written");
        let mut read = [0; 6];
        peer.read_exact(&mut read).expect("a line");
        assert_eq!(&read, b"typed\n");
        peer.write_all(b"shown\n").expect("written");
        drop(peer);
        let mut all = Vec::new();
        let end = main.read_to_end(&mut all).map_err(|error| error.raw_os_error());
        assert_eq!(end.err(), if cfg!(target_os = "macos") { None } else { Some(Some(libc::EIO)) });
        assert_eq!(all, b"typed\r\nshown\r\n");
    }
}
