//! What a machine can do: this one, and machines that can do less.

mod landlock;
mod limited;
mod probe;
