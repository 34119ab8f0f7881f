//! Queries, and commands that look like queries.

mod links;
mod more;
mod queries;
