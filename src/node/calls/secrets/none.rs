//! The class of scopes on a system that does not support them: it has no instances, and no way to make one.

use std::sync::Arc;

use napi_derive::napi;

use crate::sandbox::intercept::scope::SecretScope;

/// The handle of a scope, which this system can't create.
#[derive(Debug)]
#[napi(js_name = "NativeSecretScope")]
pub struct SecretScopeHandle {
    scope: SecretScope,
}

impl SecretScopeHandle {
    /// Returns the scope, for a command that runs in it.
    pub(in crate::node) fn scope(&self) -> Arc<SecretScope> {
        match self.scope {}
    }
}
