//! The parts that the answers of all dialects share.
//!
//! * [`remarks`] adds facts about a command that neither its output nor its end tells.
//! * [`binary`] describes binary output, before the dialect answers.
//! * [`control_characters`] cleans the output before, and the answer after that.

pub mod binary;
pub mod control_characters;
pub mod remarks;
