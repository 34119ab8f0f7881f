//! What the host and the helper say to each other: [`wire`] are the bytes of a plan, [`report`] what the
//! helper answers, and [`launch`] the host's side of both.

#[cfg(target_os = "linux")]
pub mod launch;
pub mod report;
pub mod wire;
