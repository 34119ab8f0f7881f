//! Exit codes of programs that MSYS2 or Cygwin runs.

/// The signals whose numbers differ: that of the runtime, and that of Linux.
const OTHER_NUMBERS: [(i32, i32); 4] = [(10, 7), (12, 31), (30, 10), (31, 12)];

/// The last signal with the same number in the runtime and on Linux, from which on all are other ones.
const LAST_COMMON: u32 = 15;

/// The first number that means another signal in the runtime (`SIGEMT`), which Linux does not have.
const EMT: u32 = 7;

/// Returns the signal, by its number on Linux, that has ended a program with this exit code.
///
/// To a parent of Windows, the runtime gives the exit code in the lower byte of two, and the signal, with
/// 0x80 for a dump, in the upper one (`pinfo::exit` in Cygwin's `pinfo.cc`).
#[must_use]
pub fn signal_of(code: u32) -> Option<i32> {
    let number = (code >> 8) & 0x7f;
    if code & 0xffff_00ff != 0 || number == 0 {
        return None;
    }
    let other = OTHER_NUMBERS.iter().find(|&&(ours, _)| ours.cast_unsigned() == number);
    let common = (number <= LAST_COMMON && number != EMT).then_some(number.cast_signed());
    other.map(|&(_, linux)| linux).or(common)
}

#[cfg(test)]
mod tests {
    use super::signal_of;

    #[test]
    fn the_signal_is_in_the_upper_byte_also_with_a_dump() {
        let codes = [2304, 3840, 512, 35584];
        assert_eq!(codes.map(signal_of), [Some(9), Some(15), Some(2), Some(11)]);
    }

    #[test]
    fn a_number_that_linux_has_for_another_signal_becomes_that_of_linux() {
        assert_eq!([30 << 8, 31 << 8, 10 << 8].map(signal_of), [Some(10), Some(12), Some(7)]);
        assert_eq!(signal_of(7 << 8), None);
    }

    #[test]
    fn an_exit_code_is_no_signal() {
        for code in [0, 1, 9, 255, 0x0901, 0x8000, 0xC000_0005, 0x0009_0900] {
            assert_eq!(signal_of(code), None, "{code:#x}");
        }
    }
}
