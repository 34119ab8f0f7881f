//! Finds the ports of processes, on any thread.

use std::collections::HashMap;

use super::{ListeningPort, PortScan, Settled};
use crate::process::identity::Pid;
use crate::process::sockets::{Listener, listening, listening_elsewhere, sockets_of};

/// Searches for the listening sockets of these processes.
#[must_use]
pub fn find_ports(
    processes: &[Pid],
    Settled { owned: known, foreign }: &Settled,
    asks_namespaces: bool,
) -> PortScan {
    let mut found = PortScan::default();
    let mut unknown: HashMap<u64, Listener> = HashMap::new();
    for listener in listening(processes).unwrap_or_default() {
        match known.get(&listener.inode) {
            Some(port) => drop(found.owned.insert(listener.inode, port.clone())),
            None if foreign.contains(&listener.inode) => {}
            None => drop(unknown.insert(listener.inode, listener)),
        }
    }
    if asks_namespaces {
        let elsewhere = processes.iter().flat_map(|&pid| listening_elsewhere(pid));
        unknown.extend(elsewhere.map(|listener| (listener.inode, listener)));
    }
    for &pid in processes {
        if unknown.is_empty() {
            break;
        }
        for inode in sockets_of(pid) {
            if let Some(Listener { port, address, .. }) = unknown.remove(&inode) {
                let pid = pid.as_raw_nonzero().get();
                found.owned.insert(inode, ListeningPort { port, address, pid });
            }
        }
    }
    found.foreign = unknown.into_keys().collect();
    found
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use tokio::time::Instant;

    use super::find_ports;
    use crate::job::ports::PortWatch;
    use crate::process::identity::Pid;

    #[test]
    fn the_port_of_a_process_is_found_and_reported_once() {
        let own = Pid::from_raw(std::process::id().cast_signed()).expect("a pid");
        let server = TcpListener::bind("127.0.0.1:0").expect("a socket");
        let port = server.local_addr().expect("an address").port();
        let (mut watch, now) = (PortWatch::default(), Instant::now());
        watch.follow(true, now);
        let check = |watch: &PortWatch| find_ports(&[own], &watch.settled(), watch.asks_namespaces());
        let found = check(&watch);
        let ports = watch.record(found, now, now).expect("new ports");
        assert!(ports.iter().any(|found| found.port == port && found.pid == own.as_raw_nonzero().get()));
        let again = check(&watch);
        assert!(again.owned.values().any(|found| found.port == port), "it still listens");
        drop(server);
        let gone = check(&watch);
        assert!(gone.owned.values().all(|found| found.port != port));
    }
}
