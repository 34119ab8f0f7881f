//! The ports on which the processes of a command listen, as the command's reaper finds them.

use std::collections::HashMap;

use rustix::process::Pid;

use crate::helper::supervisor::protocol::ports::{MAX_LISTED_PORTS, RemotePort};
use crate::process::sockets::{Listener, listening, listening_elsewhere, sockets_of};

/// Returns the ports on which these processes listen. `asks_namespaces` searches other network namespaces
/// too, which takes longer.
pub(in crate::helper::supervisor) fn ports_of(processes: &[Pid], asks_namespaces: bool) -> Vec<RemotePort> {
    let mut unknown: HashMap<u64, Listener> = HashMap::new();
    let here = listening(processes).unwrap_or_default();
    let elsewhere = processes.iter().filter(|_| asks_namespaces).flat_map(|&pid| listening_elsewhere(pid));
    unknown.extend(here.into_iter().chain(elsewhere).map(|listener| (listener.inode, listener)));
    let mut found = Vec::new();
    for &pid in processes {
        if unknown.is_empty() || found.len() >= MAX_LISTED_PORTS {
            break;
        }
        for inode in sockets_of(pid) {
            if let Some(Listener { port, address, .. }) = unknown.remove(&inode) {
                let pid = pid.as_raw_nonzero().get().unsigned_abs();
                found.push(RemotePort { inode, port, address, pid });
            }
        }
    }
    found.truncate(MAX_LISTED_PORTS);
    found
}
