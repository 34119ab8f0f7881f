//! The reasons for which lines are left out.

use serde::Deserialize;

/// A reason for which a line is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum OmissionReason {
    /// Downloads, layers, percentages.
    #[serde(rename = "progress")]
    Progress,
    /// Tests that passed.
    #[serde(rename = "passed tests")]
    PassedTests,
    /// Files, packages and steps that were built or installed.
    #[serde(rename = "built")]
    Built,
    /// Lines that equal the lines before and after them.
    #[serde(rename = "repeated")]
    Repeated,
    /// Contents of files that programs generate.
    #[serde(rename = "generated files")]
    GeneratedFiles,
    /// Notices of package managers that ask for nothing.
    #[serde(rename = "notices")]
    Notices,
}

/// The reasons, with their texts in markers, in the order in which a marker has them.
const ALL: [(OmissionReason, &str); 6] = [
    (OmissionReason::Progress, "progress"),
    (OmissionReason::PassedTests, "passed tests"),
    (OmissionReason::Built, "built"),
    (OmissionReason::Repeated, "repeated"),
    (OmissionReason::GeneratedFiles, "generated files"),
    (OmissionReason::Notices, "notices"),
];

impl OmissionReason {
    /// Returns whether lines are left out for this reason although the command failed.
    pub(super) const fn holds_after_failure(self) -> bool {
        !matches!(self, Self::GeneratedFiles | Self::Notices)
    }

    /// Returns the fewest lines in a run that is left out for this reason.
    pub(super) const fn min_lines(self) -> u64 {
        if matches!(self, Self::GeneratedFiles) { 20 } else { 1 }
    }
}

/// A set of reasons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reasons(u8);

impl Reasons {
    #[must_use]
    pub const fn with(self, reason: OmissionReason) -> Self {
        Self(self.0 | 1 << reason as u8)
    }

    fn iter(self) -> impl Iterator<Item = &'static str> {
        ALL.iter().filter(move |(reason, _)| self.0 & (1 << *reason as u8) != 0).map(|(_, text)| *text)
    }

    /// Returns the text of a marker: `progress and built`.
    #[must_use]
    pub fn text(self) -> String {
        self.iter().collect::<Vec<_>>().join(" and ")
    }

    /// Returns the length of the text (bytes).
    pub(in crate::text::view) fn text_len(self) -> usize {
        self.iter().map(|text| text.len() + 5).sum::<usize>().saturating_sub(5)
    }
}

#[cfg(test)]
mod tests {
    use super::{OmissionReason, Reasons};

    #[test]
    fn several_reasons_are_one_text() {
        let both = Reasons::default().with(OmissionReason::Built).with(OmissionReason::Progress);
        assert_eq!((both.text().as_str(), both.text_len()), ("progress and built", 18));
        assert_eq!(Reasons::default().with(OmissionReason::PassedTests).text(), "passed tests");
    }
}
