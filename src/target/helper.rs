//! The helper program that is copied to targets.

use std::fmt::Write;
use std::fs;
use std::io;
use std::sync::OnceLock;

use sha2::{Digest, Sha256};

use crate::process::helper::path;
use crate::process::supervise::protocol::hello::HASH;

/// The helper of this machine's system and processor.
#[derive(Debug)]
pub(super) struct Helper {
    /// The system and the processor that run it, as `uname -sm` prints them.
    pub(super) machine: String,
    pub(super) hash: [u8; HASH],
    pub(super) bytes: Vec<u8>,
}

impl Helper {
    /// Returns the helper, and reads it on the first call. Blocks.
    ///
    /// # Errors
    ///
    /// The system's error when it can't be read. The next call tries again.
    pub(super) fn get() -> io::Result<&'static Self> {
        static HELPER: OnceLock<Helper> = OnceLock::new();
        if let Some(helper) = HELPER.get() {
            return Ok(helper);
        }
        let bytes = fs::read(path())?;
        let hash = Sha256::digest(&bytes).into();
        let system = if cfg!(target_os = "macos") { "Darwin" } else { "Linux" };
        let machine = format!("{system} {}", std::env::consts::ARCH);
        Ok(HELPER.get_or_init(|| Self { machine, hash, bytes }))
    }

    /// Returns the hash in hexadecimal.
    pub(super) fn hex(&self) -> String {
        let mut hex = String::with_capacity(HASH * 2);
        for byte in self.hash {
            let _ = write!(hex, "{byte:02x}");
        }
        hex
    }
}
