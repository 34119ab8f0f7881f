//! The abilities of a machine: of this one, and of machines that can do less.

mod landlock;
mod limited;
mod probe;
