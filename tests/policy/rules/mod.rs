//! The rules: which commands they match, in which order, and which commands they cover.

mod allow;
mod deny;
mod matching;
