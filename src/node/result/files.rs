//! The results of the calls about files of a target.

use napi::bindgen_prelude::{BufferSlice, Env, Result};
use napi_derive::napi;

use crate::process::files::request::{DirectoryEntry, FileError, FileKind, FileStat, Time};
use crate::target::error::TargetError;
use crate::target::files::FilesError;
use crate::target::files::copy::{Copied, CopyFailure};

/// The end of a call, or how far it is.
#[derive(Debug)]
pub enum FilesOutcome {
    Done(FilesValue),
    Failed(FilesError),
    CopyFailed(CopyFailure),
    Progress(Copied),
}

/// The result of a call.
#[derive(Debug)]
pub enum FilesValue {
    Nothing,
    Bytes(Vec<u8>),
    Stat(FileStat),
    Entries(Vec<DirectoryEntry>),
    Created(bool),
    Copied(Copied),
}

/// The answer to a call about files.
#[napi(object, object_from_js = false)]
#[derive(Default)]
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct FilesAnswer {
    pub error: Option<FileFailure>,
    pub bytes: Option<BufferSlice<'static>>,
    pub stat: Option<FileState>,
    pub entries: Option<Vec<EntryState>>,
    pub created: Option<bool>,
    pub copied: Option<CopiedState>,
    /// Whether the copy goes on.
    pub is_progress: bool,
}

/// Why a call has failed.
#[napi(object, object_from_js = false)]
#[derive(Debug)]
pub struct FileFailure {
    pub code: String,
    pub message: String,
    /// The path that failed, of a copy, and whether it is one on the target.
    pub path: Option<String>,
    pub is_there: bool,
    /// The partial copy that is left.
    pub partial: Option<String>,
    /// Whether a file is the reason, and not the target.
    pub is_of_file: bool,
    pub is_aborted: bool,
}

#[napi(object, object_from_js = false)]
#[derive(Debug)]
pub struct FileState {
    #[napi(ts_type = "'file' | 'directory' | 'symlink' | 'other'")]
    pub kind: String,
    pub mode: u32,
    pub size: f64,
    pub blocks: f64,
    pub dev: f64,
    pub ino: f64,
    pub nlink: f64,
    pub uid: u32,
    pub gid: u32,
    /// Times (ms since 1970).
    pub atime_ms: f64,
    pub mtime_ms: f64,
    pub ctime_ms: f64,
}

/// An entry of a directory.
#[napi(object, object_from_js = false)]
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct EntryState {
    pub name: String,
    /// The bytes of a name that is no text.
    pub raw: Option<BufferSlice<'static>>,
    pub stat: FileState,
    pub link: Option<String>,
}

#[napi(object, object_from_js = false)]
#[derive(Debug)]
pub struct CopiedState {
    pub files: f64,
    pub directories: f64,
    pub links: f64,
    pub bytes: f64,
    pub total: f64,
    pub resumed: f64,
    pub skipped: Vec<String>,
}

impl FilesAnswer {
    /// Returns what JavaScript gets.
    ///
    /// # Errors
    ///
    /// When Node.js has no memory for bytes.
    pub(in crate::node) fn of(env: Env, outcome: FilesOutcome) -> Result<Self> {
        let value = match outcome {
            FilesOutcome::Done(value) => value,
            FilesOutcome::Failed(error) => return Ok(Self::of_error(FileFailure::of(&error))),
            FilesOutcome::CopyFailed(failure) => {
                let CopyFailure { error, is_there, path, partial } = failure;
                let (path, partial) = (Some(text(&path)), partial.map(|partial| text(&partial)));
                let failure = FileFailure { path, is_there, partial, ..FileFailure::of(&error) };
                return Ok(Self::of_error(failure));
            }
            FilesOutcome::Progress(copied) => {
                return Ok(Self { copied: Some(copied.into()), is_progress: true, ..Self::default() });
            }
        };
        Ok(match value {
            FilesValue::Nothing => Self::default(),
            FilesValue::Bytes(bytes) => {
                Self { bytes: Some(BufferSlice::copy_from(&env, bytes)?), ..Self::default() }
            }
            FilesValue::Stat(stat) => Self { stat: Some(stat.into()), ..Self::default() },
            FilesValue::Entries(entries) => {
                let entries = entries.into_iter().map(|entry| EntryState::of(env, entry));
                Self { entries: Some(entries.collect::<Result<_>>()?), ..Self::default() }
            }
            FilesValue::Created(is_new) => Self { created: Some(is_new), ..Self::default() },
            FilesValue::Copied(copied) => Self { copied: Some(copied.into()), ..Self::default() },
        })
    }

    fn of_error(error: FileFailure) -> Self {
        Self { error: Some(error), ..Self::default() }
    }
}

impl FileFailure {
    fn of(error: &FilesError) -> Self {
        let (code, message) = match error {
            FilesError::Target(TargetError { code, message }) => ((*code).to_owned(), message.clone()),
            FilesError::File(FileError::System(errno)) => {
                let text = std::io::Error::from_raw_os_error(errno.0).to_string();
                let text = text.split(" (os error").next().unwrap_or_default().to_lowercase();
                (errno.name(), text)
            }
            FilesError::File(error @ FileError::Outside) => ("PATH_OUTSIDE".to_owned(), error.to_string()),
            FilesError::File(error @ FileError::NotFile) => ("NOT_A_FILE".to_owned(), error.to_string()),
            FilesError::TooLarge => {
                let message = "the file has more bytes than are read at once by default: set maxBytes";
                ("ERR_FS_FILE_TOO_LARGE".to_owned(), message.to_owned())
            }
            FilesError::Changed => {
                ("FILE_CHANGED".to_owned(), "the file changes while it is copied".to_owned())
            }
            FilesError::Aborted => ("ABORT_ERR".to_owned(), "the operation was aborted".to_owned()),
        };
        Self {
            code,
            message,
            path: None,
            is_there: true,
            partial: None,
            is_of_file: !matches!(error, FilesError::Target(_)),
            is_aborted: *error == FilesError::Aborted,
        }
    }
}

impl EntryState {
    fn of(env: Env, DirectoryEntry { name, stat, link }: DirectoryEntry) -> Result<Self> {
        let raw = match str::from_utf8(&name) {
            Ok(_) => None,
            Err(_) => Some(BufferSlice::copy_from(&env, &name)?),
        };
        Ok(Self { name: text(&name), raw, stat: stat.into(), link: link.as_deref().map(text) })
    }
}

#[allow(clippy::cast_precision_loss, reason = "JavaScript has no other numbers")]
impl From<FileStat> for FileState {
    fn from(stat: FileStat) -> Self {
        let kind = match stat.kind {
            FileKind::File => "file",
            FileKind::Directory => "directory",
            FileKind::Link => "symlink",
            FileKind::Other => "other",
        };
        let milliseconds = |time: Time| time.seconds as f64 * 1e3 + f64::from(time.nanoseconds) / 1e6;
        Self {
            kind: kind.to_owned(),
            mode: stat.mode,
            size: stat.size as f64,
            blocks: stat.blocks as f64,
            dev: stat.device as f64,
            ino: stat.inode as f64,
            nlink: stat.links as f64,
            uid: stat.user,
            gid: stat.group,
            atime_ms: milliseconds(stat.accessed),
            mtime_ms: milliseconds(stat.modified),
            ctime_ms: milliseconds(stat.changed),
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "JavaScript has no other numbers")]
impl From<Copied> for CopiedState {
    fn from(copied: Copied) -> Self {
        Self {
            files: copied.files as f64,
            directories: copied.directories as f64,
            links: copied.links as f64,
            bytes: copied.bytes as f64,
            total: copied.total as f64,
            resumed: copied.resumed as f64,
            skipped: copied.skipped.iter().map(|name| text(name)).collect(),
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
