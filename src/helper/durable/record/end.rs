//! The end of a durable job.

use std::time::Duration;

use super::Lines;

/// The size of the file `end` (bytes), which is written at the start: a full disk still takes the end.
pub const SIZE: usize = 4096;

/// The reason of a job that was lost because its supervisor or its reaper was killed.
pub const KILLED: &str = "killed";

/// The reason of a job that was lost because the machine was restarted.
pub const REBOOT: &str = "reboot";

/// The reason of a kill by a signal to the supervisor, as a log-out or a shutdown sends it.
pub const SYSTEM: &str = "system";

/// The reasons for which a durable job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndCause {
    /// The command has exited by itself.
    Exit,
    /// A host has ended it, or the system has asked the supervisor to end.
    Kill,
    Timeout,
    /// The command was silent for too long.
    Idle,
    /// The job was older than it may become.
    Deadline,
    /// No host was attached for too long.
    Unattended,
    /// The supervisor ended before the command, so the exit is unknown.
    Lost,
}

impl EndCause {
    const ALL: [Self; 7] =
        [Self::Exit, Self::Kill, Self::Timeout, Self::Idle, Self::Deadline, Self::Unattended, Self::Lost];

    /// Returns the name in files and for callers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exit => "exit",
            Self::Kill => "kill",
            Self::Timeout => "timeout",
            Self::Idle => "idle",
            Self::Deadline => "deadline",
            Self::Unattended => "unattended",
            Self::Lost => "lost",
        }
    }
}

/// The exit code of the leader, or the signal that ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaderExit {
    Code(i32),
    Signal(i32),
}

/// The end of a job, as its file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobEnd {
    pub cause: EndCause,
    pub exit: Option<LeaderExit>,
    /// The time of the end (ms since 1970).
    pub at: u64,
    /// The cursor after all output.
    pub total: u64,
    /// The bytes of output that were not kept.
    pub dropped: u64,
    pub usage: Option<JobUsage>,
    /// The reason of a loss, [`REBOOT`] or [`KILLED`], or of a kill, [`SYSTEM`].
    pub reason: Option<String>,
}

/// The resources that the leader of a job and its waited-for children have used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobUsage {
    pub user: Duration,
    pub system: Duration,
    /// The most memory of one process (KiB).
    pub peak_memory: u64,
    /// From the start to the exit.
    pub wall: Duration,
}

impl JobEnd {
    /// Returns the end as lines.
    #[must_use]
    pub fn lines(&self) -> Lines {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let mut lines = Lines::default();
        lines.set("cause", self.cause.name());
        match self.exit {
            Some(LeaderExit::Code(code)) => lines.set_number("code", code),
            Some(LeaderExit::Signal(signal)) => lines.set_number("signal", signal),
            None => {}
        }
        lines.set_number("at", self.at);
        lines.set_number("total", self.total);
        lines.set_number("dropped", self.dropped);
        if let Some(reason) = &self.reason {
            lines.set("reason", reason);
        }
        if let Some(JobUsage { user, system, peak_memory, wall }) = self.usage {
            lines.set_number("user_us", micros(user));
            lines.set_number("system_us", micros(system));
            lines.set_number("peak_kib", peak_memory);
            lines.set_number("wall_us", micros(wall));
        }
        lines
    }

    /// Reads the lines of an end. A cause of a later version counts as a kill.
    #[must_use]
    pub fn of_lines(lines: &Lines) -> Option<Self> {
        let cause = lines.get("cause")?;
        let exit = lines
            .parsed("code")
            .map(LeaderExit::Code)
            .or_else(|| lines.parsed("signal").map(LeaderExit::Signal));
        let time = |key| lines.parsed(key).map(Duration::from_micros);
        let usage = || {
            Some(JobUsage {
                user: time("user_us")?,
                system: time("system_us")?,
                peak_memory: lines.parsed("peak_kib")?,
                wall: time("wall_us")?,
            })
        };
        Some(Self {
            cause: EndCause::ALL.into_iter().find(|known| known.name() == cause).unwrap_or(EndCause::Kill),
            exit,
            at: lines.parsed("at")?,
            total: lines.parsed("total")?,
            dropped: lines.parsed("dropped")?,
            usage: usage(),
            reason: lines.get("reason").map(str::to_owned),
        })
    }

    /// Returns the content of the file: the lines, and their sum, by which a torn file is noticed.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = self.lines().encode();
        bytes.extend(format!("sum={:016x}\n", sum_of(&bytes)).into_bytes());
        bytes
    }

    /// Reads the file. Returns `None` while it is not written, and for one that is torn.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let length = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        let text = str::from_utf8(&bytes[..length]).ok()?;
        let (lines, sum) = text.rsplit_once("sum=")?;
        let is_whole = u64::from_str_radix(sum.strip_suffix('\n')?, 16) == Ok(sum_of(lines.as_bytes()));
        if is_whole { Self::of_lines(&Lines::decode(lines.as_bytes())) } else { None }
    }
}

/// The FNV-1a hash, which shows that bytes are missing.
fn sum_of(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::{EndCause, JobEnd, JobUsage, LeaderExit, SIZE};

    prop_compose! {
        fn ends()(
            cause in prop::sample::select(EndCause::ALL.to_vec()),
            exit in prop_oneof![
                Just(None),
                any::<i32>().prop_map(|code| Some(LeaderExit::Code(code))),
                any::<i32>().prop_map(|signal| Some(LeaderExit::Signal(signal))),
            ],
            numbers in any::<[u64; 3]>(),
            usage in proptest::option::of(any::<[u32; 4]>()),
            reason in proptest::option::of("(?s).{0,20}"),
        ) -> JobEnd {
            let [at, total, dropped] = numbers;
            let micros = |number: u32| Duration::from_micros(number.into());
            JobEnd {
                cause, exit, at, total, dropped, reason: reason.map(|text| text.replace('\0', "")),
                usage: usage.map(|[user, system, memory, wall]| JobUsage {
                    user: micros(user), system: micros(system), peak_memory: memory.into(), wall: micros(wall),
                }),
            }
        }
    }

    proptest! {
        #[test]
        fn an_end_is_read_as_it_was_written_in_its_file(end in ends()) {
            let mut file = end.encode();
            prop_assert!(file.len() < SIZE);
            file.resize(SIZE, 0);
            prop_assert_eq!(JobEnd::decode(&file), Some(end));
        }

        #[test]
        fn a_torn_end_is_none(end in ends(), cut: prop::sample::Index) {
            let whole = end.encode();
            let mut file = whole[..cut.index(whole.len())].to_vec();
            prop_assert_eq!(JobEnd::decode(&file), None);
            file.resize(SIZE, 0);
            prop_assert_eq!(JobEnd::decode(&file), None);
        }
    }

    #[test]
    fn a_file_without_an_end_is_none() {
        assert_eq!(JobEnd::decode(&[0; SIZE]), None);
        assert_eq!(JobEnd::decode(b""), None);
    }
}
