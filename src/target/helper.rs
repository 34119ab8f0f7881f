//! The helper program that is copied to targets.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sha2::{Digest, Sha256};

use crate::helper::supervisor::protocol::hello::HASH;
use crate::process::helper_program::path;
use crate::process::kernel::NAME;

/// The machines for which packages have helpers: the names in the files' names, and those of `uname -sm`.
const MACHINES: [(&str, &str); 2] = [("linux-x64", "Linux x86_64"), ("linux-arm64", "Linux aarch64")];

/// The helper of one system and processor.
#[derive(Debug)]
pub(super) struct Helper {
    /// The system and the processor that run it, as `uname -sm` prints them.
    pub(super) machine: String,
    pub(super) hash: [u8; HASH],
    pub(super) bytes: Vec<u8>,
}

impl Helper {
    /// Returns the helper of this machine, and behind it those of the other machines at `others` that can be
    /// read. Reads them on the first call. Blocks.
    ///
    /// # Errors
    ///
    /// The system's error when the helper of this machine can't be read. The next call tries again.
    pub(super) fn all(others: &[PathBuf]) -> io::Result<Vec<&'static Self>> {
        static OTHERS: OnceLock<Vec<Helper>> = OnceLock::new();
        let own = Self::get()?;
        let others = OTHERS.get_or_init(|| others.iter().filter_map(|path| Self::other(path)).collect());
        let others = others.iter().filter(|other| other.machine != own.machine);
        Ok(std::iter::once(own).chain(others).collect())
    }

    /// Reads the helper of another machine, which its file's name tells.
    fn other(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let (_, machine) = MACHINES.iter().find(|(part, _)| name.contains(part))?;
        Some(Self::of((*machine).to_owned(), fs::read(path).ok()?))
    }

    fn of(machine: String, bytes: Vec<u8>) -> Self {
        let hash = Sha256::digest(&bytes).into();
        Self { machine, hash, bytes }
    }

    fn get() -> io::Result<&'static Self> {
        static HELPER: OnceLock<Helper> = OnceLock::new();
        if let Some(helper) = HELPER.get() {
            return Ok(helper);
        }
        let bytes = fs::read(path())?;
        let machine = format!("{NAME} {}", std::env::consts::ARCH);
        Ok(HELPER.get_or_init(|| Self::of(machine, bytes)))
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
