//! Turns words into fields, as far as their values are known: [`Atom`] is a part of a word, [`braces`]
//! multiplies words, and [`fields`] joins and splits them.

mod braces;
mod expansion;
mod fields;

pub(super) use expansion::{Atom, Expansion};
pub(super) use fields::{fields_of, value_of};
