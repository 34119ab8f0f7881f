//! The grammar of commands, from the whole text down: [`list`] reads lists and pipelines, [`compound`] the
//! command at hand, by its reserved word ([`keyword`]). [`conditional`], [`loops`] and [`function`] are
//! compound commands of their own; [`simple`], [`assignment`] and [`redirection`] read all others.

mod assignment;
mod compound;
mod conditional;
mod function;
mod keyword;
mod list;
mod loops;
mod redirection;
mod simple;
