//! The files through which the engine and a shell communicate: four named pipes and some small files in a
//! private directory.
//!
//! Commands can write there too, also those in a sandbox. So the engine follows no link, waits for no pipe
//! and writes to nothing but what it has made.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use super::files::{COMMAND, CTL, INPUT, STDERR, STDOUT};
use super::flavor::SessionFlavor;
use super::lines::own_streams::OwnStreams;
use crate::process::directory::private::{PipeEnd, PrivateDirectory};

#[derive(Debug)]
pub struct ShellDirectory {
    private: PrivateDirectory,
    flavor: SessionFlavor,
    own_streams: OwnStreams,
    text: String,
    /// The directory's change time (`ctime`) when all files were in place. Adding or removing a file changes
    /// it.
    intact_at: Option<(i64, i64)>,
}

impl ShellDirectory {
    /// Creates the directory of a shell, with all files except the command.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn create(flavor: SessionFlavor, own_streams: OwnStreams) -> io::Result<Self> {
        PrivateDirectory::create(|private| {
            let text = private.path().to_string_lossy().into_owned();
            let mut directory = Self { private, flavor, own_streams, text, intact_at: None };
            directory.repair()?;
            Ok(directory)
        })
    }

    /// Returns the path, as the shell's lines contain it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether no file was added or removed, as far as the clock of the file system tells.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.intact_at.is_some() && self.changed_at() == self.intact_at
    }

    /// Creates the files again that a command has removed. Returns whether the control pipe is a new one.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn repair(&mut self) -> io::Result<bool> {
        let has_control = self.is_pipe(CTL);
        for name in [CTL, STDOUT, STDERR] {
            if !self.is_pipe(name) {
                self.private.make_pipe(name)?;
            }
        }
        for (name, text) in self.flavor.scripts(&self.text, self.own_streams) {
            self.write_anew(name, text.as_bytes())?;
        }
        self.private.make_way(INPUT);
        // An empty file would not show that the disk is full.
        self.write_anew(COMMAND, b"\n")?;
        self.intact_at = self.changed_at();
        Ok(!has_control)
    }

    fn is_pipe(&self, name: &str) -> bool {
        self.private.type_of(name).is_some_and(|kind| kind.is_fifo())
    }

    fn changed_at(&self) -> Option<(i64, i64)> {
        let metadata = fs::symlink_metadata(self.private.path()).ok()?;
        Some((metadata.mtime(), metadata.mtime_nsec()))
    }

    /// Writes a file for the shell.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.private.write(name, bytes)
    }

    /// Writes a file for the shell, in place of anything else with that name.
    fn write_anew(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.private.make_way(name);
        self.write(name, bytes)
    }

    /// Removes a file of the shell, if it exists.
    pub fn remove(&mut self, name: &str) {
        let _ = fs::remove_file(self.private.path().join(name));
        self.intact_at = self.changed_at();
    }

    /// Replaces a named pipe that a process still holds open by a new one of the same name.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn renew_pipe(&mut self, name: &str) -> io::Result<()> {
        self.private.make_pipe(name)?;
        self.intact_at = self.changed_at();
        Ok(())
    }

    /// Writes a file that is removed after the command.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn write_for_once(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.write(name, bytes)?;
        self.intact_at = self.changed_at();
        Ok(())
    }

    /// Opens the reading end of a named pipe, which does not block.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn open_reader(&self, name: &str) -> io::Result<OwnedFd> {
        self.private.open_pipe(name, PipeEnd::Reading)
    }

    /// Opens the writing end of a named pipe, which does not block. `None` while no process has it open for
    /// reading.
    #[must_use]
    pub fn open_writer(&self, name: &str) -> Option<OwnedFd> {
        self.private.open_pipe(name, PipeEnd::Writing).ok()
    }
}
