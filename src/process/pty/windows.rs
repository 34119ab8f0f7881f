//! No terminals.

/// The program's end of a terminal: without a value, since no command gets a terminal here.
#[derive(Debug)]
pub enum Peer {}
