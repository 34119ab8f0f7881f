//! How threads begin.

use std::thread::Builder;

/// The stack of a thread (bytes): as much as Rust gives one by default.
const STACK: usize = 2 * 1024 * 1024;

/// Prepares a thread of this name, with the default stack.
///
/// Without an explicit size, the standard library reads `RUST_MIN_STACK`, and the environment may be changed by another
/// thread of Node at that moment.
pub fn named(name: &str) -> Builder {
    Builder::new().name(name.to_owned()).stack_size(STACK)
}
