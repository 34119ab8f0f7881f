//! Overlays on a system that has none.

/// There is none.
#[derive(Debug)]
pub enum Overlay {}
