//! Signals by name and number.

pub use rustix::process::Signal;
use signal_hook::low_level::signal_name;

/// The signals without a name in signal-hook, by Node.js's names.
#[cfg(target_os = "linux")]
const UNNAMED: [(i32, &str); 3] =
    [(libc::SIGSTKFLT, "SIGSTKFLT"), (libc::SIGPWR, "SIGPWR"), (libc::SIGIO, "SIGIO")];
#[cfg(not(target_os = "linux"))]
const UNNAMED: [(i32, &str); 2] = [(libc::SIGIO, "SIGIO"), (libc::SIGEMT, "SIGEMT")];

/// A signal that programs rarely use: a real-time one.
#[cfg(target_os = "linux")]
pub const RARELY_USED: i32 = 42;
/// A signal that programs rarely use: this system has no real-time signals.
#[cfg(not(target_os = "linux"))]
pub const RARELY_USED: i32 = libc::SIGINFO;

/// The signals by which users and init systems terminate programs.
pub(in crate::process) const TERMINATION: [libc::c_int; 4] =
    [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];

/// Ignores SIGHUP, SIGINT, SIGQUIT and SIGTERM in the whole process: the helper program must outlive its
/// host.
pub fn ignore_termination() {
    for signal in TERMINATION {
        // SAFETY: `SIG_IGN` is a valid disposition, and no handler of this process depends on these signals.
        unsafe {
            libc::signal(signal, libc::SIG_IGN);
        }
    }
}

/// Returns the name of a signal, such as `SIGTERM`, or `SIG<number>` for a signal without a name.
#[must_use]
pub fn name(number: i32) -> String {
    known_name(number).map_or_else(|| format!("SIG{number}"), str::to_owned)
}

/// Returns the signal with a name in upper or lower case (`SIGTERM`, `sigterm`, `SIG40`): the inverse of
/// [`name`].
#[must_use]
pub fn by_name(wanted: &str) -> Option<Signal> {
    number(wanted).and_then(by_number)
}

/// Returns the number of a signal with this name, also of one that the C library reserves.
#[must_use]
pub fn number(wanted: &str) -> Option<i32> {
    (1..=MAX_SIGNAL).find(|&number| name(number).eq_ignore_ascii_case(wanted))
}

/// Returns the signal with a number, or `None` if the kernel has none or the C library reserves it.
#[must_use]
pub fn by_number(number: i32) -> Option<Signal> {
    Signal::from_named_raw(number).or_else(|| real_time(number))
}

/// The largest signal number.
#[cfg(target_os = "linux")]
const MAX_SIGNAL: i32 = 64;
#[cfg(not(target_os = "linux"))]
const MAX_SIGNAL: i32 = 31;

#[cfg(target_os = "linux")]
fn real_time(number: i32) -> Option<Signal> {
    let is_free = (libc::SIGRTMIN()..=libc::SIGRTMAX()).contains(&number);
    // SAFETY: the number is a valid signal that the C library does not use between its own threads.
    is_free.then(|| unsafe { Signal::from_raw_unchecked(number) })
}

/// Returns `None`: this system has no real-time signals.
#[cfg(not(target_os = "linux"))]
const fn real_time(_number: i32) -> Option<Signal> {
    None
}

/// Blocks all signals in the calling thread, so that the host's handlers run on the host's own threads.
pub fn block_all_signals() {
    block_all_but(&[]);
}

/// Blocks all signals but SIGCHLD in the calling thread, which starts children.
///
/// The kernel sends SIGCHLD to the thread that started the child. A host without a handler ignores it: the
/// kernel drops the signal at once if this thread accepts it, and otherwise wakes the host's main thread each
/// time.
pub fn block_all_signals_but_sigchld() {
    block_all_but(&[libc::SIGCHLD]);
}

fn block_all_but(taken: &[libc::c_int]) {
    // SAFETY: an all-zero set is valid to fill; the call changes only the mask of the calling thread.
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
    signal_name(number).or_else(|| UNNAMED.iter().find(|(other, _)| *other == number).map(|(_, name)| *name))
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

    #[test]
    #[cfg(target_os = "linux")]
    fn real_time_signals_have_names_and_numbers_that_agree() {
        for number in libc::SIGRTMIN()..=libc::SIGRTMAX() {
            let signal = by_number(number).expect("a real-time signal");
            assert_eq!((signal.as_raw(), by_name(&name(number))), (number, Some(signal)));
        }
        assert_eq!(by_name("sig40"), by_number(40));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_signal_that_the_c_library_keeps_for_itself_is_none() {
        for number in [32, libc::SIGRTMIN() - 1] {
            assert_eq!((by_number(number), by_name(&name(number))), (None, None), "{number}");
        }
    }

    #[test]
    fn a_number_beyond_all_signals_is_none() {
        for number in [-1, 0, 65, 128, i32::MAX] {
            assert_eq!((by_number(number), by_name(&name(number))), (None, None), "{number}");
        }
    }

    #[test]
    fn a_signal_with_a_name_has_no_other() {
        assert_eq!(by_name("SIG15"), None);
    }
}
