//! Asks the kernel whether a process of a job waits for its input.

use std::os::fd::BorrowedFd;
use std::sync::PoisonError;

use crate::process::identity::Pid;

use super::rule::{InputState, InputVerdict, judge};
use super::{InputKind, InputWait};
use crate::engine::scan::Scanner;
use crate::job::io::output::SharedRing;
use crate::job::terminal::LiveScreen;
use crate::process::blocked::{self, InputFile};
use crate::process::pipe;
use crate::process::pty;
use crate::process::sockets::listening;
use crate::process::tree;
use crate::text::{Kept, PlainText};

/// The most processes below a leader that are inspected.
pub const MAX_PROCESSES: usize = 64;

/// The longest prompt with its control sequences, at the end of the output (bytes).
const MAX_PROMPT: u64 = 4_096;

/// Reads the state of a terminal from both of its ends: only the host's end tells which group is in the
/// foreground.
#[must_use]
pub fn state_of_terminal(main: BorrowedFd<'_>, peer: BorrowedFd<'_>) -> Option<InputState> {
    Some(InputState {
        file: InputFile::Terminal(pty::device(peer)?),
        has_unread: rustix::io::ioctl_fionread(peer).unwrap_or_default() > 0,
        mode: Some(pty::input_mode(peer)?),
        foreground: pty::foreground_group(main).map(|group| group.as_raw_nonzero().get()),
        was_given_some: false,
        has_prompt: false,
    })
}

/// Reads the state of a pipe from the host's end.
#[must_use]
pub fn state_of_pipe(writer: BorrowedFd<'_>) -> InputState {
    InputState {
        file: InputFile::Pipe(pipe::inode(writer)),
        // A writing end on macOS always reports 0. Waits for a pipe are hidden there in any case.
        has_unread: rustix::io::ioctl_fionread(writer).unwrap_or_default() > 0,
        mode: None,
        foreground: None,
        was_given_some: false,
        has_prompt: false,
    }
}

/// Returns the processes of a job that may wait for its input, the leader first.
#[must_use]
pub fn processes_of(leader: Pid) -> Vec<Pid> {
    let below = tree::descendants_up_to(leader, MAX_PROCESSES).unwrap_or_default();
    std::iter::once(leader).chain(below.iter().map(|process| process.identity.pid)).collect()
}

/// The most processes that are inspected on the I/O thread; the scan thread inspects more.
const INLINE: usize = 8;

/// Returns the wait of the last of these processes that waits for this input. Inspects many processes on the
/// scan thread.
pub async fn inspect_all(
    scanner: &Scanner,
    processes: Vec<Pid>,
    input: InputState,
    prompt: String,
) -> Option<InputWait> {
    if processes.len() <= INLINE {
        return inspect(&processes, &input, &prompt);
    }
    scanner.run_blocking(move || inspect(&processes, &input, &prompt)).await?
}

/// Returns the wait of the last of these processes that waits for this input: a program, rather than the
/// shell that started it.
fn inspect(processes: &[Pid], input: &InputState, prompt: &str) -> Option<InputWait> {
    processes.iter().rev().find_map(|&pid| {
        let sleeper = blocked::inspect(pid)?;
        let verdict =
            judge(&sleeper, input, |descriptor| blocked::is_input(&sleeper, descriptor, input.file))?;
        Some(described(pid, verdict, input.kind(), prompt))
    })
}

fn described(
    pid: Pid,
    InputVerdict { how, wait }: InputVerdict<'_>,
    kind: InputKind,
    prompt: &str,
) -> InputWait {
    // Only a process that waits for several things can be a server.
    let is_listening = wait.is_some_and(|wait| wait.descriptors.len() > 1) && {
        let inodes: Vec<u64> =
            listening(&[pid]).unwrap_or_default().iter().map(|socket| socket.inode).collect();
        !inodes.is_empty() && blocked::listens_on_any(pid, &inodes)
    };
    InputWait {
        kind,
        how,
        timeout: wait.and_then(|wait| wait.timeout),
        is_listening,
        is_certain: wait.is_some(),
        pid: pid.as_raw_nonzero().get(),
        program: blocked::name_of(pid),
        prompt: prompt.to_owned(),
    }
}

/// Returns the text of a terminal in the line of its cursor, which may take several rows.
#[must_use]
pub fn prompt_on_screen(screen: &LiveScreen) -> String {
    screen.snapshot(0).screen.line_of_cursor()
}

/// Returns the last unfinished line of a stream, from the ring or from the kept output.
#[must_use]
pub fn prompt_of_streams(ring: Option<&SharedRing>, kept: [&Kept; 2]) -> String {
    if let Some(ring) = ring {
        let ring = ring.lock().unwrap_or_else(PoisonError::into_inner);
        let piece = ring.read(ring.cursor().saturating_sub(MAX_PROMPT));
        return piece.chunks.last().map(|(_, text)| last_line(text)).unwrap_or_default();
    }
    kept.into_iter().map(|kept| last_line(&kept.text())).find(|line| !line.is_empty()).unwrap_or_default()
}

fn last_line(text: &str) -> String {
    let unfinished = text.rsplit('\n').next().unwrap_or_default();
    let mut plain = PlainText::default();
    let mut line = String::new();
    plain.push(unfinished, &mut line);
    plain.peek(&mut line);
    line
}

#[cfg(test)]
mod tests {
    use super::last_line;

    #[test]
    fn a_prompt_is_the_unfinished_line_as_plain_text() {
        assert_eq!(last_line("one\n\u{1b}[1mName: \u{1b}[0m"), "Name: ");
        assert_eq!(last_line("50%\r100% go on? "), "100% go on? ");
        assert_eq!(last_line("one\n"), "");
    }
}
