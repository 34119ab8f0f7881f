//! Lookups of names, each in a fork: the functions of the C library block, and the supervisor has one thread.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::{Errno, read, write};
use rustix::process::{Pid, Signal, set_parent_process_death_signal};

use super::LOOKUP;
use crate::process::pipe::pipe;
use crate::process::spawn::fork::{exit, fork, keep_only, replace_standard_streams};
use crate::wire;

/// The most addresses of an answer, which fits into a pipe.
const MAX_ADDRESSES: usize = 16;

/// The size of the longest answer (bytes).
const MAX_ANSWER: usize = 512;

#[derive(Debug, Default)]
pub(super) struct Lookups {
    running: BTreeMap<u64, NameLookup>,
    last: u64,
}

/// A lookup, and the connections that wait for it, each with its port.
#[derive(Debug)]
struct NameLookup {
    name: String,
    fork: Pid,
    answer: OwnedFd,
    waiting: Vec<(u32, u16)>,
}

impl Lookups {
    /// Returns the pids of the forks that look names up.
    pub(super) fn forks(&self) -> impl Iterator<Item = Pid> {
        self.running.values().map(|lookup| lookup.fork)
    }

    /// Looks a name up for a connection. The answer makes a descriptor of the epoll instance ready.
    pub(super) fn look_up(&mut self, id: u32, name: &str, port: u16, epoll: &OwnedFd) -> Result<(), Errno> {
        if let Some(same) = self.running.values_mut().find(|lookup| lookup.name == name) {
            same.waiting.push((id, port));
            return Ok(());
        }
        let errno = |error: std::io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
        let (answer, writer) = pipe().map_err(errno)?;
        let Some(fork) = fork().map_err(errno)? else { answer_and_exit(name, &writer) };
        let lookup = NameLookup { name: name.to_owned(), fork, answer, waiting: vec![(id, port)] };
        self.last += 1;
        let data = EventData::new_u64(LOOKUP | self.last);
        epoll::add(epoll, &lookup.answer, data, EventFlags::IN)?;
        self.running.insert(self.last, lookup);
        Ok(())
    }

    /// Returns the connections that wait for a lookup, each with its addresses: none for an unknown name.
    pub(super) fn finish(&mut self, number: u64) -> Vec<(u32, Vec<SocketAddr>)> {
        let Some(NameLookup { answer, waiting, .. }) = self.running.remove(&number) else {
            return Vec::new();
        };
        let mut bytes = vec![0; MAX_ANSWER];
        let count = read(&answer, &mut bytes).unwrap_or(0);
        let addresses: Vec<IpAddr> = wire::decode(&bytes[..count]).unwrap_or_default();
        let with = |port| addresses.iter().map(|&address| SocketAddr::new(address, port)).collect();
        waiting.into_iter().map(|(id, port)| (id, with(port))).collect()
    }
}

/// Looks a name up, in the fork, and writes the addresses in one piece.
fn answer_and_exit(name: &str, writer: &OwnedFd) -> ! {
    // An open copy of the supervisor's streams would keep them from ending.
    let _ = replace_standard_streams(writer.as_raw_fd());
    keep_only(&mut [writer.as_raw_fd()]);
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let found = (name, 0).to_socket_addrs().map(Iterator::collect::<Vec<_>>).unwrap_or_default();
    let mut addresses: Vec<IpAddr> = found.iter().map(SocketAddr::ip).collect();
    addresses.dedup();
    addresses.truncate(MAX_ADDRESSES);
    let _ = write(writer, &wire::encode(&addresses));
    exit(0)
}
