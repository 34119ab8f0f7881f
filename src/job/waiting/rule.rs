//! Decides whether a process of a job waits for input. Pure.

use super::{InputKind, WaitMethod};
use crate::process::blocked::{Call, InputFile, Sleeper, Wait};
use crate::process::pty::InputMode;

/// The state of a job's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputState {
    /// The kind of the source.
    pub file: InputFile,
    /// Whether the source holds data that no process has read.
    pub has_unread: bool,
    /// The terminal's input mode; `None` for a pipe.
    pub mode: Option<InputMode>,
    /// The foreground process group of the terminal.
    pub foreground: Option<i32>,
    /// Whether the job was given input before.
    pub was_given_some: bool,
    /// Whether the output ends in an unfinished line.
    pub has_prompt: bool,
}

impl InputState {
    /// Returns the kind of a wait for this input.
    #[must_use]
    pub const fn kind(&self) -> InputKind {
        match self.mode {
            None => InputKind::Pipe,
            Some(InputMode { is_by_line: false, .. }) => InputKind::Keys,
            Some(InputMode { has_echo: false, .. }) => InputKind::Password,
            Some(_) => InputKind::Line,
        }
    }

    /// Returns whether a process may read the input. The kernel stops a process that reads its controlling
    /// terminal from the background; a process with another controlling terminal, or none (the server of
    /// tmux), may read.
    fn may_be_read_by(&self, sleeper: &Sleeper) -> bool {
        match self.file {
            InputFile::Pipe(_) => true,
            InputFile::Terminal(device) => {
                sleeper.terminal != device || self.foreground == Some(sleeper.group)
            }
        }
    }

    /// Returns whether a wait by epoll may be a leftover: after a Node.js program has stopped reading, libuv
    /// leaves the input in its set until data arrives. So an epoll wait for a line counts only before the
    /// first input, or after a prompt.
    fn may_be_left_over(&self, call: Call) -> bool {
        call == Call::Epoll && self.kind() == InputKind::Line && self.was_given_some && !self.has_prompt
    }
}

/// A wait of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputVerdict<'a> {
    /// The way in which the process waits.
    pub how: WaitMethod,
    /// The call; `None` where the kernel does not show it.
    pub wait: Option<&'a Wait>,
}

/// Decides whether a sleeping process waits for the input. `is_input` returns whether a descriptor of it is
/// the input.
#[must_use]
pub fn judge<'a>(
    sleeper: &'a Sleeper,
    input: &InputState,
    is_input: impl Fn(i32) -> bool,
) -> Option<InputVerdict<'a>> {
    if input.has_unread || !input.may_be_read_by(sleeper) {
        return None;
    }
    let Some(waits) = &sleeper.waits else {
        // The waits of another user's program are hidden. In the foreground with the echo switched off, it
        // almost surely waits for a password.
        let is_password = input.kind() == InputKind::Password && input.foreground == Some(sleeper.group);
        return is_password.then_some(InputVerdict { how: WaitMethod::Read, wait: None });
    };
    let wait = waits.iter().find(|wait| {
        !input.may_be_left_over(wait.call) && wait.descriptors.iter().any(|&descriptor| is_input(descriptor))
    })?;
    let how = if wait.call == Call::Read { WaitMethod::Read } else { WaitMethod::Poll };
    Some(InputVerdict { how, wait: Some(wait) })
}

#[cfg(test)]
mod tests {
    use crate::process::identity::Pid;

    use super::{
        Call, InputFile, InputKind, InputMode, InputState, InputVerdict, Sleeper, Wait, WaitMethod, judge,
    };

    const TTY: u64 = 34816;
    const LINE: InputMode = InputMode { is_by_line: true, has_echo: true };
    const PASSWORD: InputMode = InputMode { is_by_line: true, has_echo: false };
    const KEYS: InputMode = InputMode { is_by_line: false, has_echo: false };

    fn terminal(mode: InputMode) -> InputState {
        InputState {
            file: InputFile::Terminal(TTY),
            has_unread: false,
            mode: Some(mode),
            foreground: Some(10),
            was_given_some: false,
            has_prompt: true,
        }
    }

    fn sleeper(call: Call) -> Sleeper {
        let wait = Wait { call, descriptors: vec![5, 0], timeout: None };
        Sleeper { pid: Pid::from_raw(11).expect("a pid"), group: 10, terminal: TTY, waits: Some(vec![wait]) }
    }

    fn how(sleeper: &Sleeper, input: &InputState) -> Option<WaitMethod> {
        judge(sleeper, input, |descriptor| descriptor == 0).map(|InputVerdict { how, .. }| how)
    }

    #[test]
    fn a_thread_that_sleeps_in_a_read_of_the_input_waits_for_it() {
        assert_eq!(how(&sleeper(Call::Read), &terminal(LINE)), Some(WaitMethod::Read));
        assert_eq!(how(&sleeper(Call::Epoll), &terminal(KEYS)), Some(WaitMethod::Poll));
    }

    #[test]
    fn the_number_of_the_descriptor_does_not_matter() {
        assert_eq!(judge(&sleeper(Call::Read), &terminal(LINE), |_| false), None);
    }

    #[test]
    fn nobody_waits_for_what_is_there() {
        let unread = InputState { has_unread: true, ..terminal(LINE) };
        assert_eq!(how(&sleeper(Call::Read), &unread), None);
    }

    #[test]
    fn a_background_process_does_not_wait_unless_the_terminal_is_not_its_own() {
        let background = Sleeper { group: 12, ..sleeper(Call::Read) };
        assert_eq!(how(&background, &terminal(LINE)), None);
        let server = Sleeper { terminal: 0, ..background };
        assert_eq!(how(&server, &terminal(LINE)), Some(WaitMethod::Read));
    }

    #[test]
    fn the_mode_of_the_terminal_is_the_kind() {
        assert_eq!(terminal(LINE).kind(), InputKind::Line);
        assert_eq!(terminal(PASSWORD).kind(), InputKind::Password);
        assert_eq!(terminal(KEYS).kind(), InputKind::Keys);
        assert_eq!(InputState { mode: None, ..terminal(LINE) }.kind(), InputKind::Pipe);
    }

    #[test]
    fn a_hidden_process_waits_for_a_password_or_its_wait_is_unknown() {
        let hidden = Sleeper { waits: None, ..sleeper(Call::Read) };
        assert_eq!(how(&hidden, &terminal(PASSWORD)), Some(WaitMethod::Read));
        assert_eq!(how(&hidden, &terminal(LINE)), None);
        assert_eq!(how(&hidden, &terminal(KEYS)), None);
        assert_eq!(how(&Sleeper { group: 12, ..hidden }, &terminal(PASSWORD)), None);
    }

    #[test]
    fn input_that_libuv_has_left_in_its_set_is_no_wait() {
        let answered = InputState { was_given_some: true, has_prompt: false, ..terminal(LINE) };
        assert_eq!(how(&sleeper(Call::Epoll), &answered), None);
        assert_eq!(how(&sleeper(Call::Poll), &answered), Some(WaitMethod::Poll), "poll has what it asks for");
        let asked_again = InputState { has_prompt: true, ..answered };
        assert_eq!(how(&sleeper(Call::Epoll), &asked_again), Some(WaitMethod::Poll));
        let keys = InputState { mode: Some(KEYS), ..answered };
        assert_eq!(how(&sleeper(Call::Epoll), &keys), Some(WaitMethod::Poll));
    }
}
