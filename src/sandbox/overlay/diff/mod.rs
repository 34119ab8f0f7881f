//! Shows changes as a patch in git's format, which `git apply` takes.
//!
//! Git stores files and links, and of their permissions only whether a file is executable. So no patch has
//! directories, named pipes or other permissions.

mod hunks;

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use memchr::memchr;
use rustix::fs::{FileType, Stat};

use self::hunks::write_hunks;
use super::beneath::{open_directory, open_file, status_of, target};
use super::change::{Action, Change};

/// The form of a patch.
#[derive(Clone, Copy, Debug)]
pub struct DiffOptions {
    /// The number of equal lines around a difference.
    pub context: u32,
    /// The largest size (bytes). Files that do not fit are left out, and counted at the end.
    pub max_bytes: usize,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self { context: 3, max_bytes: 1 << 20 }
    }
}

/// The part of a file in which a NUL makes it binary (bytes). As in git.
const BINARY_START: usize = 8000;

/// The largest file whose lines are compared (bytes): above, it counts as binary.
const MAX_FILE: u64 = 16 << 20;

/// Writes a patch of changes.
///
/// # Errors
///
/// The system's error, and the path.
pub fn write(
    changes: &[Change],
    layer: BorrowedFd<'_>,
    root: BorrowedFd<'_>,
    options: DiffOptions,
) -> Result<Vec<u8>, (io::Error, PathBuf)> {
    let mut out = Vec::new();
    let mut left_out = 0_usize;
    for change in changes {
        let mut patch = Vec::new();
        write_change(change, layer, root, options.context, &mut patch)
            .map_err(|error| (error, change.path.clone()))?;
        if left_out > 0 || out.len() + patch.len() > options.max_bytes {
            left_out += usize::from(!patch.is_empty());
        } else {
            out.append(&mut patch);
        }
    }
    if left_out > 0 {
        let files = if left_out == 1 { "file is" } else { "files are" };
        out.extend_from_slice(format!("# {left_out} more {files} not shown (maxBytes)\n").as_bytes());
    }
    Ok(out)
}

/// A side of a difference.
struct Side {
    mode: u32,
    /// `None` for a file that is too large to be compared.
    content: Option<Vec<u8>>,
}

impl Side {
    /// Reads a file or a link; `None` for any other kind.
    fn read(directory: BorrowedFd<'_>, path: &Path) -> io::Result<Option<Self>> {
        let Some(status) = status_of(directory, path)? else { return Ok(None) };
        Ok(match FileType::from_raw_mode(status.st_mode) {
            FileType::RegularFile => {
                Some(Self { mode: file_mode(&status), content: content(open_file(directory, path)?)? })
            }
            FileType::Symlink => {
                let parent = open_directory(directory, path.parent().unwrap_or(Path::new("")))?;
                let name = Path::new(path.file_name().unwrap_or_default());
                let target = target(parent.as_fd(), name)?;
                Some(Self { mode: 0o120_000, content: Some(target.into_os_string().into_encoded_bytes()) })
            }
            _ => None,
        })
    }

    fn is_link(&self) -> bool {
        self.mode == 0o120_000
    }

    fn is_binary(&self) -> bool {
        self.content
            .as_ref()
            .is_none_or(|content| memchr(0, content.get(..BINARY_START).unwrap_or(content)).is_some())
    }
}

/// Returns a mode as git has it.
const fn file_mode(status: &Stat) -> u32 {
    if status.st_mode & 0o100 == 0 { 0o100_644 } else { 0o100_755 }
}

fn content(file: File) -> io::Result<Option<Vec<u8>>> {
    let mut content = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut content)?;
    Ok((content.len() as u64 <= MAX_FILE).then_some(content))
}

fn write_change(
    change: &Change,
    layer: BorrowedFd<'_>,
    root: BorrowedFd<'_>,
    context: u32,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let path = &change.path;
    let from = match &change.action {
        Action::Renamed(from) => from,
        _ => path,
    };
    let before = if change.action == Action::Created { None } else { Side::read(root, from)? };
    let after = if change.action == Action::Deleted { None } else { Side::read(layer, path)? };
    match (before, after) {
        // A file became a link, or the reverse: git shows a deletion and a creation.
        (Some(before), Some(after)) if before.is_link() != after.is_link() => {
            write_pair((from, Some(&before)), (path, None), context, out);
            write_pair((from, None), (path, Some(&after)), context, out);
        }
        (before, after) => write_pair((from, before.as_ref()), (path, after.as_ref()), context, out),
    }
    Ok(())
}

/// Writes the patch from one side to the other, of which one may be missing.
fn write_pair(
    (from, before): (&Path, Option<&Side>),
    (path, after): (&Path, Option<&Side>),
    context: u32,
    out: &mut Vec<u8>,
) {
    let (old, new) = (quoted("a/", from), quoted("b/", path));
    let mut head = Vec::new();
    line(&mut head, &[b"diff --git ", &old, b" ", &new]);
    match (before, after) {
        (None, None) => return,
        (None, Some(after)) => line(&mut head, &[format!("new file mode {:o}", after.mode).as_bytes()]),
        (Some(before), None) => line(&mut head, &[format!("deleted file mode {:o}", before.mode).as_bytes()]),
        (Some(before), Some(after)) => {
            if before.mode != after.mode {
                line(&mut head, &[format!("old mode {:o}", before.mode).as_bytes()]);
                line(&mut head, &[format!("new mode {:o}", after.mode).as_bytes()]);
            }
            if from != path {
                line(&mut head, &[b"similarity index 100%"]);
                line(&mut head, &[b"rename from ", &quoted("", from)]);
                line(&mut head, &[b"rename to ", &quoted("", path)]);
            } else if before.mode == after.mode && before.content == after.content && before.content.is_some()
            {
                return;
            }
        }
    }
    out.append(&mut head);
    let empty = Some(Vec::new());
    let [one, other] = [before, after].map(|side| side.map_or(&empty, |side| &side.content));
    if from != path || (one == other && one.is_some()) {
        return;
    }
    let nothing = b"/dev/null".to_vec();
    let old = if before.is_some() { old } else { nothing.clone() };
    let new = if after.is_some() { new } else { nothing };
    match (one, other) {
        (Some(one), Some(other)) if ![before, after].into_iter().flatten().any(Side::is_binary) => {
            line(out, &[b"--- ", &old, tab_after(&old)]);
            line(out, &[b"+++ ", &new, tab_after(&new)]);
            write_hunks(one, other, context, out);
        }
        _ => line(out, &[b"Binary files ", &old, b" and ", &new, b" differ"]),
    }
}

fn line(out: &mut Vec<u8>, parts: &[&[u8]]) {
    for part in parts {
        out.extend_from_slice(part);
    }
    out.push(b'\n');
}

/// Returns what ends a name in the two lines before the hunks: a tab, if the name has a space.
fn tab_after(name: &[u8]) -> &'static [u8] {
    if name.contains(&b' ') && !name.starts_with(b"\"") { b"\t" } else { b"" }
}

/// Returns a path with a prefix, in quotes if a patch needs them.
fn quoted(prefix: &str, path: &Path) -> Vec<u8> {
    let whole = [prefix.as_bytes(), path.as_os_str().as_bytes()].concat();
    let is_special = |byte: &u8| *byte < 0x20 || *byte >= 0x7f || matches!(byte, b'"' | b'\\');
    if !whole.iter().any(is_special) {
        return whole;
    }
    let mut out = vec![b'"'];
    for byte in whole {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            b'\n' => out.extend(b"\\n"),
            b'\t' => out.extend(b"\\t"),
            0x20..0x7f => out.push(byte),
            _ => out.extend(format!("\\{byte:03o}").as_bytes()),
        }
    }
    out.push(b'"');
    out
}
