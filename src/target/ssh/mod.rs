//! A host that the user's `ssh` reaches.
//!
//! [`options`] are the caller's, [`arguments`] are those of ssh, and [`failure`] finds the reason for which
//! ssh has not reached a shell. All are pure.

pub(super) mod arguments;
pub(super) mod failure;
pub mod options;
