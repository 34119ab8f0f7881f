//! What a model sees: one room per tool dialect, with its argument rules and the text of its results.

pub mod format;
pub mod lines;
pub mod run;
pub mod view;
pub mod voice;
