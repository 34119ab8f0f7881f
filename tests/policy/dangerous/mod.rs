//! Commands that do great harm, denied in every mode, and commands that only look like it.

mod download;
mod harmless;
mod machine;
mod overwrite;
mod recursion;
mod removal;
mod table;
