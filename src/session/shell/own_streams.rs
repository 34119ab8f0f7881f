//! The descriptors at which bash keeps its own standard streams. Pure.

/// The first of the descriptors at which bash keeps its own standard streams, unless `RLIMIT_NOFILE` is
/// lower. Users take low numbers, and bash itself takes those from 255 down.
const OWN_STREAMS: u64 = 240;

/// The descriptors at which bash keeps its own standard streams while a command runs. No program inherits
/// them.
#[derive(Clone, Copy, Debug)]
pub struct OwnStreams(u64);

impl OwnStreams {
    /// Returns the descriptors for a shell with this limit of open files.
    #[must_use]
    pub fn below(open_files: u64) -> Self {
        Self(OWN_STREAMS.min(open_files.saturating_sub(7)))
    }

    /// Returns the list that makes the copies. They are closed on exec because their originals are: bash
    /// keeps a redirected stream at the lowest free descriptor above the one that replaces it, closed on
    /// exec. An older bash keeps it elsewhere, and its programs inherit the copies.
    pub(super) fn saving_line(self) -> String {
        let [input, output, error, other, kept_input, kept_output, kept_error] =
            std::array::from_fn(|index| self.0 + index as u64);
        format!(
            "\\exec {input}<&0 {output}>&1 {error}>&2 {other}<&0; \
             {{ \\exec {input}<&{kept_input} {output}>&{kept_output} {error}>&{kept_error}; }} \
             0<&{other} 1>&{other} 2>&{other}; \\exec {other}<&-; "
        )
    }

    /// Returns the command that opens the standard descriptors again.
    pub(super) fn restoring(self, exec: &str) -> String {
        let Self(first) = self;
        format!("{exec} 0<&{first} 1>&{} 2>&{}", first + 1, first + 2)
    }
}
