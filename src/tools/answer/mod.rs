//! What the answers of all dialects have in common.
//!
//! * [`remarks`] says what neither the output nor the end of a command tells.
//! * [`binary`] describes binary output, before the dialect answers.
//! * [`control_characters`] cleans the output before, and the answer after that.

pub mod binary;
pub mod control_characters;
pub mod remarks;
