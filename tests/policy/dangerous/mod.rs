//! Commands that do great harm, which every mode denies, and commands that only look like them.

mod download;
mod harmless;
mod machine;
mod modes;
mod overwrite;
mod recursion;
mod removal;
mod table;
