//! Checks for ports by the process table and the descriptors of the processes.

use std::collections::HashMap;

use tokio::time::Instant;

use super::{ListeningPort, PortScan, PortWatch, Settled};
use crate::engine::scan::Scanner;
use crate::process::identity::Pid;
use crate::process::sockets::{Listener, listening, listening_elsewhere, sockets_of};

/// The most processes inspected on the I/O thread; the scan thread inspects more.
const MAX_INLINE: usize = 8;

/// Checks on which ports these processes listen. Returns the ports if they have changed.
pub async fn check(
    watch: &mut PortWatch,
    scanner: &Scanner,
    processes: Vec<Pid>,
) -> Option<Vec<ListeningPort>> {
    let (settled, asks_namespaces) = (watch.settled(), watch.asks_namespaces());
    let is_few = processes.len() <= MAX_INLINE;
    let find = move || find_ports(&processes, &settled, asks_namespaces);
    let found = if is_few { Some(find()) } else { scanner.run_blocking(find).await };
    watch.record(found.unwrap_or_default(), Instant::now())
}

/// Searches for the listening sockets of these processes. Runs on any thread.
fn find_ports(
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

    use rustix::process::getpid;
    use tokio::time::Instant;

    use super::find_ports;
    use crate::job::ports::{PortWatch, Settled};

    #[test]
    fn the_port_of_a_process_is_found_and_reported_once() {
        let server = TcpListener::bind("127.0.0.1:0").expect("a socket");
        let port = server.local_addr().expect("an address").port();
        let (mut watch, now) = (PortWatch::default(), Instant::now());
        watch.follow(true, now);
        let check = |watch: &PortWatch| find_ports(&[getpid()], &watch.settled(), watch.asks_namespaces());
        let found = check(&watch);
        let ports = watch.record(found, now).expect("new ports");
        assert!(ports.iter().any(|found| found.port == port && found.pid == getpid().as_raw_nonzero().get()));
        let again = check(&watch);
        assert!(again.owned.values().any(|found| found.port == port), "it still listens");
        drop(server);
        let gone = check(&watch);
        assert!(gone.owned.values().all(|found| found.port != port));
    }

    #[test]
    fn a_foreign_socket_is_searched_for_a_few_times() {
        let server = TcpListener::bind("127.0.0.1:0").expect("a socket");
        let (mut watch, now) = (PortWatch::default(), Instant::now());
        watch.follow(true, now);
        for _ in 0..3 {
            let found = find_ports(&[], &watch.settled(), false);
            assert!(!found.foreign.is_empty());
            watch.record(found, now);
        }
        // Other tests may open sockets in between.
        let inode = find_ports(&[getpid()], &Settled::default(), false);
        let port = server.local_addr().expect("an address").port();
        let (own, _) = inode.owned.iter().find(|(_, found)| found.port == port).expect("ours");
        assert!(!find_ports(&[], &watch.settled(), false).foreign.contains(own));
    }
}
