//! The supervisor over a pair of pipes, with real commands.

mod client;
mod ends;
mod hostile;
mod input;
mod kills;
mod results;
mod shell;
