//! A side of a difference: the mode and the content that git has of a file or link.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::os::fd::AsFd;
use std::path::Path;

use memchr::memchr;
use rustix::fs::{FileType, Stat};

use super::super::tree::beneath::{is_missing, target};
use super::super::tree::{Tree, name_of};
use super::binary::object_name;

/// The part of a file in which a NUL makes it binary (bytes). As in git.
const BINARY_START: usize = 8000;

/// The largest file whose lines are compared (bytes): above, it counts as binary.
const MAX_FILE: usize = 16 << 20;

/// The mode of a link.
const LINK: u32 = 0o120_000;

/// A file or a link.
pub(super) struct Side {
    pub(super) mode: u32,
    pub(super) content: Content,
}

/// The content of a file, or the target of a link.
pub(super) enum Content {
    /// Nobody needs it.
    Unread,
    Bytes(Vec<u8>),
    /// More than is read.
    Large(RefCell<File>),
    /// A file that this user may not read.
    Unreadable,
}

impl PartialEq for Content {
    /// Compares what is known: large contents are changed ones.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unread, Self::Unread) | (Self::Unreadable, Self::Unreadable) => true,
            (Self::Bytes(one), Self::Bytes(other)) => one == other,
            _ => false,
        }
    }
}

impl Side {
    /// Reads a file or a link; `None` for any other kind. `limit` is the most that a caller can use (bytes);
    /// `None` for no content.
    pub(super) fn read(tree: &Tree, path: &Path, limit: Option<usize>) -> io::Result<Option<Self>> {
        let Some(status) = tree.status(path)? else { return Ok(None) };
        Ok(match FileType::from_raw_mode(status.st_mode) {
            FileType::RegularFile => {
                let content = match limit.map(|limit| Content::of(tree, path, limit)) {
                    None => Content::Unread,
                    Some(Err(error)) if is_missing(&error) => return Ok(None),
                    Some(content) => content?,
                };
                Some(Self { mode: file_mode(&status), content })
            }
            FileType::Symlink => {
                let Some(parent) = tree.parent_of(path)? else { return Ok(None) };
                let target = target(parent.as_fd(), name_of(path))?;
                let content = Content::Bytes(target.into_os_string().into_encoded_bytes());
                Some(Self { mode: LINK, content })
            }
            _ => None,
        })
    }

    pub(super) fn is_link(&self) -> bool {
        self.mode == LINK
    }

    /// Returns the content, if it was read.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Returns whether the lines of the content are compared. With `is_exact`, text that is no UTF-8 counts
    /// as binary: a patch is a text, which would have U+FFFD in its place.
    pub(super) fn has_lines(&self, is_exact: bool) -> bool {
        self.bytes().is_some_and(|content| {
            content.len() <= MAX_FILE
                && memchr(0, content.get(..BINARY_START).unwrap_or(content)).is_none()
                && !(is_exact && std::str::from_utf8(content).is_err())
        })
    }

    /// Returns the name of the object that git makes of the content.
    pub(super) fn object_name(&self) -> io::Result<String> {
        match &self.content {
            Content::Bytes(bytes) => object_name(bytes.len() as u64, &mut bytes.as_slice()),
            Content::Large(file) => {
                let mut file = file.borrow_mut();
                file.seek(SeekFrom::Start(0))?;
                object_name(file.metadata()?.len(), &mut *file)
            }
            Content::Unread | Content::Unreadable => Err(ErrorKind::InvalidInput.into()),
        }
    }
}

impl Content {
    fn of(tree: &Tree, path: &Path, limit: usize) -> io::Result<Self> {
        let mut file = match tree.file(path) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => return Ok(Self::Unreadable),
            other => other?,
        };
        let limit = limit.max(MAX_FILE);
        if file.metadata()?.len() > limit as u64 {
            return Ok(Self::Large(RefCell::new(file)));
        }
        let mut content = Vec::new();
        (&mut file).take(limit as u64).read_to_end(&mut content)?;
        Ok(Self::Bytes(content))
    }
}

/// Returns a mode as git has it.
const fn file_mode(status: &Stat) -> u32 {
    if status.st_mode & 0o100 == 0 { 0o100_644 } else { 0o100_755 }
}
