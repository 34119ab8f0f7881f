//! The grammar of commands, from the whole text down.
//!
//! [`list`] reads lists and pipelines, [`compound`] reads a command by its reserved word ([`keyword`]).
//! [`conditional`], [`loops`] and [`function`] read compound commands; [`simple`], [`assignment`] and
//! [`redirection`] read the parts of all others.

mod assignment;
mod compound;
mod conditional;
mod function;
mod keyword;
mod list;
mod loops;
mod redirection;
mod simple;
