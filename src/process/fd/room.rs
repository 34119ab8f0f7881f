//! The room for more descriptors in another process.

use std::fs;

use rustix::process::Pid;

/// A limit from which on the list of descriptors is not read if few are open.
const UNCOUNTED_LIMIT: u64 = 1024;

/// Returns how many descriptors numbered `first` or higher a process can still open.
///
/// Returns a high limit as it is if few descriptors are open, which saves reading the list. `None` if the
/// process has exited.
#[must_use]
pub fn room_for_descriptors(pid: Pid, first: u64) -> Option<u64> {
    let limit = limit_of(pid)?;
    if limit >= UNCOUNTED_LIMIT && count_of(pid)? < UNCOUNTED_LIMIT / 2 {
        return Some(limit);
    }
    let open = fs::read_dir(list_of(pid)).ok()?;
    let numbers = open.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u64>().ok());
    let taken = numbers.filter(|number| (first..limit).contains(number)).count() as u64;
    Some(limit.saturating_sub(first).saturating_sub(taken))
}

/// Returns the directory with an entry for each open descriptor.
fn list_of(pid: Pid) -> String {
    format!("/proc/{}/fd", pid.as_raw_nonzero())
}

/// Returns the number of open descriptors. Kernels before 6.2 report 0.
fn count_of(pid: Pid) -> Option<u64> {
    fs::metadata(list_of(pid)).ok().map(|directory| directory.len())
}

/// Returns the soft limit for descriptors of a process.
fn limit_of(pid: Pid) -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call writes one `rlimit`, and reads none because the new limit is null.
    let result = unsafe {
        libc::prlimit(pid.as_raw_nonzero().get(), libc::RLIMIT_NOFILE, std::ptr::null(), &raw mut limit)
    };
    (result == 0).then_some(limit.rlim_cur)
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::process::{Command, Stdio};

    use rustix::process::Pid;

    use super::room_for_descriptors;

    #[test]
    fn descriptors_below_the_limit_count_and_those_beyond_do_not() {
        let script = "exec 10>&-; exec 12>&-; exec 13>&-; exec 11>/dev/null; exec 20>/dev/null; \
                      ulimit -n 14; echo ready; read x";
        let mut child = Command::new("bash")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("bash starts");
        let stdout = child.stdout.as_mut().expect("a pipe");
        stdout.read_exact(&mut [0; 6]).expect("it is ready");
        assert_eq!(room_for_descriptors(Pid::from_child(&child), 10), Some(3));
        drop(child.stdin.take());
        child.wait().expect("it ends");
    }
}
