//! Resource limits of a child, which all its descendants inherit.

use serde::{Deserialize, Serialize};

/// The resource limits of a child.
///
/// `None` keeps this process's own limit. A limit above this process's hard limit is lowered to the hard
/// limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The address space of each process (bytes).
    pub memory: Option<u64>,
    /// The number of the user's processes and threads, in and outside of the job. Root is exempt.
    pub processes: Option<u64>,
    /// The size of a file that is written (bytes). Writing beyond it raises SIGXFSZ.
    pub file_size: Option<u64>,
    /// CPU time of each process (seconds). SIGXCPU follows, and SIGKILL a second later.
    pub cpu: Option<u64>,
    /// Open descriptors of each process: the highest number plus one.
    pub open_files: Option<u64>,
}
