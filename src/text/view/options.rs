//! The options of a view.

use super::minimize::Minimizer;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewOptions {
    /// The most bytes of UTF-8 in the text, with markers and footer; at least 200.
    pub max_bytes: usize,
    /// The smallest part of `max_bytes` for the beginning.
    pub head: usize,
    /// The smallest part of `max_bytes` for the end.
    pub tail: usize,
    /// The number of lines shown before an important one.
    pub before: usize,
    /// The number of lines shown after an important one.
    pub after: usize,
    /// Texts that matter to the caller: a line that contains any of them ranks above all others.
    pub important: Vec<String>,
    /// Whether runs of lines of one form are folded at the beginning and at the end.
    pub fold: bool,
    /// Whether the last line reports the size of the output and the way to read the rest.
    pub footer: bool,
    /// Whether a space is put before a line of the output that begins like a marker.
    pub escape: bool,
    /// The rules by which lines are left out even if there is room; `None` for no such lines.
    pub minimize: Option<Minimizer>,
}

impl ViewOptions {
    /// Returns the default options for a budget: a tenth of it for the beginning, 15 % for the end.
    #[must_use]
    pub const fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            head: max_bytes / 10,
            tail: max_bytes / 20 * 3,
            before: 2,
            after: 4,
            important: Vec::new(),
            fold: true,
            footer: true,
            escape: false,
            minimize: None,
        }
    }
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self::new(16_000)
    }
}

/// How the command ended. The end only shifts weights, because some failures exit with code 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitKind {
    /// With exit code 0.
    Well,
    /// With another code, by a signal, a timeout or an abort; or not yet.
    Failed,
}

/// The file with the whole output, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    NotKept,
    /// In a file that has all of it.
    File(&'a str),
    /// In a file that has the first bytes, as many as this.
    Beginning(&'a str, u64),
    /// In a job: the view is of a part of its output.
    Job(JobPart<'a>),
}

/// A part of the output of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobPart<'a> {
    /// The number of lines before the part; `None` if it is not known, and the part's lines count from 1.
    pub lines_before: Option<u64>,
    /// Whether an earlier view had what came before.
    pub is_new: bool,
    /// The name of the tool that shows other lines, if there is one.
    pub reader: Option<&'a str>,
}

impl Source<'_> {
    /// Returns the number of lines before the first one of the view.
    pub(super) const fn lines_before(&self) -> u64 {
        match self {
            Self::Job(JobPart { lines_before: Some(count), .. }) => *count,
            _ => 0,
        }
    }
}
