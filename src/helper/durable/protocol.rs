//! The messages between a supervisor and its hosts: pure.
//!
//! All except [`HostRequest::Extend`] and [`HostRequest::Leave`] are *core 1*, which never changes: each
//! later version lists, reads, waits for, writes to and kills jobs of all earlier ones. So nothing here is
//! encoded by serde. A kind that one side does not know is ignored.
//!
//! A frame has the header of [`frame`](crate::helper::supervisor::protocol::frame). What may grow is lines
//! (`key=value`), the rest are little-endian integers. Output never travels: hosts read the log.

use super::record::Lines;
use crate::helper::supervisor::protocol::enums::{ProcessSelection, SignalScope};
use crate::helper::supervisor::protocol::frame::{Frame, put};
use crate::process::pty::WindowSize;

/// The version of the messages, and the lowest one that this side speaks.
pub const CORE: u16 = 1;

/// The most input of a host that waits in the supervisor (bytes).
pub const INPUT_WINDOW: usize = 256 * 1024;

/// The most input of a host that leaves (bytes).
pub const LAST_WINDOW: usize = 16 * 1024 * 1024;

/// The most pids of one answer, which fit in a frame.
pub const MAX_PIDS: usize = 16_000;

/// A message of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostRequest<'a> {
    Hello(HostHello),
    Stdin(&'a [u8]),
    StdinEnd,
    /// Ends the job: this signal, and SIGKILL after the grace (ms); `None` for no SIGKILL.
    Stop {
        signal: i32,
        grace: Option<u64>,
    },
    Signal {
        number: i32,
        scope: SignalScope,
    },
    Resize(WindowSize),
    List(ProcessSelection),
    /// Sets the time that is left to the job (ms).
    Extend(u64),
    /// The host lets the job go: it may send the rest of its input, up to [`LAST_WINDOW`], before the command
    /// has read what is there.
    Leave,
    /// Asks for [`JobEvent::Grew`] as soon as the log goes beyond this cursor.
    Watch(u64),
    /// A part of the plan, and the start of the job: of the host that has started the supervisor, which is of
    /// the same build.
    Plan(&'a [u8]),
    Start,
}

/// A message of a supervisor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobEvent<'a> {
    Hello(JobHello),
    /// The log has reached this cursor.
    Grew(u64),
    Pids(Vec<u32>),
    /// So many bytes of input were written.
    Credit(u32),
    /// The command has closed its input.
    StdinGone,
    /// The leader has exited, and other processes are the job now: the lines of an end.
    Exited(Lines),
    /// The job is over: the lines of its end.
    Ended(Lines),
    /// The end of the longest run (ms since 1970), after [`HostRequest::Extend`].
    EndsAt(u64),
    /// The connection ends for this reason, in one word: `limit`, `old`.
    Refused(&'a [u8]),
    /// The job has started, in this directory (a real path).
    Started {
        pid: u32,
        directory: &'a [u8],
    },
    /// The job has not started: a failure as [`crate::wire`] encodes it.
    Failed(&'a [u8]),
}

/// The greeting of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostHello {
    pub lowest: u16,
    pub highest: u16,
    /// Whether the connection counts as an attached host.
    pub attends: bool,
}

/// The greeting of a supervisor, with the state of its job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobHello {
    pub lowest: u16,
    pub highest: u16,
    /// The pid of the leader; 0 before the start.
    pub pid: u32,
    /// The end of the longest run (ms since 1970).
    pub ends_at: u64,
    /// The number of attached hosts, with this one.
    pub attached: u32,
    /// The cursor after all output.
    pub total: u64,
    pub dropped: u64,
}

const HELLO: u8 = 1;
const STDIN: u8 = 2;
const STDIN_END: u8 = 3;
const STOP: u8 = 4;
const SIGNAL: u8 = 5;
const RESIZE: u8 = 6;
const LIST: u8 = 7;
const EXTEND: u8 = 8;
const WATCH: u8 = 9;
const PLAN: u8 = 10;
const START: u8 = 11;
const LEAVE: u8 = 12;

const GREW: u8 = 2;
const PIDS: u8 = 3;
const CREDIT: u8 = 4;
const STDIN_GONE: u8 = 5;
const EXITED: u8 = 6;
const ENDED: u8 = 7;
const ENDS_AT: u8 = 8;
const REFUSED: u8 = 9;
const STARTED: u8 = 10;
const FAILED: u8 = 11;

/// The scopes and lists, by their numbers.
const SCOPES: [SignalScope; 4] =
    [SignalScope::Leader, SignalScope::Group, SignalScope::Tree, SignalScope::End];
const LISTS: [ProcessSelection; 2] = [ProcessSelection::All, ProcessSelection::Background];

impl HostHello {
    /// Returns the hello of this version.
    #[must_use]
    pub const fn new(attends: bool) -> Self {
        Self { lowest: CORE, highest: CORE, attends }
    }

    fn lines(self) -> Lines {
        let mut lines = Lines::default();
        lines.set_number("lowest", self.lowest);
        lines.set_number("highest", self.highest);
        lines.set_number("attends", u8::from(self.attends));
        lines
    }
}

impl JobHello {
    /// Returns whether this side understands the other one.
    #[must_use]
    pub const fn is_understood(&self) -> bool {
        self.lowest <= CORE && CORE <= self.highest
    }

    fn lines(&self) -> Lines {
        let mut lines = Lines::default();
        lines.set_number("lowest", self.lowest);
        lines.set_number("highest", self.highest);
        lines.set_number("pid", self.pid);
        lines.set_number("ends_at", self.ends_at);
        lines.set_number("attached", self.attached);
        lines.set_number("total", self.total);
        lines.set_number("dropped", self.dropped);
        lines
    }

    fn of_lines(lines: &Lines) -> Self {
        Self {
            lowest: lines.parsed("lowest").unwrap_or(u16::MAX),
            highest: lines.parsed("highest").unwrap_or(0),
            pid: lines.parsed("pid").unwrap_or(0),
            ends_at: lines.parsed("ends_at").unwrap_or(0),
            attached: lines.parsed("attached").unwrap_or(0),
            total: lines.parsed("total").unwrap_or(0),
            dropped: lines.parsed("dropped").unwrap_or(0),
        }
    }
}

impl<'a> HostRequest<'a> {
    /// Appends the frame.
    pub fn put(&self, out: &mut Vec<u8>) {
        let mut add = |kind, payload: &[u8]| put(out, kind, 0, payload);
        match self {
            Self::Hello(hello) => add(HELLO, &hello.lines().encode()),
            Self::Stdin(bytes) => add(STDIN, bytes),
            Self::StdinEnd => add(STDIN_END, &[]),
            Self::Stop { signal, grace } => {
                add(STOP, &[&signal.to_le_bytes()[..], &grace.unwrap_or(u64::MAX).to_le_bytes()].concat());
            }
            Self::Signal { number, scope } => {
                add(SIGNAL, &[&number.to_le_bytes()[..], &[number_of(&SCOPES, scope)]].concat());
            }
            Self::Resize(WindowSize { columns, rows }) => {
                add(RESIZE, &[columns.to_le_bytes(), rows.to_le_bytes()].concat());
            }
            Self::List(listed) => add(LIST, &[number_of(&LISTS, listed)]),
            Self::Extend(milliseconds) => add(EXTEND, &milliseconds.to_le_bytes()),
            Self::Watch(cursor) => add(WATCH, &cursor.to_le_bytes()),
            Self::Plan(part) => add(PLAN, part),
            Self::Start => add(START, &[]),
            Self::Leave => add(LEAVE, &[]),
        }
    }

    /// Reads a frame. Returns `None` for one that this version does not know.
    #[must_use]
    pub fn decode(frame: Frame<'a>) -> Option<Self> {
        let payload = frame.payload;
        Some(match frame.kind {
            HELLO => {
                let lines = Lines::decode(payload);
                Self::Hello(HostHello {
                    lowest: lines.parsed("lowest")?,
                    highest: lines.parsed("highest")?,
                    attends: lines.get("attends") == Some("1"),
                })
            }
            STDIN => Self::Stdin(payload),
            STDIN_END => Self::StdinEnd,
            STOP => {
                let (signal, rest) = payload.split_first_chunk()?;
                let grace = number(rest)?;
                Self::Stop {
                    signal: i32::from_le_bytes(*signal),
                    grace: (grace != u64::MAX).then_some(grace),
                }
            }
            SIGNAL => {
                let (number, rest) = payload.split_first_chunk()?;
                let scope = *SCOPES.get(usize::from(*rest.first()?))?;
                Self::Signal { number: i32::from_le_bytes(*number), scope }
            }
            RESIZE => {
                let (columns, rest) = payload.split_first_chunk()?;
                let (columns, rows) =
                    (u16::from_le_bytes(*columns), u16::from_le_bytes(*rest.first_chunk()?));
                Self::Resize(WindowSize { columns, rows })
            }
            LIST => Self::List(*LISTS.get(usize::from(*payload.first()?))?),
            EXTEND => Self::Extend(number(payload)?),
            WATCH => Self::Watch(number(payload)?),
            PLAN => Self::Plan(payload),
            START => Self::Start,
            LEAVE => Self::Leave,
            _ => return None,
        })
    }
}

impl<'a> JobEvent<'a> {
    /// Appends the frame.
    pub fn put(&self, out: &mut Vec<u8>) {
        let mut add = |kind, payload: &[u8]| put(out, kind, 0, payload);
        match self {
            Self::Hello(hello) => add(HELLO, &hello.lines().encode()),
            Self::Grew(cursor) => add(GREW, &cursor.to_le_bytes()),
            Self::Pids(pids) => {
                let pids = pids.iter().take(MAX_PIDS).flat_map(|pid| pid.to_le_bytes());
                add(PIDS, &pids.collect::<Vec<_>>());
            }
            Self::Credit(count) => add(CREDIT, &count.to_le_bytes()),
            Self::StdinGone => add(STDIN_GONE, &[]),
            Self::Exited(lines) => add(EXITED, &lines.encode()),
            Self::Ended(lines) => add(ENDED, &lines.encode()),
            Self::EndsAt(at) => add(ENDS_AT, &at.to_le_bytes()),
            Self::Refused(word) => add(REFUSED, word),
            Self::Started { pid, directory } => add(STARTED, &[&pid.to_le_bytes()[..], directory].concat()),
            Self::Failed(failure) => add(FAILED, failure),
        }
    }

    /// Reads a frame. Returns `None` for one that this version does not know.
    #[must_use]
    pub fn decode(frame: Frame<'a>) -> Option<Self> {
        let payload = frame.payload;
        Some(match frame.kind {
            HELLO => Self::Hello(JobHello::of_lines(&Lines::decode(payload))),
            GREW => Self::Grew(number(payload)?),
            PIDS => {
                let (pids, _) = payload.as_chunks();
                Self::Pids(pids.iter().map(|pid| u32::from_le_bytes(*pid)).collect())
            }
            CREDIT => Self::Credit(u32::from_le_bytes(*payload.first_chunk()?)),
            STDIN_GONE => Self::StdinGone,
            EXITED => Self::Exited(Lines::decode(payload)),
            ENDED => Self::Ended(Lines::decode(payload)),
            ENDS_AT => Self::EndsAt(number(payload)?),
            REFUSED => Self::Refused(payload),
            STARTED => {
                let (pid, directory) = payload.split_first_chunk()?;
                Self::Started { pid: u32::from_le_bytes(*pid), directory }
            }
            FAILED => Self::Failed(payload),
            _ => return None,
        })
    }
}

fn number(payload: &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(*payload.first_chunk()?))
}

fn number_of<T: PartialEq>(all: &[T], wanted: &T) -> u8 {
    all.iter().position(|other| other == wanted).and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::helper::supervisor::protocol::frame::with_frame;

    fn requests() -> Vec<HostRequest<'static>> {
        vec![
            HostRequest::Hello(HostHello::new(true)),
            HostRequest::Stdin(b"in"),
            HostRequest::StdinEnd,
            HostRequest::Stop { signal: 15, grace: Some(5000) },
            HostRequest::Stop { signal: 9, grace: None },
            HostRequest::Signal { number: 10, scope: SignalScope::End },
            HostRequest::Resize(WindowSize { columns: 80, rows: 24 }),
            HostRequest::List(ProcessSelection::Background),
            HostRequest::Extend(7),
            HostRequest::Watch(u64::MAX),
            HostRequest::Leave,
            HostRequest::Plan(b"part"),
            HostRequest::Start,
        ]
    }

    fn events() -> Vec<JobEvent<'static>> {
        let mut lines = Lines::default();
        lines.set("cause", "exit");
        let hello =
            JobHello { lowest: 1, highest: 2, pid: 3, ends_at: 4, attached: 5, total: u64::MAX, dropped: 7 };
        vec![
            JobEvent::Hello(hello),
            JobEvent::Grew(9),
            JobEvent::Pids(vec![1, u32::MAX]),
            JobEvent::Credit(5),
            JobEvent::StdinGone,
            JobEvent::Exited(lines.clone()),
            JobEvent::Ended(lines),
            JobEvent::EndsAt(8),
            JobEvent::Refused(b"limit"),
            JobEvent::Started { pid: 17, directory: b"/work" },
            JobEvent::Failed(b"why"),
        ]
    }

    #[test]
    fn messages_are_read_as_they_were_written() {
        for request in requests() {
            let mut bytes = Vec::new();
            request.put(&mut bytes);
            with_frame(&bytes, |frame| assert_eq!(HostRequest::decode(frame), Some(request)));
        }
        for event in events() {
            let mut bytes = Vec::new();
            event.put(&mut bytes);
            with_frame(&bytes, |frame| assert_eq!(JobEvent::decode(frame), Some(event)));
        }
    }

    #[test]
    fn the_bytes_of_core_1_never_change() {
        let mut all = Vec::new();
        HostRequest::Stop { signal: 15, grace: Some(5000) }.put(&mut all);
        HostRequest::Watch(258).put(&mut all);
        JobEvent::Grew(258).put(&mut all);
        let expected = [
            &[12, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0x88, 0x13, 0, 0, 0, 0, 0, 0][..],
            &[8, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0],
            &[8, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0],
        ];
        assert_eq!(all, expected.concat());
    }

    proptest! {
        #[test]
        fn any_frame_is_a_message_or_unknown(kind in 0_u8..14, payload in vec(any::<u8>(), 0..60)) {
            let frame = Frame { kind, command: 0, payload: &payload };
            let _ = HostRequest::decode(frame);
            let _ = JobEvent::decode(frame);
        }
    }
}
