//! Names of commands: wrappers, variables that can run code, and other spellings.

mod synonyms;
mod variables;
mod wrappers;
