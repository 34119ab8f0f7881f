//! A request that waits for the value of a credential.

use napi_derive::napi;

use crate::node::result::javascript_number;
use crate::sandbox::intercept::process::NeededValue;

/// A question for the value of a credential.
#[derive(Clone, Copy, Debug)]
#[napi(object, object_from_js = false)]
pub struct ValueState {
    /// The number of the question, for the answer.
    pub request: f64,
    /// The position of the secret in its scope.
    pub secret: u32,
    /// Whether a server did not accept the last value.
    pub is_renewal: bool,
}

impl From<NeededValue> for ValueState {
    fn from(needed: NeededValue) -> Self {
        let NeededValue { request, secret, is_renewal } = needed;
        Self { request: javascript_number(request), secret, is_renewal }
    }
}
