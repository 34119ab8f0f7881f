//! The parts that the answers of all dialects share.
//!
//! * [`remarks`] adds facts about a command that neither its output nor its end tells.
//! * [`binary`] describes binary output, before the dialect answers.
//! * [`control_characters`] cleans the output before, and the answer after that.
//! * [`session_end`] tells that a command has ended the shell of its session.
//! * [`elsewhere`] tells what is different for a command on a target.

pub mod binary;
pub mod control_characters;
pub mod elsewhere;
pub mod remarks;
pub mod session_end;
