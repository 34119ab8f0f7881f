//! The input of a command, read through standard input of its leader (Linux).

use std::fs::{metadata, read_to_string};
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use rustix::fs::{Mode, OFlags, open};

use super::rule::InputState;
use crate::process::blocked::InputFile;
use crate::process::identity::Pid;
use crate::process::pty;

/// Reads the state of the input of a command whose other end another process has: through standard input of
/// its leader.
#[must_use]
pub fn state_of_leader(leader: Pid) -> Option<InputState> {
    let leader = leader.as_raw_nonzero();
    let path = format!("/proc/{leader}/fd/0");
    let file = metadata(&path).ok()?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let is_terminal = file.file_type().is_char_device();
    if !is_terminal && !file.file_type().is_fifo() {
        return None;
    }
    let input = open(&path, flags, Mode::empty()).ok()?;
    let has_unread = rustix::io::ioctl_fionread(&input).unwrap_or_default() > 0;
    let state = InputState {
        file: InputFile::Pipe(file.ino()),
        has_unread,
        mode: None,
        foreground: None,
        was_given_some: false,
        has_prompt: false,
    };
    if !is_terminal {
        return Some(state);
    }
    // The main end would report the group; the leader's own line has it too.
    let line = read_to_string(format!("/proc/{leader}/stat")).ok()?;
    let group = line.rsplit_once(')')?.1.split_whitespace().nth(5)?.parse().ok();
    Some(InputState {
        file: InputFile::Terminal(pty::device(&input)?),
        mode: Some(pty::input_mode(&input)?),
        foreground: group.filter(|&group| group > 0),
        ..state
    })
}
