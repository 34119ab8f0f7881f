//! Programs for whole disks, partitions and volumes.

use crate::policy::commands::{ExpandedCommand, Field};
use crate::policy::danger::{ProtectedPaths, has_option, is_disk, texts};
use crate::policy::decision::{Danger, Effect};
use crate::policy::programs::program::{harmful, query, reads};
use crate::policy::programs::{Operands, Program};
use Operands::Files;

pub(in crate::policy::programs) const PROGRAMS: &[Program] = &[
    harmful(&["vgremove", "lvremove"], &[volumes]),
    harmful(
        &[
            "mkswap", "wipefs", "blkdiscard", "badblocks", "mke2fs", "cryptsetup", "pvcreate", "pvremove",
            "ddrescue", "hdparm", "sgdisk", "gdisk", "cfdisk", "newfs",
        ],
        &[disk],
    ),
    harmful(&["fdisk", "sfdisk", "parted"], &[partitions]),
    harmful(&["nvme"], &[nvme]),
    harmful(&["zpool", "zfs"], &[zfs]),
    harmful(&["mdadm"], &[mdadm]),
    harmful(&["diskutil"], &[diskutil]),
    harmful(&["mkfs*", "newfs_*"], &[mkfs]),
    reads(
        &["lsblk"],
        query("abdfiJlmnOpPrSstz", "oexIM", "all json help version fs output= paths list", Files),
    ),
];

/// Returns the harm of an effect on the first disk among the arguments.
fn on_disk(what: &str, command: &ExpandedCommand) -> Option<Danger> {
    let texts = texts(&command.words);
    let disk = texts.iter().find(|text| is_disk(text) || text.starts_with("/dev/loop"))?;
    Some(Danger::new(Effect::Overwrite, &format!("{what} {disk}")))
}

fn volumes(_: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    Some(Danger::new(Effect::Overwrite, "remove volumes"))
}

fn disk(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let reads = only_reads(command.base_name()?, &command.words, &texts(&command.words));
    if reads { None } else { on_disk("overwrite", command) }
}

fn partitions(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    if edits_partitions(&texts(&command.words)) { on_disk("change the partitions of", command) } else { None }
}

fn nvme(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let is_erasing = |text: &&str| matches!(*text, "format" | "sanitize" | "write-zeroes");
    if texts(&command.words).iter().any(is_erasing) { on_disk("erase", command) } else { None }
}

fn zfs(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let destroys = texts(&command.words).contains(&"destroy");
    destroys.then(|| Danger::new(Effect::Overwrite, "destroy a file system"))
}

fn mdadm(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    if texts(&command.words).contains(&"--zero-superblock") { on_disk("erase", command) } else { None }
}

fn diskutil(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let is_erasing = |text: &&str| {
        text.to_lowercase().starts_with("erase")
            || matches!(*text, "partitionDisk" | "zeroDisk" | "secureErase")
    };
    let erases = texts(&command.words).iter().any(is_erasing);
    erases.then(|| Danger::new(Effect::Overwrite, "erase a disk"))
}

fn mkfs(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    on_disk("make a new file system on", command)
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
