//! Hands the linker what a Node.js addon needs; nothing when the `node` feature is off.

fn main() {
    #[cfg(feature = "node")]
    napi_build::setup();
}
