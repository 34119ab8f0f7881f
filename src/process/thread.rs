//! Creates the engine's threads.

use std::thread::Builder;

/// The stack size of a thread (bytes): Rust's default.
const STACK_SIZE: usize = 2 * 1024 * 1024;

/// Returns a builder for a thread with this name and the default stack.
///
/// Without an explicit size, the standard library reads `RUST_MIN_STACK` from the environment, which another
/// thread of Node may be changing at that moment.
pub fn named(name: &str) -> Builder {
    Builder::new().name(name.to_owned()).stack_size(STACK_SIZE)
}
