//! Disks, partitions and the memory.

/// Prefixes of the paths of disks, partitions and the memory.
const DISKS: [&str; 16] = [
    "/dev/sd", "/dev/hd", "/dev/vd", "/dev/xvd", "/dev/nvme", "/dev/mmcblk", "/dev/disk", "/dev/rdisk",
    "/dev/mapper/", "/dev/dm-", "/dev/md", "/dev/nbd", "/dev/mem", "/dev/kmem", "/dev/port", "/dev/block/",
];

/// Returns whether a path is that of a disk, a partition or the memory.
pub(crate) fn is_disk(path: &str) -> bool {
    DISKS.iter().any(|disk| path.starts_with(disk))
}
