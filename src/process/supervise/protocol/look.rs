//! What a host sees of the shell of a session: the facts by which it stops a command without losing the shell.

use std::time::Duration;

use rustix::process::{Pid, Signal};

use super::malformed::Malformed;
use crate::process::identity::Identity;

/// The most processes of one look: a stop that kills them finds the others by its next one.
pub const MAX_PROCESSES: usize = 1_500;

/// The size of an identity: pid and start.
const IDENTITY: usize = 12;

/// The size of a process: its identity, the parent, two sets of signals and a flag.
const PROCESS: usize = IDENTITY + 4 + 2 * 8 + 1;

const IS_STOPPED: u8 = 1;
const IS_IDLE: u8 = 2;
const WAITS_FOR_OPEN: u8 = 4;
const NAMES_DIRECTORY: u8 = 8;
const HAS_DIRECTORY: u8 = 16;
const KNOWN_FLAGS: u8 = IS_STOPPED | IS_IDLE | WAITS_FOR_OPEN | NAMES_DIRECTORY | HAS_DIRECTORY;

/// A set of signals, as the kernel writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SignalSet(pub u64);

impl SignalSet {
    /// Returns whether a signal is in the set.
    #[must_use]
    pub const fn has(self, signal: Signal) -> bool {
        self.0 >> (signal.as_raw() - 1) & 1 == 1
    }
}

/// The shell of a session, at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub struct ShellLook {
    /// Whether the shell is stopped or gone.
    pub is_stopped: bool,
    /// Whether the shell has read all lines and waits for the next one.
    pub is_idle: bool,
    /// Whether the shell waits until it can open a file.
    pub waits_for_open: bool,
    /// Whether the path of the question names the shell's directory.
    pub names_directory: bool,
    /// The shell's directory, by the kernel's path.
    pub directory: Option<String>,
    /// How many more descriptors the shell can open; the largest number where that is not known.
    pub room: u64,
    /// The signals that the shell ignores.
    pub ignored: SignalSet,
    /// The processor time of the shell and of the programs that it has waited for.
    pub user: Duration,
    pub system: Duration,
    /// The living processes below the shell, and those that were. Parents come before their children.
    pub processes: Vec<ProcessBelow>,
}

/// A process below the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessBelow {
    pub identity: Identity,
    pub parent: i32,
    pub is_exiting: bool,
    /// The signals that the process ignores.
    pub ignored: SignalSet,
    /// The signals for which the process may have its parent's handler.
    pub inherited: SignalSet,
}

impl ShellLook {
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let flags = [
            (self.is_stopped, IS_STOPPED),
            (self.is_idle, IS_IDLE),
            (self.waits_for_open, WAITS_FOR_OPEN),
            (self.names_directory, NAMES_DIRECTORY),
            (self.directory.is_some(), HAS_DIRECTORY),
        ];
        let mut out = vec![flags.iter().filter(|(is_set, _)| *is_set).fold(0, |set, (_, flag)| set | flag)];
        let [user, system] =
            [self.user, self.system].map(|time| u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
        for number in [self.room, self.ignored.0, user, system] {
            out.extend(number.to_le_bytes());
        }
        let directory = self.directory.as_deref().unwrap_or_default();
        out.extend(u32::try_from(directory.len()).unwrap_or(u32::MAX).to_le_bytes());
        out.extend_from_slice(directory.as_bytes());
        for process in self.processes.iter().take(MAX_PROCESSES) {
            put_identity(process.identity, &mut out);
            out.extend(process.parent.to_le_bytes());
            out.extend(process.ignored.0.to_le_bytes());
            out.extend(process.inherited.0.to_le_bytes());
            out.push(process.is_exiting.into());
        }
        out
    }

    /// Reads a look.
    ///
    /// # Errors
    ///
    /// When the bytes are none.
    pub fn decode(payload: &[u8]) -> Result<Self, Malformed> {
        let (&flags, rest) = payload.split_first().ok_or(Malformed)?;
        let (numbers, rest) = rest.split_at_checked(32).ok_or(Malformed)?;
        let (numbers, _) = numbers.as_chunks();
        let &[room, ignored, user, system] = numbers else { return Err(Malformed) };
        let (length, rest) = rest.split_first_chunk().ok_or(Malformed)?;
        let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| Malformed)?;
        let (directory, processes) = rest.split_at_checked(length).ok_or(Malformed)?;
        if flags & !KNOWN_FLAGS != 0 || processes.len() % PROCESS != 0 {
            return Err(Malformed);
        }
        let directory = String::from_utf8_lossy(directory).into_owned();
        Ok(Self {
            is_stopped: flags & IS_STOPPED != 0,
            is_idle: flags & IS_IDLE != 0,
            waits_for_open: flags & WAITS_FOR_OPEN != 0,
            names_directory: flags & NAMES_DIRECTORY != 0,
            directory: (flags & HAS_DIRECTORY != 0).then_some(directory),
            room: u64::from_le_bytes(room),
            ignored: SignalSet(u64::from_le_bytes(ignored)),
            user: Duration::from_micros(u64::from_le_bytes(user)),
            system: Duration::from_micros(u64::from_le_bytes(system)),
            processes: processes.chunks_exact(PROCESS).map(decode_process).collect::<Result<_, _>>()?,
        })
    }
}

fn decode_process(bytes: &[u8]) -> Result<ProcessBelow, Malformed> {
    let (identity, rest) = bytes.split_at_checked(IDENTITY).ok_or(Malformed)?;
    let (parent, rest) = rest.split_first_chunk().ok_or(Malformed)?;
    let (ignored, rest) = rest.split_first_chunk().ok_or(Malformed)?;
    let (inherited, rest) = rest.split_first_chunk().ok_or(Malformed)?;
    let &[is_exiting] = rest else { return Err(Malformed) };
    Ok(ProcessBelow {
        identity: decode_identity(identity).ok_or(Malformed)?,
        parent: i32::from_le_bytes(*parent),
        ignored: SignalSet(u64::from_le_bytes(*ignored)),
        inherited: SignalSet(u64::from_le_bytes(*inherited)),
        is_exiting: is_exiting != 0,
    })
}

/// Returns the bytes of identities, for a message.
#[must_use]
pub fn encode_identities(identities: &[Identity]) -> Vec<u8> {
    let mut out = Vec::with_capacity(identities.len() * IDENTITY);
    for &identity in identities {
        put_identity(identity, &mut out);
    }
    out
}

/// Returns the identities of a message.
pub fn decode_identities(bytes: &[u8]) -> impl Iterator<Item = Identity> {
    bytes.chunks_exact(IDENTITY).filter_map(decode_identity)
}

fn put_identity(identity: Identity, out: &mut Vec<u8>) {
    out.extend(identity.pid.as_raw_nonzero().get().to_le_bytes());
    out.extend(identity.start.to_le_bytes());
}

fn decode_identity(bytes: &[u8]) -> Option<Identity> {
    let (pid, start) = bytes.split_first_chunk()?;
    let pid = Pid::from_raw(i32::from_le_bytes(*pid)).filter(|pid| pid.as_raw_nonzero().get() > 0)?;
    Some(Identity { pid, start: u64::from_le_bytes(start.try_into().ok()?) })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::{
        Duration, Identity, Pid, ProcessBelow, ShellLook, SignalSet, decode_identities, encode_identities,
    };

    prop_compose! {
        fn processes()(
            pid in 1_i32..,
            start: u64,
            parent: i32,
            is_exiting: bool,
            signals: [u64; 2],
        ) -> ProcessBelow {
            let pid = Pid::from_raw(pid).expect("it is positive");
            let [ignored, inherited] = signals.map(SignalSet);
            ProcessBelow { identity: Identity { pid, start }, parent, is_exiting, ignored, inherited }
        }
    }

    proptest! {
        #[test]
        fn a_look_is_read_as_it_was_written(
            flags: [bool; 4],
            numbers: [u64; 2],
            times: [u32; 2],
            directory in proptest::option::of("[a-z/\n]{0,20}"),
            processes in vec(processes(), 0..5),
        ) {
            let [is_stopped, is_idle, waits_for_open, names_directory] = flags;
            let [user, system] = times.map(|time| Duration::from_micros(time.into()));
            let look = ShellLook {
                is_stopped, is_idle, waits_for_open, names_directory, directory, user, system, processes,
                room: numbers[0],
                ignored: SignalSet(numbers[1]),
            };
            prop_assert_eq!(ShellLook::decode(&look.encode()), Ok(look));
        }

        #[test]
        fn any_bytes_are_a_look_or_malformed(bytes in vec(any::<u8>(), 0..200)) {
            let _ = ShellLook::decode(&bytes);
        }

        #[test]
        fn identities_are_read_as_they_were_written(processes in vec(processes(), 0..5)) {
            let identities: Vec<Identity> = processes.iter().map(|process| process.identity).collect();
            let read: Vec<Identity> = decode_identities(&encode_identities(&identities)).collect();
            prop_assert_eq!(read, identities);
        }
    }
}
