//! Overlays on a system that does not support them.

/// An overlay can't be created on this system.
#[derive(Debug)]
pub enum Overlay {}
