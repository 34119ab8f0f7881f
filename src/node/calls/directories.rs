//! The calls for directories that are removed at the end of the environment.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use std::path::Path;

use napi::bindgen_prelude::Either;
use napi_derive::napi;

use crate::node::binding::Binding;
use crate::node::error::{NativeError, answer};

#[napi]
impl Binding {
    /// Creates a directory for this user alone, which is removed when the environment ends, also by SIGKILL.
    /// The directory is in `parent`. Without `parent`, it is in the best parent directory for small files,
    /// and its path has no character that is special to a shell.
    /// Returns the error of the system when no parent directory allows it.
    #[napi(catch_unwind)]
    pub fn make_private_directory(&self, parent: Option<String>) -> Either<String, NativeError> {
        let made = self.state.make_private(parent.as_deref().map(Path::new));
        answer(made.map_err(|error| NativeError::of_system(&error)))
    }

    /// Removes a directory of [`Self::make_private_directory`].
    #[napi(catch_unwind)]
    pub fn remove_private_directory(&self, path: String) {
        self.state.remove_private(&path);
    }
}
