//! Checks for ports by the process table and the descriptors of the processes.

use tokio::time::Instant;

use super::find::find_ports;
use super::{ListeningPort, PortWatch};
use crate::engine::scan::Scanner;
use crate::process::identity::Pid;

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
    let began = Instant::now();
    let find = move || find_ports(&processes, &settled, asks_namespaces);
    if is_few {
        return watch.record(find(), began, Instant::now());
    }
    let (found, now) = (scanner.run_blocking(find).await, Instant::now());
    watch.record(found.unwrap_or_default(), now, now)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use rustix::process::getpid;
    use tokio::time::Instant;

    use super::find_ports;
    use crate::job::ports::{PortWatch, Settled};

    #[test]
    fn a_foreign_socket_is_searched_for_a_few_times() {
        let server = TcpListener::bind("127.0.0.1:0").expect("a socket");
        let (mut watch, now) = (PortWatch::default(), Instant::now());
        watch.follow(true, now);
        for _ in 0..3 {
            let found = find_ports(&[], &watch.settled(), false);
            assert!(!found.foreign.is_empty());
            watch.record(found, now, now);
        }
        // Other tests may open sockets in between.
        let inode = find_ports(&[getpid()], &Settled::default(), false);
        let port = server.local_addr().expect("an address").port();
        let (own, _) = inode.owned.iter().find(|(_, found)| found.port == port).expect("ours");
        assert!(!find_ports(&[], &watch.settled(), false).foreign.contains(own));
    }
}
