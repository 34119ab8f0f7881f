//! The class of overlays on a system that does not support them: it has no instances, and no way to make one.

use std::sync::Arc;

use napi_derive::napi;

use crate::sandbox::overlay::Overlay;

/// The handle of an overlay, which this system can't create.
#[derive(Debug)]
#[napi(js_name = "NativeOverlay")]
pub struct OverlayHandle {
    overlay: Overlay,
}

impl OverlayHandle {
    /// Returns the overlay, for a command that runs in it.
    pub(in crate::node) fn overlay(&self) -> Option<Arc<Overlay>> {
        match self.overlay {}
    }
}
