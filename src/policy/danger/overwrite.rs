//! Disks, partitions and files of the system that are overwritten.

use super::places::Places;
use super::{danger, has_option, operands, texts};
use crate::policy::commands::Found;
use crate::policy::decision::{Danger, Effect};
use crate::policy::syntax::tree::Mode;

/// Begins of the names of disks and partitions.
const DISKS: [&str; 16] = [
    "/dev/sd",
    "/dev/hd",
    "/dev/vd",
    "/dev/xvd",
    "/dev/nvme",
    "/dev/mmcblk",
    "/dev/disk",
    "/dev/rdisk",
    "/dev/mapper/",
    "/dev/dm-",
    "/dev/md",
    "/dev/nbd",
    "/dev/mem",
    "/dev/kmem",
    "/dev/port",
    "/dev/block/",
];

/// Files without which nobody logs in or nothing starts.
const FILES: [&str; 21] = [
    "/etc/passwd",
    "/etc/shadow",
    "/etc/group",
    "/etc/gshadow",
    "/etc/sudoers",
    "/etc/fstab",
    "/etc/ld.so.preload",
    "/etc/ld.so.conf",
    "/etc/crontab",
    "/etc/profile",
    "/etc/hosts",
    "/etc/resolv.conf",
    "/etc/ssh/sshd_config",
    "/etc/inittab",
    "/etc/securetty",
    "/etc/environment",
    "/etc/bash.bashrc",
    "/etc/nsswitch.conf",
    "/etc/shells",
    "/etc/machine-id",
    "/proc/sysrq-trigger",
];

/// Directories in which every file belongs to the system.
const DIRECTORIES: [&str; 13] = [
    "/bin/",
    "/sbin/",
    "/boot/",
    "/lib/",
    "/lib64/",
    "/usr/bin/",
    "/usr/sbin/",
    "/usr/lib/",
    "/sys/",
    "/proc/sys/",
    "/etc/pam.d/",
    "/etc/sudoers.d/",
    "/etc/cron.d/",
];

/// Files of those that are added to without harm.
const MAY_GROW: [&str; 3] = ["/etc/hosts", "/etc/fstab", "/etc/environment"];

pub(super) fn by_redirection(command: &Found, places: &Places) -> Option<Danger> {
    command.redirections.iter().find_map(|redirect| {
        let is_append = redirect.mode == Mode::Append;
        let is_write =
            matches!(redirect.mode, Mode::Write | Mode::ReadWrite | Mode::DuplicateOutput) || is_append;
        if is_write { writes(&redirect.target.text, is_append, command, places) } else { None }
    })
}

/// Whether something is written to a disk or a file of the system.
fn writes(target: &str, is_append: bool, command: &Found, places: &Places) -> Option<Danger> {
    let path = places.file(target, command)?;
    if is_disk(&path) {
        return Some(danger(Effect::Overwrite, &format!("overwrite {path}, a disk")));
    }
    let is_file = FILES.contains(&path.as_str()) && !(is_append && MAY_GROW.contains(&path.as_str()));
    let is_in_directory = DIRECTORIES.iter().any(|directory| path.starts_with(directory));
    let is_exact = !places.is_inside_root(&path);
    let is_harmful = (is_file || is_in_directory) && is_exact;
    is_harmful.then(|| danger(Effect::Overwrite, &format!("overwrite {path}, a file of the system")))
}

fn is_disk(path: &str) -> bool {
    DISKS.iter().any(|disk| path.starts_with(disk))
}

pub(super) fn find(name: &str, command: &Found, places: &Places) -> Option<Danger> {
    let words = &command.words;
    let texts = texts(words);
    let disk = || texts.iter().find(|text| is_disk(text) || text.starts_with("/dev/loop"));
    let on_disk = |what: &str| disk().map(|disk| danger(Effect::Overwrite, &format!("{what} {disk}")));
    match name {
        "dd" => {
            let target = texts.iter().find_map(|text| text.strip_prefix("of="));
            let source = texts.iter().find_map(|text| text.strip_prefix("if="));
            let is_bounded = texts.iter().any(|text| text.starts_with("count="));
            let is_endless =
                matches!(source, Some("/dev/zero" | "/dev/urandom" | "/dev/random" | "/dev/full"));
            if let Some(found) = target.and_then(|target| writes(target, false, command, places)) {
                return Some(found);
            }
            let fills =
                is_endless && !is_bounded && target.is_some_and(|target| !target.starts_with("/dev/"));
            fills.then(|| danger(Effect::Shutdown, "fill the disk"))
        }
        "tee" | "sponge" => {
            let is_append = has_option(words, 'a', "append");
            operands(words).find_map(|field| writes(&field.text, is_append, command, places))
        }
        "cp" | "gcp" | "mv" | "install" | "ln" | "rsync" | "scp" => {
            let target = operands(words).last()?;
            if operands(words).count() < 2 {
                return None;
            }
            let path = places.file(&target.text, command)?;
            // A new program in a directory of the system is no loss; a link or a copy over a file of it is.
            if is_disk(&path)
                || FILES.contains(&path.as_str())
                || path.starts_with("/boot/")
                || path.starts_with("/proc/")
                || path.starts_with("/sys/")
                || is_base_program(&path)
            {
                return writes(&target.text, false, command, places);
            }
            None
        }
        "truncate" | "shred" => operands(words).find_map(|field| writes(&field.text, false, command, places)),
        "rm" | "unlink" => operands(words).find_map(|field| {
            let path = places.file(&field.text, command)?;
            let is_file = FILES[..7].contains(&path.as_str()) || is_disk(&path) || is_base_program(&path);
            is_file.then(|| danger(Effect::Removal, &format!("remove {path}, a file of the system")))
        }),
        "sed" | "gsed" | "perl" | "vim" | "ex" => {
            let edits = has_option(words, 'i', "in-place");
            if !edits {
                return None;
            }
            operands(words).find_map(|field| {
                let path = places.file(&field.text, command)?;
                FILES[..5]
                    .contains(&path.as_str())
                    .then(|| danger(Effect::Overwrite, &format!("change {path}, a file of the system")))
            })
        }
        "mkswap" | "wipefs" | "blkdiscard" | "badblocks" | "mke2fs" | "cryptsetup" | "pvcreate"
        | "pvremove" | "vgremove" | "lvremove" | "ddrescue" | "hdparm" | "sgdisk" | "gdisk" | "cfdisk"
        | "newfs" => {
            let reads = match name {
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
            };
            if reads {
                None
            } else if matches!(name, "vgremove" | "lvremove") {
                Some(danger(Effect::Overwrite, "remove volumes"))
            } else {
                on_disk("overwrite")
            }
        }
        "fdisk" | "sfdisk" | "parted" => {
            let reads = texts.iter().any(|text| {
                matches!(
                    *text,
                    "-l" | "--list" | "print" | "-x" | "-d" | "--dump" | "-s" | "--getsz" | "-J" | "--json"
                )
            });
            let writes = texts.iter().any(|text| {
                matches!(*text, "--delete" | "mklabel" | "mkpart" | "rm" | "resizepart" | "mktable")
            });
            if reads && !writes { None } else { on_disk("change the partitions of") }
        }
        "nvme" if texts.iter().any(|text| matches!(*text, "format" | "sanitize" | "write-zeroes")) => {
            on_disk("erase")
        }
        "zpool" | "zfs" if texts.contains(&"destroy") => {
            Some(danger(Effect::Overwrite, "destroy a file system"))
        }
        "mdadm" if texts.contains(&"--zero-superblock") => on_disk("erase"),
        "diskutil"
            if texts.iter().any(|text| {
                text.to_lowercase().starts_with("erase")
                    || matches!(*text, "partitionDisk" | "zeroDisk" | "secureErase")
            }) =>
        {
            Some(danger(Effect::Overwrite, "erase a disk"))
        }
        name if name.starts_with("mkfs") || name.starts_with("newfs_") => {
            on_disk("make a new file system on")
        }
        _ => None,
    }
}

/// A program or a library without which little runs.
fn is_base_program(path: &str) -> bool {
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(directory, "/bin" | "/usr/bin" | "/sbin" | "/usr/sbin")
        && matches!(
            name,
            "sh" | "bash"
                | "dash"
                | "sudo"
                | "su"
                | "ls"
                | "cat"
                | "login"
                | "init"
                | "systemctl"
                | "mount"
                | "env"
                | "rm"
                | "cp"
                | "ssh"
                | "passwd"
                | "python3"
                | "perl"
                | "apt"
                | "dpkg"
        )
        || path.starts_with("/lib/") && name.starts_with("libc")
        || path.starts_with("/lib64/")
}
