//! The classes of lines.

/// The class of a line. A later class matters more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Any other line.
    #[default]
    None,
    /// A word such as *error* that may mean anything.
    Word,
    /// A warning.
    Warning,
    /// A count and a verdict, and nothing bad.
    Summary,
    /// A position in a file, or a difference. Such a line matters near a failure.
    Place,
    /// A message of a program about an object: `tar: x: Cannot stat`.
    Complaint,
    /// Probably a failure.
    Likely,
    /// A count of failures.
    BadSummary,
    /// A failure.
    Failure,
}
