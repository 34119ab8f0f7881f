//! The classes of lines.

/// The class of a line. A later class matters more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    #[default]
    None,
    /// A word such as *error* that may mean anything.
    Word,
    Warning,
    /// A count and a verdict, without a failure.
    Summary,
    /// A position in a file, or a difference. Such a line matters near a failure.
    Place,
    /// A message of a program about an object: `tar: x: Cannot stat`.
    Complaint,
    /// Probably a failure.
    Likely,
    /// A count of failures.
    BadSummary,
    Failure,
}
