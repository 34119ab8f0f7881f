//! The files of a scope that commands see.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::key_store::{is_key_store, key_store};
use super::scope::{OpenScope, SecretScope};
use crate::sandbox::plan::AttachedFile;
use crate::sandbox::plan::paths::real;
use crate::sandbox::protocol::inside::{CERTIFICATES, KEY_STORE};

impl SecretScope {
    /// Writes the files of an opened scope into a private directory, unless they are there, and returns where
    /// a command with this home sees them.
    ///
    /// # Errors
    ///
    /// The system's error, such as `ENOSPC`.
    pub fn write_files(
        &self,
        open: &OpenScope,
        private: &Path,
        home: Option<&Path>,
    ) -> io::Result<Vec<AttachedFile>> {
        // Commands of a scope may start at once.
        static WRITING: Mutex<()> = Mutex::new(());
        let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        let directory = private.join(format!("scope-{}", open.number));
        let (bundle, store) = (directory.join("certificates"), directory.join("key-store"));
        let source_of = |position: usize| directory.join(position.to_string());
        if !bundle.exists() {
            let _ = fs::remove_dir_all(&directory);
            DirBuilder::new().mode(0o700).create(&directory)?;
            for (position, (_, content)) in self.content.files.iter().enumerate() {
                write(&source_of(position), content.as_bytes())?;
            }
            let certificates = [&self.content.plan.roots, &b"\n"[..], open.certificate.as_bytes()].concat();
            write(&store, &key_store(&String::from_utf8_lossy(&certificates)))?;
            // Written last: the existence of the bundle tells that all files are there.
            write(&bundle, &certificates)?;
        }
        let mut attached = vec![
            AttachedFile { source: bundle.clone(), path: PathBuf::from(CERTIFICATES) },
            AttachedFile { source: store.clone(), path: PathBuf::from(KEY_STORE) },
        ];
        for path in self.content.bundles.iter().filter_map(|path| real(Path::new(path))) {
            // Several names may lead to one file.
            if path.is_file() && !attached.iter().any(|file| file.path == path) {
                let source = if is_key_store(&path) { &store } else { &bundle };
                attached.push(AttachedFile { source: source.clone(), path });
            }
        }
        if let Some(home) = home.and_then(real) {
            for (position, (path, _)) in self.content.files.iter().enumerate() {
                let named = home.join(path);
                let path = real(&named).filter(|path| path.exists()).unwrap_or(named);
                attached.push(AttachedFile { source: source_of(position), path });
            }
        }
        Ok(attached)
    }
}

/// Writes a new file, as a whole or not at all.
fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let unfinished = path.with_extension("new");
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o444).open(&unfinished)?;
    file.write_all(content)?;
    fs::rename(&unfinished, path)
}
