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
    pub(in crate::session::shell) fn saving_line(self) -> String {
        let [input, output, error, other, kept_input, kept_output, kept_error] =
            std::array::from_fn(|index| self.0 + index as u64);
        format!(
            "\\exec {input}<&0 {output}>&1 {error}>&2 {other}<&0; \
             {{ \\exec {input}<&{kept_input} {output}>&{kept_output} {error}>&{kept_error}; }} \
             0<&{other} 1>&{other} 2>&{other}; \\exec {other}<&-; "
        )
    }

    /// Returns the redirections around a command by which bash restores its standard streams after it, also
    /// where an interrupt has ended it, so that hooks before the next line have them. Meanwhile, bash keeps
    /// those streams above the descriptors that replace them.
    pub(in crate::session::shell) fn around_command(self) -> String {
        let Self(first) = self;
        format!("0<&{first} 1>&{} 2>&{}", first + 1, first + 2)
    }

    /// Returns the test whether bash can read its lines now and after the next command. It works also where a
    /// function is called `builtin`.
    pub(in crate::session::shell) fn has_input(self) -> String {
        format!("\\[ -p /dev/fd/0 ] && \\[ -p /dev/fd/{} ]", self.0)
    }

    /// Returns the command that opens the standard descriptors again.
    pub(in crate::session::shell) fn restoring(self, exec: &str) -> String {
        format!("{exec} {}", self.around_command())
    }
}
