//! The results of an overlay's methods.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use napi_derive::napi;

use crate::node::error::NativeError;
use crate::node::result::javascript_number;
use crate::sandbox::overlay::change::{Action, Change, Kind};
use crate::sandbox::overlay::conflict::Conflict;
use crate::sandbox::overlay::error::OverlayError;

/// The result of a method, or its error.
#[derive(Debug, Default)]
#[napi(object, object_from_js = false)]
pub struct OverlayAnswer {
    pub changes: Vec<ChangeResult>,
    pub conflicts: Vec<ConflictResult>,
    pub diff: Option<String>,
    pub error: Option<NativeError>,
}

/// A change, as JavaScript gets it.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct ChangeResult {
    pub path: String,
    /// The path, if it is no UTF-8.
    pub path_bytes: Option<Vec<u8>>,
    #[napi(js_name = "type")]
    pub action: &'static str,
    pub kind: &'static str,
    pub from: Option<String>,
    pub mode: Option<u32>,
    pub bytes: Option<f64>,
}

#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct ConflictResult {
    pub path: String,
    /// The path, if it is no UTF-8.
    pub path_bytes: Option<Vec<u8>>,
    pub reason: &'static str,
}

impl OverlayAnswer {
    pub fn of_changes(changes: &[Change]) -> Self {
        Self { changes: changes.iter().map(ChangeResult::from).collect(), ..Self::default() }
    }

    #[must_use]
    pub fn of_conflicts(conflicts: &[Conflict]) -> Self {
        let result = |conflict: &Conflict| ConflictResult {
            path: text(&conflict.path),
            path_bytes: bytes(&conflict.path),
            reason: conflict.reason.name(),
        };
        Self { conflicts: conflicts.iter().map(result).collect(), ..Self::default() }
    }

    #[must_use]
    pub fn of_diff(diff: &[u8]) -> Self {
        Self { diff: Some(String::from_utf8_lossy(diff).into_owned()), ..Self::default() }
    }

    #[must_use]
    pub fn of_error(error: &OverlayError) -> Self {
        let conflicts = match error {
            OverlayError::Conflict(conflicts) => Self::of_conflicts(conflicts).conflicts,
            _ => Vec::new(),
        };
        let applied = match error {
            OverlayError::Interrupted { applied, .. }
            | OverlayError::Unsynced { applied, .. }
            | OverlayError::Overtaken { applied, .. } => applied.as_slice(),
            _ => &[],
        };
        Self {
            conflicts,
            error: Some(NativeError {
                code: error.code().to_owned(),
                message: error.to_string(),
                option: None,
            }),
            ..Self::of_changes(applied)
        }
    }
}

impl From<&Change> for ChangeResult {
    fn from(change: &Change) -> Self {
        let (action, from) = match &change.action {
            Action::Created => ("created", None),
            Action::Modified => ("modified", None),
            Action::Deleted => ("deleted", None),
            Action::Renamed(from) => ("renamed", Some(text(from))),
            Action::Mode => ("mode", None),
        };
        let kind = match change.kind {
            Kind::File => "file",
            Kind::Directory => "directory",
            Kind::Link => "link",
            Kind::Fifo => "fifo",
            Kind::Socket => "socket",
            Kind::Device => "device",
        };
        Self {
            path: text(&change.path),
            path_bytes: bytes(&change.path),
            action,
            kind,
            from,
            mode: change.mode,
            bytes: change.bytes.map(javascript_number),
        }
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Returns a path that is no UTF-8.
fn bytes(path: &Path) -> Option<Vec<u8>> {
    path.to_str().is_none().then(|| path.as_os_str().as_bytes().to_vec())
}
