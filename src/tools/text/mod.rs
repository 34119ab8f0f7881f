//! Text for models: cut to a limit, counted in words, read by lines.

pub mod cut;
pub mod lines;
pub mod phrases;
pub mod regular_file;
