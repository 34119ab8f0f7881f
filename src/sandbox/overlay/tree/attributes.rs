//! The attributes that a commit gives to files: owner, permissions, access control lists (ACL), extended
//! attributes.
//!
//! A file with an ACL has its largest group permissions (the mask) in the mode. Its mode alone would give
//! them to the group, so the mode and the ACL are always set together.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::fs::{
    Gid, Mode, Stat, Uid, XattrFlags, chmod, chown, getxattr, getxattr_query, listxattr, removexattr,
    setxattr,
};
use rustix::io::Errno;

use super::beneath::kind;
use crate::sandbox::overlay::change::Kind;

/// The set-uid and the set-gid bit.
const SET_ID: u32 = 0o6000;

/// The permissions of a file without them, with the sticky bit.
const PERMISSIONS: u32 = 0o1777;

/// The set-gid bit of a directory, which gives no rights: entries get the directory's group.
const SET_GID: u32 = 0o2000;

/// The largest attribute that is read (bytes). The kernel's limit.
const MAX_VALUE: usize = 64 << 10;

/// The attributes of overlayfs.
const OF_OVERLAY: &[u8] = b"user.overlay.";

const ACCESS_ACL: &CStr = c"system.posix_acl_access";
const DEFAULT_ACL: &CStr = c"system.posix_acl_default";

/// Returns the permissions that a commit gives to a new file with this status: a command can't make a
/// program of the workspace run as its owner or group.
pub(in crate::sandbox::overlay) fn permissions(found: &Stat) -> u32 {
    let kept = if kind(found) == Kind::Directory { PERMISSIONS | SET_GID } else { PERMISSIONS };
    found.st_mode & kept
}

/// Returns the permissions that a commit gives to a file with the same content: bits that the file has
/// already stay, if the layer has them too.
pub(in crate::sandbox::overlay) fn changed_permissions(found: &Stat, before: &Stat) -> u32 {
    permissions(found) | (found.st_mode & before.st_mode & SET_ID)
}

/// Returns a path by which the system finds the file of a descriptor, whatever its name means by now. Needed
/// for `O_PATH` descriptors, and for the kinds of files that can't be opened.
pub(in crate::sandbox::overlay) fn by_descriptor(file: BorrowedFd<'_>) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// Changes the permissions of an open file, also of an `O_PATH` descriptor.
pub(in crate::sandbox::overlay) fn change_mode(file: BorrowedFd<'_>, mode: Mode) -> io::Result<()> {
    Ok(chmod(by_descriptor(file), mode & Mode::from_raw_mode(0o7777))?)
}

/// The access control lists of a file.
#[derive(Debug, PartialEq, Eq)]
struct Lists {
    /// Empty for none, `None` on a file system without them.
    access: Option<Vec<u8>>,
    /// The list for new files in a directory.
    default: Option<Vec<u8>>,
}

impl Lists {
    fn of(file: BorrowedFd<'_>) -> io::Result<Self> {
        Ok(Self { access: value(file, ACCESS_ACL)?, default: value(file, DEFAULT_ACL)? })
    }
}

/// Returns whether two open files have equal access control lists, as far as both file systems have them.
pub(in crate::sandbox::overlay) fn have_equal_lists(
    one: BorrowedFd<'_>,
    other: BorrowedFd<'_>,
) -> io::Result<bool> {
    let are_equal =
        |one: Option<Vec<u8>>, other: Option<Vec<u8>>| one.is_none() || other.is_none() || one == other;
    let (one, other) = (Lists::of(one)?, Lists::of(other)?);
    Ok(are_equal(one.access, other.access) && are_equal(one.default, other.default))
}

/// Returns an attribute; an empty one if the file has none, and `None` on a file system without them.
fn value(file: BorrowedFd<'_>, name: &CStr) -> io::Result<Option<Vec<u8>>> {
    let path = by_descriptor(file);
    // Most files have none, and need no buffer.
    match getxattr_query(&path, name) {
        Err(Errno::NODATA) | Ok(0) => return Ok(Some(Vec::new())),
        Err(Errno::OPNOTSUPP) => return Ok(None),
        other => other?,
    };
    let mut value = vec![0; MAX_VALUE];
    let length = getxattr(&path, name, &mut value[..])?;
    value.truncate(length);
    Ok(Some(value))
}

/// Gives a new file a mode, and the owner and the attributes of its version in the layer, with the other
/// attributes of the file that it replaces. Each may be an `O_PATH` descriptor.
pub(in crate::sandbox::overlay) fn give(
    file: BorrowedFd<'_>,
    mode: u32,
    source: BorrowedFd<'_>,
    found: &Stat,
    replaced: Option<BorrowedFd<'_>>,
) -> io::Result<()> {
    give_owner(file, found);
    if let Some(replaced) = replaced {
        copy_attributes(file, replaced, |name| !is_of_user(name) && !is_of_rights(name));
    }
    copy_attributes(file, source, |name| is_of_user(name) && !name.starts_with(OF_OVERLAY));
    set_permissions(file, mode, source, replaced)
}

/// Sets the permissions of an open file, also of an `O_PATH` descriptor, with the access control lists of its
/// version in the layer. Where the layer's file system has none, those of the file before stay.
pub(in crate::sandbox::overlay) fn set_permissions(
    file: BorrowedFd<'_>,
    mode: u32,
    source: BorrowedFd<'_>,
    before: Option<BorrowedFd<'_>>,
) -> io::Result<()> {
    let mut lists = Lists::of(source)?;
    if let Some(before) = before.filter(|_| lists.access.is_none()) {
        lists = Lists::of(before)?;
    }
    let mut mode = mode;
    let path = by_descriptor(file);
    for (name, list) in [(ACCESS_ACL, lists.access), (DEFAULT_ACL, lists.default)] {
        let set = match &list {
            None => continue,
            Some(list) if list.is_empty() => removexattr(&path, name),
            Some(list) => setxattr(&path, name, list, XattrFlags::empty()),
        };
        match (set, list) {
            (Err(Errno::OPNOTSUPP), Some(list)) if name == ACCESS_ACL && !list.is_empty() => {
                mode = without_mask(mode, &list);
            }
            (Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP), _) => {}
            (Err(error), _) => return Err(error.into()),
        }
    }
    change_mode(file, Mode::from_raw_mode(mode))
}

/// Sets the owner and the group, or the group alone, as far as this user may.
fn give_owner(file: BorrowedFd<'_>, found: &Stat) {
    let (owner, group) = (Uid::from_raw(found.st_uid), Gid::from_raw(found.st_gid));
    let path = by_descriptor(file);
    if chown(&path, Some(owner), Some(group)).is_err() {
        let _ = chown(&path, None, Some(group));
    }
}

/// Copies attributes, as far as the file system and this user can.
fn copy_attributes(file: BorrowedFd<'_>, from: BorrowedFd<'_>, is_copied: impl Fn(&[u8]) -> bool) {
    let mut names = vec![0; MAX_VALUE];
    let Ok(length) = listxattr(by_descriptor(from), &mut names[..]) else { return };
    for name in names.get(..length).unwrap_or_default().split(|byte| *byte == 0) {
        let Some(name) =
            CString::new(name).ok().filter(|name| !name.is_empty() && is_copied(name.to_bytes()))
        else {
            continue;
        };
        if let Ok(Some(value)) = value(from, &name) {
            let _ = setxattr(by_descriptor(file), &name, &value, XattrFlags::empty());
        }
    }
}

fn is_of_user(name: &[u8]) -> bool {
    name.starts_with(b"user.")
}

/// Returns whether an attribute gives rights, or is about the content: no other content gets it.
fn is_of_rights(name: &[u8]) -> bool {
    name.starts_with(b"system.") || matches!(name, b"security.capability" | b"security.ima" | b"security.evm")
}

/// Returns a mode without the mask of an access control list: the group gets what the list gives it.
fn without_mask(mode: u32, list: &[u8]) -> u32 {
    const GROUP: u16 = 4;
    // A version of 4 bytes, then entries: a kind, the permissions, and the number of a user or group.
    let entries = list.get(4..).unwrap_or_default().chunks_exact(8);
    let mut fields = entries.filter_map(|entry| {
        let [kind_low, kind_high, low, _, ..] = entry else { return None };
        Some((u16::from_le_bytes([*kind_low, *kind_high]), u32::from(*low)))
    });
    let group = fields.find(|(kind, _)| *kind == GROUP).map_or(0, |(_, permissions)| permissions);
    mode & (!0o070 | (group & 7) << 3)
}

#[cfg(test)]
mod tests {
    use super::without_mask;

    #[test]
    fn a_mode_without_its_list_gives_the_group_no_more_than_the_list() {
        let entry = |kind: u16, permissions: u16| {
            [kind.to_le_bytes().as_slice(), &permissions.to_le_bytes(), &u32::MAX.to_le_bytes()].concat()
        };
        let entries = [entry(1, 6), entry(2, 6), entry(4, 4), entry(0x10, 6), entry(0x20, 0)].concat();
        let list = [2_u32.to_le_bytes().as_slice(), &entries].concat();
        assert_eq!(without_mask(0o660, &list), 0o640);
        assert_eq!(without_mask(0o1600, &list), 0o1600);
    }
}
