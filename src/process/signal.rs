//! Signals by name and number.

use rustix::process::Signal;
use signal_hook::low_level::signal_name;

/// Signals that signal-hook has no name for, as Node.js names them.
#[cfg(target_os = "linux")]
const OTHERS: [(i32, &str); 3] =
    [(libc::SIGSTKFLT, "SIGSTKFLT"), (libc::SIGPWR, "SIGPWR"), (libc::SIGIO, "SIGIO")];
#[cfg(not(target_os = "linux"))]
const OTHERS: [(i32, &str); 2] = [(libc::SIGIO, "SIGIO"), (libc::SIGEMT, "SIGEMT")];

/// The numbers that the kernel knows, without the real-time signals.
const STANDARD: std::ops::Range<i32> = 1..32;

/// The signals by which people and systems end programs.
pub(super) const TERMINATION: [libc::c_int; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];

/// Ignores SIGHUP, SIGINT, SIGQUIT and SIGTERM in the whole process: for the helper program, which must outlive its host.
pub fn ignore_termination() {
    for signal in TERMINATION {
        // SAFETY: `SIG_IGN` is a valid disposition, and no code of this process runs by it.
        unsafe {
            libc::signal(signal, libc::SIG_IGN);
        }
    }
}

/// The name of a signal, such as `SIGTERM`; `SIG<number>` for one without.
#[must_use]
pub fn name(number: i32) -> String {
    known_name(number).map_or_else(|| format!("SIG{number}"), str::to_owned)
}

/// The signal of a name (`SIGTERM`, `sigterm`), or `None`.
#[must_use]
pub fn by_name(name: &str) -> Option<Signal> {
    let wanted = name.to_ascii_uppercase();
    STANDARD.filter(|&number| known_name(number) == Some(&wanted)).find_map(Signal::from_named_raw)
}

/// The signal of a number, or `None` when the kernel has none of that number.
#[must_use]
pub fn by_number(number: i32) -> Option<Signal> {
    Signal::from_named_raw(number)
}

/// The host's signal handlers run on the host's own threads, and none of them interrupts the calling one.
pub fn leave_signals_to_others() {
    block_all_but(&[]);
}

/// As [`leave_signals_to_others`], for a thread that starts children. It takes the signal that tells of their end: where
/// the host has no handler for it, the kernel drops it then, and would otherwise wake the host's main thread each time.
pub fn leave_all_but_sigchld_to_others() {
    block_all_but(&[libc::SIGCHLD]);
}

fn block_all_but(taken: &[libc::c_int]) {
    // SAFETY: an all-zero set is a valid one to fill; the mask of the calling thread is all that is changed.
    unsafe {
        let mut blocked: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut blocked);
        for &signal in taken {
            libc::sigdelset(&raw mut blocked, signal);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const blocked, std::ptr::null_mut());
    }
}

fn known_name(number: i32) -> Option<&'static str> {
    signal_name(number).or_else(|| OTHERS.iter().find(|(other, _)| *other == number).map(|(_, name)| *name))
}

#[cfg(test)]
mod tests {
    use rustix::process::Signal;

    use super::{by_name, by_number, name};

    #[test]
    fn names_and_numbers_agree() {
        for number in 1..32 {
            let signal = by_number(number).expect("a standard signal");
            assert_eq!(by_name(&name(number)), Some(signal), "signal {number}");
        }
    }

    #[test]
    fn a_name_may_be_in_lower_case() {
        assert_eq!(by_name("sigkill"), Some(Signal::KILL));
    }

    #[test]
    fn an_unknown_name_is_none() {
        assert_eq!(by_name("SIGNOPE"), None);
        assert_eq!(by_name("TERM"), None);
    }

    #[test]
    fn a_real_time_signal_is_named_by_its_number() {
        assert_eq!(name(35), "SIG35");
    }
}
