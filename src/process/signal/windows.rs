//! Signals by name and number, for a system that has none.

/// A signal, by its number on Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Signal(i32);

/// The signals that Node.js knows on Windows, and those of Unix by which callers end commands.
const NAMES: [(i32, &str); 12] = [
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (6, "SIGABRT"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (10, "SIGUSR1"),
    (11, "SIGSEGV"),
    (12, "SIGUSR2"),
    (13, "SIGPIPE"),
    (15, "SIGTERM"),
];

impl Signal {
    pub const HUP: Self = Self(1);
    pub const INT: Self = Self(2);
    pub const QUIT: Self = Self(3);
    pub const KILL: Self = Self(9);
    pub const TERM: Self = Self(15);

    /// Returns the number.
    #[must_use]
    pub const fn as_raw(self) -> i32 {
        self.0
    }
}

/// Returns the name of a signal, such as `SIGTERM`, or `SIG<number>` for a signal without a name.
#[must_use]
pub fn name(number: i32) -> String {
    let known = NAMES.iter().find(|(known, _)| *known == number);
    known.map_or_else(|| format!("SIG{number}"), |(_, name)| (*name).to_owned())
}

/// Returns the signal with a name in upper or lower case: the inverse of [`name`].
#[must_use]
pub fn by_name(wanted: &str) -> Option<Signal> {
    number(wanted).and_then(by_number)
}

/// Returns the number of a signal with this name.
#[must_use]
pub fn number(wanted: &str) -> Option<i32> {
    NAMES.iter().find(|(_, name)| name.eq_ignore_ascii_case(wanted)).map(|&(number, _)| number)
}

/// Returns the signal with a number, or `None` if it has no name.
#[must_use]
pub fn by_number(number: i32) -> Option<Signal> {
    NAMES.iter().any(|(known, _)| *known == number).then_some(Signal(number))
}

/// Does nothing: there are no signals to block.
pub const fn block_all_signals() {}

/// Does nothing: there are no signals to block.
pub const fn block_all_signals_but_sigchld() {}

#[cfg(test)]
mod tests {
    use super::{NAMES, Signal, by_name, by_number, name};

    #[test]
    fn names_and_numbers_agree() {
        for (number, _) in NAMES {
            let signal = by_number(number).expect("it has a name");
            assert_eq!((signal.as_raw(), by_name(&name(number))), (number, Some(signal)));
        }
    }

    #[test]
    fn a_name_may_be_in_lower_case() {
        assert_eq!(by_name("sigkill"), Some(Signal::KILL));
    }

    #[test]
    fn a_number_without_a_name_is_no_signal() {
        assert_eq!((by_number(0), by_number(64), by_name("SIG40")), (None, None, None));
        assert_eq!(name(40), "SIG40");
    }
}
