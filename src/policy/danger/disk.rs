//! Programs that overwrite whole disks, partitions and volumes.

use super::arguments::{has_option, texts};
use crate::policy::commands::{ExpandedCommand, Field};
use crate::policy::decision::{Danger, Effect};

/// Prefixes of the paths of disks, partitions and the memory.
const DISKS: [&str; 16] = [
    "/dev/sd", "/dev/hd", "/dev/vd", "/dev/xvd", "/dev/nvme", "/dev/mmcblk", "/dev/disk", "/dev/rdisk",
    "/dev/mapper/", "/dev/dm-", "/dev/md", "/dev/nbd", "/dev/mem", "/dev/kmem", "/dev/port", "/dev/block/",
];

/// Returns whether a path is that of a disk, a partition or the memory.
pub(super) fn is_disk(path: &str) -> bool {
    DISKS.iter().any(|disk| path.starts_with(disk))
}

pub(super) fn find(name: &str, command: &ExpandedCommand) -> Option<Danger> {
    let texts = texts(&command.words);
    let on_disk = |what: &str| {
        let disk = texts.iter().find(|text| is_disk(text) || text.starts_with("/dev/loop"))?;
        Some(Danger::new(Effect::Overwrite, &format!("{what} {disk}")))
    };
    match name {
        "vgremove" | "lvremove" => Some(Danger::new(Effect::Overwrite, "remove volumes")),
        "mkswap" | "wipefs" | "blkdiscard" | "badblocks" | "mke2fs" | "cryptsetup" | "pvcreate"
        | "pvremove" | "ddrescue" | "hdparm" | "sgdisk" | "gdisk" | "cfdisk" | "newfs" => {
            if only_reads(name, &command.words, &texts) { None } else { on_disk("overwrite") }
        }
        "fdisk" | "sfdisk" | "parted" => {
            if edits_partitions(&texts) {
                on_disk("change the partitions of")
            } else {
                None
            }
        }
        "nvme" if texts.iter().any(|text| matches!(*text, "format" | "sanitize" | "write-zeroes")) => {
            on_disk("erase")
        }
        "zpool" | "zfs" if texts.contains(&"destroy") => {
            Some(Danger::new(Effect::Overwrite, "destroy a file system"))
        }
        "mdadm" if texts.contains(&"--zero-superblock") => on_disk("erase"),
        "diskutil"
            if texts.iter().any(|text| {
                text.to_lowercase().starts_with("erase")
                    || matches!(*text, "partitionDisk" | "zeroDisk" | "secureErase")
            }) =>
        {
            Some(Danger::new(Effect::Overwrite, "erase a disk"))
        }
        name if name.starts_with("mkfs") || name.starts_with("newfs_") => {
            on_disk("make a new file system on")
        }
        _ => None,
    }
}

/// Returns whether a program for disks only shows something.
fn only_reads(name: &str, words: &[Field], texts: &[&str]) -> bool {
    match name {
        "hdparm" => !texts.iter().any(|text| {
            text.starts_with("--security")
                || text.starts_with("--trim")
                || text.starts_with("--make-bad")
                || text.starts_with("--write")
        }),
        "wipefs" => !has_option(words, 'a', "all") && !has_option(words, 'o', "offset"),
        "badblocks" => !has_option(words, 'w', "write"),
        "sgdisk" | "gdisk" => has_option(words, 'p', "print") || has_option(words, 'l', "list"),
        "cryptsetup" => !texts.iter().any(|text| {
            matches!(
                *text,
                "luksFormat" | "erase" | "luksErase" | "reencrypt" | "luksRemoveKey" | "luksKillSlot"
            )
        }),
        _ => false,
    }
}

fn edits_partitions(texts: &[&str]) -> bool {
    let reads = texts.iter().any(|text| {
        matches!(
            *text,
            "-l" | "--list" | "print" | "-x" | "-d" | "--dump" | "-s" | "--getsz" | "-J" | "--json"
        )
    });
    let writes = texts
        .iter()
        .any(|text| matches!(*text, "--delete" | "mklabel" | "mkpart" | "rm" | "resizepart" | "mktable"));
    !reads || writes
}
