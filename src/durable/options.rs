//! The options of a durable job.

use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::time::Duration;

/// The default of the longest run: a day's work.
pub const DEADLINE: Duration = Duration::from_secs(24 * 60 * 60);

/// The default of the longest time without an attached host: a night.
pub const UNATTENDED: Duration = Duration::from_secs(8 * 60 * 60);

/// The default of the time for which files stay after the end.
pub const KEEP: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The default of the size of a log on disk (bytes).
pub const MAX_LOG: u64 = 64 * 1024 * 1024;

/// The time between two checks of a job's directory by its supervisor: a removed socket is missed by nobody
/// for longer.
pub const CHECK: Duration = Duration::from_secs(60);

/// A durable job, or the attachment to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DurableOptions {
    /// The directory of the jobs, absolute.
    pub directory: PathBuf,
    /// The id of the job.
    pub id: String,
    pub role: DurableRole,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DurableRole {
    Start(Box<StartOptions>),
    /// Attaches to the job. Output begins at this cursor, or with what comes next.
    Attach {
        since: Option<u64>,
    },
}

/// The options of a start: scope, name, and bounds of the job. An attachment has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartOptions {
    /// The directory for the copy of the helper, absolute.
    pub cache: Option<PathBuf>,
    /// The directory of the user's manager (`XDG_RUNTIME_DIR`).
    pub runtime: Option<PathBuf>,
    pub name: Option<String>,
    pub owner: String,
    pub root: String,
    /// The option `sandbox` of the command as JSON, for those who find the job.
    pub sandbox: Option<String>,
    pub deadline: Duration,
    pub unattended: Duration,
    pub keep: Duration,
    pub max_log: u64,
    /// Whether a job is refused that ends with the log-out of its user.
    pub needs_logout: bool,
    pub check: Duration,
}

impl Default for StartOptions {
    fn default() -> Self {
        Self {
            cache: None,
            runtime: None,
            name: None,
            owner: String::new(),
            root: String::new(),
            sandbox: None,
            deadline: DEADLINE,
            unattended: UNATTENDED,
            keep: KEEP,
            max_log: MAX_LOG,
            needs_logout: false,
            check: CHECK,
        }
    }
}

/// The jobs that are wanted. An absent part is no condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobFilter {
    pub id: Option<String>,
    pub owner: Option<String>,
    pub root: Option<String>,
    pub name: Option<String>,
    pub is_running: Option<bool>,
}

/// Returns an id for a new job: a letter, and 7 random letters and digits.
#[must_use]
pub fn new_id() -> String {
    const CHARACTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let mut number = RandomState::new().hash_one(std::process::id());
    let mut next = || {
        let character = CHARACTERS[usize::try_from(number % 36).unwrap_or(0)];
        number /= 36;
        char::from(character)
    };
    std::iter::once('d').chain((0..7).map(|_| next())).collect()
}
