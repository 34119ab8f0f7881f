//! The orders of the host to the helper in its role `exec`, and the helper's report. Pure.
//!
//! The orders are arguments, because the environment is the program's. The helper writes its greeting and
//! a [`FailureReport`] to a pipe, which its execution of the program closes.

use std::ffi::{CString, c_int};

use crate::process::errno::Errno;
use crate::process::helper_program::EXEC;
use crate::process::spawn::{SpawnError, Step};

/// The descriptor at which the helper writes its report.
pub(crate) const STATUS_DESCRIPTOR: i32 = 4;

/// A limit as the kernel takes it: the number of the resource, the soft and the hard limit.
pub(crate) type NumberedLimit = (u32, (u64, u64));

/// The steps of the helper before it executes the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Orders<'a> {
    /// Whether standard input becomes the controlling terminal.
    pub(crate) takes_terminal: bool,
    pub(crate) limits: Vec<NumberedLimit>,
    /// The absolute paths to try, in order.
    pub(crate) candidates: &'a [CString],
    /// The arguments of the program, beginning with its own name.
    pub(crate) arguments: &'a [CString],
}

impl Orders<'_> {
    /// Returns the arguments of the helper: its role, a word for the terminal, the limits, the number of
    /// candidates, the candidates, and the program's arguments.
    pub(crate) fn to_arguments(&self) -> Vec<CString> {
        let limits = self.limits.iter().map(|(resource, (soft, hard))| format!("{resource}:{soft}:{hard}"));
        let words = [
            EXEC.to_owned(),
            if self.takes_terminal { TERMINAL } else { "" }.to_owned(),
            limits.collect::<Vec<_>>().join(","),
            self.candidates.len().to_string(),
        ];
        // The words have no NUL.
        let words = words.into_iter().filter_map(|word| CString::new(word).ok());
        words.chain(self.candidates.iter().chain(self.arguments).cloned()).collect()
    }

    /// Parses the arguments of the helper; `None` if they are not such arguments.
    pub(crate) fn parse(arguments: &[CString]) -> Option<Orders<'_>> {
        let [_, terminal, limits, count, rest @ ..] = arguments else { return None };
        let count: usize = count.to_str().ok()?.parse().ok()?;
        let (candidates, arguments) = rest.split_at_checked(count)?;
        let limits = limits.to_str().ok()?;
        Some(Orders {
            takes_terminal: terminal.as_bytes() == TERMINAL.as_bytes(),
            limits: limits
                .split(',')
                .filter(|limit| !limit.is_empty())
                .map(parse_limit)
                .collect::<Option<_>>()?,
            candidates,
            arguments,
        })
    }
}

/// The word for a controlling terminal.
const TERMINAL: &str = "terminal";

fn parse_limit(limit: &str) -> Option<NumberedLimit> {
    let mut fields = limit.split(':');
    let resource = fields.next()?.parse().ok()?;
    let mut number = || fields.next()?.parse().ok();
    Some((resource, (number()?, number()?)))
}

/// A report of a step that failed: one byte for the step, and the errno.
pub(crate) struct FailureReport;

impl FailureReport {
    pub(crate) fn write(step: Step, errno: c_int) -> [u8; 5] {
        let [a, b, c, d] = errno.to_le_bytes();
        let letter = STEPS.iter().find(|(_, other)| *other == step).map_or(b'?', |(letter, _)| *letter);
        [letter, a, b, c, d]
    }

    /// Reads a report; `None` if the helper has reported no failure.
    pub(crate) fn read(report: &[u8]) -> Option<SpawnError> {
        let &[letter, a, b, c, d] = report else {
            let is_cut_off = !report.is_empty();
            return is_cut_off.then_some(SpawnError { step: Step::Helper, errno: Errno(libc::EIO) });
        };
        let step = STEPS.iter().find(|(other, _)| *other == letter).map_or(Step::Helper, |(_, step)| *step);
        Some(SpawnError { step, errno: Errno(c_int::from_le_bytes([a, b, c, d])) })
    }
}

/// The steps of the helper, each with its letter in a report.
const STEPS: [(u8, Step); 4] =
    [(b'h', Step::Helper), (b'd', Step::Descriptors), (b'l', Step::Limits), (b'x', Step::Execute)];

#[cfg(test)]
mod tests {
    use std::ffi::CString;

    use super::{Errno, FailureReport, Orders, SpawnError, Step};

    fn words(words: &[&str]) -> Vec<CString> {
        words.iter().map(|&word| CString::new(word).expect("no NUL")).collect()
    }

    #[test]
    fn orders_are_read_as_they_were_written() {
        let (candidates, arguments) = (words(&["/bin/a b", "/bin/sh"]), words(&["sh", "-c", ""]));
        for (takes_terminal, limits) in [(true, vec![]), (false, vec![(7, (5, 6)), (0, (u64::MAX, 1))])] {
            let orders = Orders { takes_terminal, limits, candidates: &candidates, arguments: &arguments };
            assert_eq!(Orders::parse(&orders.to_arguments()), Some(orders.clone()));
        }
    }

    #[test]
    fn other_arguments_are_no_orders() {
        for arguments in [
            &["agent-bash-exec"][..],
            &["agent-bash-exec", "", "", "x"],
            &["agent-bash-exec", "", "1:2", "0"],
            &["agent-bash-exec", "", "", "3", "/bin/sh"],
        ] {
            assert_eq!(Orders::parse(&words(arguments)), None, "{arguments:?}");
        }
    }

    #[test]
    fn a_failure_has_its_step_and_errno() {
        for step in [Step::Helper, Step::Descriptors, Step::Limits, Step::Execute] {
            let error = SpawnError { step, errno: Errno(libc::EPERM) };
            assert_eq!(FailureReport::read(&FailureReport::write(step, libc::EPERM)), Some(error));
        }
        assert_eq!(FailureReport::read(b""), None);
        let cut_off = SpawnError { step: Step::Helper, errno: Errno(libc::EIO) };
        assert_eq!(FailureReport::read(b"1"), Some(cut_off));
    }
}
