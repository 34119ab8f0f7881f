//! Shows changes as a patch in git's format, which `git apply` takes.
//!
//! Git stores files and links, and of their permissions only whether a file is executable. So no patch has
//! directories, named pipes or other permissions.

mod binary;
mod hunks;
mod side;

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use self::binary::{largest_size, write_binary};
use self::hunks::write_hunks;
use self::side::{Content, Side};
use super::change::{Action, Change};
use super::tree::Tree;

/// The form of a patch.
#[derive(Clone, Copy, Debug)]
pub struct DiffOptions {
    /// The number of equal lines around a difference.
    pub context: u32,
    /// The largest size (bytes). Files that do not fit are left out, and counted at the end.
    pub max_bytes: usize,
    /// Whether the patch has the contents of binary files, or only a line that they differ.
    pub has_binary: bool,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self { context: 3, max_bytes: 1 << 20, has_binary: true }
    }
}

/// Writes a patch of changes.
///
/// # Errors
///
/// The system's error, and the path.
pub(super) fn write(
    changes: &[Change],
    layer: &Tree,
    root: &Tree,
    options: DiffOptions,
) -> Result<Vec<u8>, (io::Error, PathBuf)> {
    let mut out = Vec::new();
    let mut left_out = 0_usize;
    for change in changes {
        let mut patch = Patch { out: Vec::new(), options, is_too_large: false };
        patch.write_change(change, layer, root).map_err(|error| (error, change.path.clone()))?;
        if left_out > 0 || patch.is_too_large || out.len() + patch.out.len() > options.max_bytes {
            left_out += usize::from(patch.is_too_large || !patch.out.is_empty());
        } else {
            out.append(&mut patch.out);
        }
    }
    if left_out > 0 {
        let files = if left_out == 1 { "file is" } else { "files are" };
        out.extend_from_slice(format!("# {left_out} more {files} not shown (maxBytes)\n").as_bytes());
    }
    Ok(out)
}

/// The patch of a change.
struct Patch {
    out: Vec<u8>,
    options: DiffOptions,
    /// Whether a content does not fit.
    is_too_large: bool,
}

/// A path and its side of a difference; `None` for a missing one.
type Half<'a> = (&'a Path, Option<&'a Side>);

impl Patch {
    fn write_change(&mut self, change: &Change, layer: &Tree, root: &Tree) -> io::Result<()> {
        let path = &change.path;
        let from = match &change.action {
            Action::Renamed(from) => from,
            _ => path,
        };
        // The others have equal contents.
        let limit =
            (!matches!(change.action, Action::Renamed(_) | Action::Mode)).then_some(self.options.max_bytes);
        let before = if change.action == Action::Created { None } else { Side::read(root, from, limit)? };
        let after = if change.action == Action::Deleted { None } else { Side::read(layer, path, limit)? };
        match (before, after) {
            // A file became a link, or the reverse: git shows a deletion and a creation.
            (Some(before), Some(after)) if before.is_link() != after.is_link() => {
                self.write_pair((from, Some(&before)), (path, None))?;
                self.write_pair((from, None), (path, Some(&after)))
            }
            (before, after) => self.write_pair((from, before.as_ref()), (path, after.as_ref())),
        }
    }

    /// Writes the patch from one side to the other, of which one may be missing.
    fn write_pair(&mut self, old: Half<'_>, new: Half<'_>) -> io::Result<()> {
        let ((from, before), (path, after)) = (old, new);
        let mut head = Vec::new();
        line(&mut head, &[b"diff --git ", &quoted("a/", from), b" ", &quoted("b/", path)]);
        let heads = head.len();
        match (before, after) {
            (None, None) => return Ok(()),
            (None, Some(after)) => line(&mut head, &[format!("new file mode {:o}", after.mode).as_bytes()]),
            (Some(before), None) => {
                line(&mut head, &[format!("deleted file mode {:o}", before.mode).as_bytes()]);
            }
            (Some(before), Some(after)) => {
                if before.mode != after.mode {
                    line(&mut head, &[format!("old mode {:o}", before.mode).as_bytes()]);
                    line(&mut head, &[format!("new mode {:o}", after.mode).as_bytes()]);
                }
                if from != path {
                    line(&mut head, &[b"similarity index 100%"]);
                    line(&mut head, &[b"rename from ", &quoted("", from)]);
                    line(&mut head, &[b"rename to ", &quoted("", path)]);
                }
                if before.content == after.content {
                    if head.len() > heads {
                        self.out.append(&mut head);
                    }
                    return Ok(());
                }
            }
        }
        self.out.append(&mut head);
        self.write_contents(old, new)
    }

    fn write_contents(&mut self, (from, before): Half<'_>, (path, after): Half<'_>) -> io::Result<()> {
        let side = |prefix, path, side: Option<&Side>| {
            if side.is_some() { quoted(prefix, path) } else { b"/dev/null".to_vec() }
        };
        let (old, new) = (side("a/", from, before), side("b/", path, after));
        let sides = [before, after];
        let [one, other] = sides.map(|side| side.map_or(Some(&[][..]), Side::bytes));
        let has_lines = sides.into_iter().flatten().all(|side| side.has_lines(self.options.has_binary));
        if let (Some(one), Some(other), true) = (one, other, has_lines) {
            if one != other {
                line(&mut self.out, &[b"--- ", &old, tab_after(&old)]);
                line(&mut self.out, &[b"+++ ", &new, tab_after(&new)]);
                write_hunks(one, other, self.options.context, &mut self.out);
            }
            return Ok(());
        }
        if sides.into_iter().flatten().all(|side| side.content != Content::Unreadable) {
            let [one, other] = [name_of(before)?, name_of(after)?];
            line(&mut self.out, &[b"index ", one.as_bytes(), b"..", other.as_bytes()]);
        }
        if !self.options.has_binary {
            line(&mut self.out, &[b"Binary files ", &old, b" and ", &new, b" differ"]);
            return Ok(());
        }
        match (one, other) {
            (Some(one), Some(other))
                if largest_size(one.len() as u64, other.len() as u64) <= self.options.max_bytes as u64 =>
            {
                write_binary(one, other, &mut self.out);
            }
            _ => self.is_too_large = true,
        }
        Ok(())
    }
}

/// Returns the name of the object that git makes of a side.
fn name_of(side: Option<&Side>) -> io::Result<String> {
    side.map_or_else(|| Ok(binary::NO_OBJECT.to_owned()), Side::object_name)
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
