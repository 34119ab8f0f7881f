//! Recognizes system calls that wait for input by their numbers and arguments.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::time::Duration;

use rustix::process::Pid;

use super::{Call, Wait};
use crate::process::table::path_of;

/// The most descriptors of one call that are read. The rest of a larger set is skipped: a program that waits
/// for a terminal has few.
const MAX_DESCRIPTORS: usize = 1024;

/// A system call that a thread sleeps in: its number and its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SystemCall {
    pub(super) number: i64,
    pub(super) arguments: [u64; 6],
}

impl SystemCall {
    /// Parses `/proc/PID/task/TID/syscall`: `NUMBER 0xARGUMENT… 0xSP 0xPC`. Returns `None` for a thread that
    /// runs, or that sleeps outside of a system call.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let number = words.next()?.parse().ok().filter(|&number| number >= 0)?;
        let mut arguments = [0; 6];
        for argument in &mut arguments {
            *argument = u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
        }
        Some(Self { number, arguments })
    }

    /// Returns the descriptor that the call reads, if the call is a plain read.
    pub(super) fn descriptor_of_read(&self) -> Option<i32> {
        (self.number == libc::SYS_read).then(|| descriptor(self.arguments[0]))
    }

    /// Returns the address of the path that the call opens, if the call opens a file.
    pub(super) fn opened_path(&self) -> Option<u64> {
        match self.number {
            #[cfg(target_arch = "x86_64")]
            libc::SYS_open => Some(self.arguments[0]),
            libc::SYS_openat => Some(self.arguments[1]),
            _ => None,
        }
    }

    /// Returns the wait that the call makes, if the call can wait for input.
    pub(super) fn wait(&self, process: Pid) -> Option<Wait> {
        let [first, second, third, fourth, fifth, _] = self.arguments;
        let (call, descriptors, timeout) = match kind(self.number)? {
            BlockingCall::Read => (Call::Read, vec![descriptor(first)], None),
            BlockingCall::Sendfile => (Call::Read, vec![descriptor(second)], None),
            BlockingCall::Poll => (Call::Poll, polled(process, first, second), milliseconds(third)),
            BlockingCall::Ppoll => {
                (Call::Poll, polled(process, first, second), time_at(process, third, NANOSECONDS))
            }
            BlockingCall::Select => {
                (Call::Poll, selected(process, first, second), time_at(process, fifth, MICROSECONDS))
            }
            BlockingCall::Pselect => {
                (Call::Poll, selected(process, first, second), time_at(process, fifth, NANOSECONDS))
            }
            BlockingCall::Epoll => (Call::Epoll, in_epoll(process, descriptor(first)), milliseconds(fourth)),
            BlockingCall::Epoll2 => {
                (Call::Epoll, in_epoll(process, descriptor(first)), time_at(process, fourth, NANOSECONDS))
            }
        };
        (!descriptors.is_empty()).then_some(Wait { call, descriptors, timeout })
    }
}

#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "other processors have only the newer calls")
)]
enum BlockingCall {
    /// A read of the descriptor in the first argument.
    Read,
    /// A read of the descriptor in the second argument.
    Sendfile,
    Poll,
    Ppoll,
    Select,
    Pselect,
    Epoll,
    Epoll2,
}

fn kind(number: i64) -> Option<BlockingCall> {
    // aarch64 has only the newer calls (`ppoll`, `pselect6`).
    #[cfg(target_arch = "x86_64")]
    match number {
        libc::SYS_poll => return Some(BlockingCall::Poll),
        libc::SYS_select => return Some(BlockingCall::Select),
        libc::SYS_epoll_wait => return Some(BlockingCall::Epoll),
        _ => {}
    }
    match number {
        libc::SYS_read | libc::SYS_readv | libc::SYS_preadv2 | libc::SYS_splice | libc::SYS_tee => {
            // Rust's `io::copy`, `pv` and other programs copy from pipes within the kernel.
            Some(BlockingCall::Read)
        }
        libc::SYS_sendfile => Some(BlockingCall::Sendfile),
        libc::SYS_ppoll => Some(BlockingCall::Ppoll),
        libc::SYS_pselect6 => Some(BlockingCall::Pselect),
        libc::SYS_epoll_pwait => Some(BlockingCall::Epoll),
        libc::SYS_epoll_pwait2 => Some(BlockingCall::Epoll2),
        _ => None,
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "the kernel takes an int")]
const fn descriptor(argument: u64) -> i32 {
    argument as u32 as i32
}

#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "the kernel takes an int")]
fn milliseconds(argument: u64) -> Option<Duration> {
    // A negative number means no limit.
    u64::try_from(argument as u32 as i32).ok().map(Duration::from_millis)
}

const NANOSECONDS: u32 = 1;
const MICROSECONDS: u32 = 1_000;

/// Reads a time of two 64-bit numbers: seconds, and a fraction in this unit (ns).
fn time_at(process: Pid, address: u64, unit: u32) -> Option<Duration> {
    if address == 0 {
        return None;
    }
    let bytes = memory(process, address, 16)?;
    let number = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
    let fraction = u32::try_from(number(8)).ok()?.checked_mul(unit)?;
    (fraction < 1_000_000_000).then(|| Duration::new(number(0), fraction))
}

/// Returns the descriptors in the array of `poll` that the call asks to read.
fn polled(process: Pid, address: u64, count: u64) -> Vec<i32> {
    const ENTRY: usize = 8;
    let count = usize::try_from(count).unwrap_or(MAX_DESCRIPTORS).min(MAX_DESCRIPTORS);
    let bytes = memory(process, address, count * ENTRY).unwrap_or_default();
    let entries = bytes.chunks_exact(ENTRY).filter_map(|entry| {
        let descriptor = i32::from_ne_bytes(entry[..4].try_into().ok()?);
        let events = i16::from_ne_bytes(entry[4..6].try_into().ok()?);
        (descriptor >= 0 && events & (libc::POLLIN | libc::POLLRDNORM) != 0).then_some(descriptor)
    });
    entries.collect()
}

/// Returns the descriptors in the set of `select` for reading.
fn selected(process: Pid, count: u64, address: u64) -> Vec<i32> {
    let count = usize::try_from(count).unwrap_or(MAX_DESCRIPTORS).min(MAX_DESCRIPTORS);
    if address == 0 {
        return Vec::new();
    }
    // The kernel reads the set in whole words of 64 bits.
    let bytes = memory(process, address, count.div_ceil(64) * 8).unwrap_or_default();
    let is_set =
        |descriptor: &usize| bytes.get(descriptor / 8).is_some_and(|byte| byte >> (descriptor % 8) & 1 == 1);
    (0..count).filter(is_set).filter_map(|descriptor| i32::try_from(descriptor).ok()).collect()
}

/// Returns the members of an epoll descriptor that the program asks to read.
fn in_epoll(process: Pid, descriptor: i32) -> Vec<i32> {
    let path = path_of(process, &format!("fdinfo/{descriptor}"));
    let Ok(info) = std::fs::read_to_string(path) else { return Vec::new() };
    parse_epoll(&info)
}

/// Parses the descriptors in lines of `tfd: DESCRIPTOR events: HEX data: …`.
fn parse_epoll(info: &str) -> Vec<i32> {
    let members = info.lines().filter_map(|line| {
        let mut words = line.strip_prefix("tfd:")?.split_ascii_whitespace();
        let descriptor = words.next()?.parse().ok()?;
        let events = i32::from_str_radix(words.nth(1)?, 16).unwrap_or_default();
        (events & libc::EPOLLIN != 0).then_some(descriptor)
    });
    members.take(MAX_DESCRIPTORS).collect()
}

/// Copies memory of another process; `None` if any of it can't be read.
fn memory(process: Pid, address: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    let local = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: length };
    let remote =
        libc::iovec { iov_base: usize::try_from(address).ok()? as *mut libc::c_void, iov_len: length };
    // SAFETY: the call writes to a live buffer of that length. No code uses the remote address in this
    // process.
    let read = unsafe {
        libc::process_vm_readv(process.as_raw_nonzero().get(), &raw const local, 1, &raw const remote, 1, 0)
    };
    (usize::try_from(read) == Ok(length)).then_some(bytes)
}

/// Reads a path from the memory of a process.
pub(super) fn path_at(process: Pid, address: u64) -> Option<PathBuf> {
    const PAGE: u64 = 4096;
    // A path is at most as long as a page, and the page after it may not be mapped.
    let rest = PAGE - address % PAGE;
    let mut bytes = memory(process, address, usize::try_from(rest).ok()?)?;
    if !bytes.contains(&0) {
        bytes.extend(memory(process, address.checked_add(rest)?, usize::try_from(PAGE).ok()?)?);
    }
    let length = bytes.iter().position(|&byte| byte == 0)?;
    bytes.truncate(length);
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{SystemCall, milliseconds, parse_epoll, polled, selected, time_at};

    #[test]
    fn a_read_is_distinguished_from_other_calls() {
        let line = |number| format!("{number} 0x3 0x7ffd 0x1 0x0 0x0 0x0 0x7ffc 0x7f01\n");
        let descriptor = |line: &str| SystemCall::parse(line).and_then(|call| call.descriptor_of_read());
        assert_eq!(descriptor(&line(libc::SYS_read)), Some(3));
        assert_eq!(descriptor(&line(libc::SYS_write)), None);
        assert_eq!(descriptor("running\n"), None);
        assert_eq!(descriptor(""), None);
        let path = |number| SystemCall::parse(&line(number)).and_then(|call| call.opened_path());
        assert_eq!((path(libc::SYS_openat), path(libc::SYS_read)), (Some(0x7ffd), None));
    }

    #[test]
    fn a_call_has_a_number_and_six_arguments() {
        let call = SystemCall::parse("0 0x3 0x7ffe 0x400 0x0 0x0 0x1 0x7ffd 0x7f21\n").expect("a call");
        assert_eq!((call.number, call.arguments), (0, [3, 0x7ffe, 0x400, 0, 0, 1]));
        assert_eq!(SystemCall::parse("running\n"), None);
        assert_eq!(SystemCall::parse("-1 0x7ffd 0x7f21\n"), None);
    }

    #[test]
    fn an_epoll_descriptor_lists_its_members() {
        let info = "pos:\t0\nflags:\t02\ntfd:       17 events:       19 data: 11 pos:0 ino:3 sdev:d\n\
                    tfd:        9 events: 40000000 data: 9 pos:0 ino:4 sdev:d\n";
        assert_eq!(parse_epoll(info), [17]);
    }

    #[test]
    fn a_negative_time_is_none() {
        assert_eq!(milliseconds(u64::from(u32::MAX)), None);
        assert_eq!(milliseconds(u64::MAX), None);
        assert_eq!(milliseconds(1_500), Some(Duration::from_millis(1_500)));
    }

    #[test]
    fn sets_and_times_are_read_from_memory() {
        // The test reads its own process in place of another one.
        let own = rustix::process::getpid();
        let entries = [
            libc::pollfd { fd: 7, events: libc::POLLIN, revents: 0 },
            libc::pollfd { fd: 8, events: libc::POLLOUT, revents: 0 },
        ];
        assert_eq!(polled(own, entries.as_ptr() as u64, 2), [7]);
        let set: [u64; 2] = [1 << 3, 1 << 6];
        assert_eq!(selected(own, 128, set.as_ptr() as u64), [3, 70]);
        assert_eq!(selected(own, 4, set.as_ptr() as u64), [3]);
        let time: [u64; 2] = [2, 500_000];
        assert_eq!(time_at(own, time.as_ptr() as u64, 1_000), Some(Duration::from_millis(2_500)));
        assert_eq!(time_at(own, 0, 1_000), None);
        assert!(polled(own, 8, 2).is_empty(), "no memory is there");
    }
}
