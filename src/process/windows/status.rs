//! Exit codes of processes that the engine has ended.

/// The exit code, without its signal, of a process that the engine has ended: an `NTSTATUS` error with the
/// customer bit, which Windows itself never sets.
const ENDED: u32 = 0xE0AB_0000;

/// Returns the exit code for the processes that end by a signal.
#[must_use]
pub const fn ended_by(signal: i32) -> u32 {
    ENDED | (signal.cast_unsigned() & 0xff)
}

/// Returns the signal of an exit code of [`ended_by`].
#[must_use]
pub const fn signal_of(code: u32) -> Option<i32> {
    if code & 0xffff_ff00 == ENDED { Some((code & 0xff).cast_signed()) } else { None }
}

#[cfg(test)]
mod tests {
    use super::{ended_by, signal_of};

    #[test]
    fn the_signal_of_an_end_by_force_is_known() {
        assert_eq!([signal_of(ended_by(9)), signal_of(ended_by(15))], [Some(9), Some(15)]);
        assert_eq!([signal_of(9), signal_of(0xC000_013A)], [None, None]);
    }
}
