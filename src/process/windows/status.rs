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

/// Returns the signal that has ended a program of MSYS2 or Cygwin with this exit code.
///
/// Where no other such program has started it, its exit code is the status of `wait` on Unix with its bytes
/// swapped (`pinfo::exit` in Cygwin's `pinfo.cc`). Its own exit codes have 8 bits. `None` for the signals
/// that have another number on Linux.
#[must_use]
pub fn signal_of_msys(code: u32) -> Option<i32> {
    const DUMPED: u8 = 0x80;
    let [0, status, 0, 0] = code.to_le_bytes() else { return None };
    let signal = i32::from(status & !DUMPED);
    matches!(signal, 1..=4 | 6 | 8 | 9 | 11 | 13..=15).then_some(signal)
}

#[cfg(test)]
mod tests {
    use super::{ended_by, signal_of, signal_of_msys};

    #[test]
    fn the_signal_of_an_end_by_force_is_known() {
        assert_eq!([signal_of(ended_by(9)), signal_of(ended_by(15))], [Some(9), Some(15)]);
        assert_eq!([signal_of(9), signal_of(0xC000_013A)], [None, None]);
    }

    #[test]
    fn the_signal_of_a_program_of_msys_is_in_its_second_byte() {
        assert_eq!([0x0200, 0x0F00, 0x8B00].map(signal_of_msys), [Some(2), Some(15), Some(11)]);
        assert_eq!([0, 1, 15, 0x0201, 0x0A00, 0x1_0200, 0xC000_013A].map(signal_of_msys), [None; 7]);
    }
}
