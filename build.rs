//! Hands the linker what a Node.js addon needs (feature `node`), and sets `cfg(darwin)`.
//!
//! `darwin` is macOS, or Linux in the shape of macOS (feature `emulate-darwin`), for tests of the code that
//! only macOS runs otherwise.

#![allow(clippy::disallowed_methods, reason = "no other thread runs here")]

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(darwin)");
    let is_macos = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "macos");
    if is_macos || env::var_os("CARGO_FEATURE_EMULATE_DARWIN").is_some() {
        println!("cargo::rustc-cfg=darwin");
    }
    #[cfg(feature = "node")]
    napi_build::setup();
    if is_macos {
        // The linker would take the path of this build, a directory of whoever builds.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/agent-bash.node");
    }
}
