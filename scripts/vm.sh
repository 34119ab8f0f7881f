#!/bin/sh
# Runs a command as root in a virtual machine with cgroups of version 2 only:
# scripts/vm.sh [--systemd] COMMAND…
#
# The machine has the kernel of Debian, which apt downloads once (70 MB). It needs qemu-system-x86,
# busybox-static and apt, and no root. It is emulated, so everything takes about 20 times as long.
#
# * Without --systemd, it has the files of this machine, read over 9p and writable in its memory, and a
#   directory of cgroups in AGENT_BASH_CGROUP.
# * With --systemd, it is a Debian 12 of its own, made once with mmdebstrap and genext2fs (200 MB): systemd as
#   its first process, logins by ssh to localhost, and the accounts `user` and `root`. Node.js and this
#   repository are those of this machine. VM_HOME names a file that becomes the disk of /home and is kept: a
#   second run with it is the same machine after a restart.
set -eu
systemd=0
[ "${1:-}" != --systemd ] || { systemd=1; shift; }
[ $# -gt 0 ] || { echo 'usage: scripts/vm.sh [--systemd] COMMAND…' >&2; exit 2; }
repository=$(cd "$(dirname "$0")/.." && pwd)
cache=$repository/target/vm
initramfs=$cache/initramfs
mkdir -p "$cache"

if [ ! -f "$initramfs/modules/ext4.ko" ]; then
  rm -rf "$cache/kernel" "$initramfs"
  package=$(apt-cache depends linux-image-amd64 |
    sed -n 's/^ *Depends: \(linux-image-.*-amd64\)$/\1/p' | head -n 1)
  (cd "$cache" && apt-get download "$package" && dpkg-deb -x "$package"_*.deb kernel && rm "$package"_*.deb)
  mv "$cache"/kernel/boot/vmlinuz-* "$cache/vmlinuz"
  mkdir -p "$initramfs/bin" "$initramfs/modules"
  cp /bin/busybox "$initramfs/bin/busybox"
  for module in virtio virtio_ring virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci fscache netfs 9pnet \
    9pnet_virtio 9p overlay virtio_blk crc16 crc32c_generic libcrc32c mbcache jbd2 ext4; do
    find "$cache/kernel/lib/modules" -name "$module.ko" -exec cp {} "$initramfs/modules/" \;
  done
  rm -rf "$cache/kernel"
fi

# Makes the Debian of --systemd. The masked units wait for hardware, or have nothing to do here.
make_debian() {
  packages="systemd-sysv,dbus-user-session,libpam-systemd,polkitd,openssh-server,iproute2,procps,libstdc++6,git"
  mmdebstrap --variant=minbase --include="$packages" --format=ext2 \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --customize-hook='chroot "$1" useradd --shell /bin/bash --create-home user' \
    --customize-hook='mkdir -p "$1/root/.ssh" && chroot "$1" ssh-keygen -q -t ed25519 -N "" -f /root/.ssh/id_ed25519' \
    --customize-hook='cp "$1/root/.ssh/id_ed25519.pub" "$1/etc/ssh/login-key"' \
    --customize-hook='printf "%s\n" "AuthorizedKeysFile /etc/ssh/login-key" > "$1/etc/ssh/sshd_config.d/key.conf"' \
    --customize-hook='printf "%s\n" "StrictHostKeyChecking no" "LogLevel ERROR" > "$1/root/.ssh/config"' \
    --customize-hook='cd "$1/etc/systemd/system" && for unit in systemd-udevd.service systemd-udev-trigger.service \
      systemd-udevd-control.socket systemd-udevd-kernel.socket getty.target serial-getty@.service apt-daily.timer \
      apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer \
      systemd-timesyncd.service systemd-random-seed.service systemd-journal-flush.service; do \
      ln -sf /dev/null "$unit"; done' \
    bookworm "$1"
}

if [ $systemd = 1 ]; then
  debian=$cache/debian.ext2
  [ -f "$debian" ] || { make_debian "$debian.part" && mv "$debian.part" "$debian"; }
  home=${VM_HOME:-$cache/home.ext4}
  [ -n "${VM_HOME:-}" ] || rm -f "$home"
  [ -f "$home" ] || /sbin/mkfs.ext4 -q "$home" 512M 2> /dev/null
  disks="-drive file=$debian,format=raw,if=virtio,readonly=on -drive file=$home,format=raw,if=virtio"
  path=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
  variables='HOME=/root'
else
  disks=
  path=$PATH
  variables='HOME=/tmp AGENT_BASH_CGROUP=/sys/fs/cgroup/commands'
fi
node=$(command -v node)
npm=$(dirname "$(dirname "$(readlink -f "$node")")")/lib/node_modules

cat > "$initramfs/init" <<END
#!/bin/busybox sh
systemd=$systemd
repository='$repository'
node='$(readlink -f "$node")'
npm='$npm'
END
cat >> "$initramfs/init" <<'END'
/bin/busybox --install -s /bin
mkdir -p /dev /proc /lower /memory /root
mount -t devtmpfs devtmpfs /dev
mount -t proc proc /proc
cd /modules
# Some need others, so each is tried until all are in.
for round in 1 2 3 4; do
  for module in *.ko; do insmod "$module" 2> /dev/null; done
done
mount -t tmpfs memory /memory
# Mounts a directory that is read from $1, and written in memory, at $2.
layer() {
  name=$(echo "$2" | tr / -)
  mkdir -p "/memory/upper$name" "/memory/work$name" "$2"
  mount -t overlay -o "lowerdir=$1,upperdir=/memory/upper$name,workdir=/memory/work$name" overlay "$2"
}
files='mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=512000,cache=loose files'
if [ "$systemd" = 1 ]; then
  mount -t ext4 -o ro /dev/vda /lower
  layer /lower /root
  mkdir -p /root/machine
  $files /root/machine
  layer "/root/machine$repository" "/root$repository"
  mount -t ext4 /dev/vdb /root/home
  [ -d /root/home/user ] || { mkdir -m 700 /root/home/user && chown 1000:1000 /root/home/user; }
  ln -s "/machine$node" /root/usr/local/bin/node
  mkdir -p "/root$npm" && mount --bind "/root/machine$npm" "/root$npm"
  for program in npm npx; do ln -s "$npm/npm/bin/$program-cli.js" "/root/usr/local/bin/$program"; done
  echo '127.0.0.1 localhost' > /root/etc/hosts
  cp /command /root/etc/agent-bash-vm # also the sign by which tests know this machine
  printf '%s\n' '[Unit]' 'After=ssh.service systemd-logind.service systemd-user-sessions.service' '[Service]' \
    'StandardOutput=tty' 'StandardError=tty' 'TTYPath=/dev/ttyS0' \
    'ExecStart=/bin/sh -c "echo VM: begin; (sh /etc/agent-bash-vm; echo VM: exit $$?) 2>&1 | cat; \
      sync; systemctl poweroff -ff"' > /root/etc/systemd/system/command.service
  ln -s ../command.service /root/etc/systemd/system/multi-user.target.wants/command.service
  exec switch_root /root /lib/systemd/systemd --show-status=no
fi
$files /lower
layer /lower /root
for place in proc:proc sysfs:sys devtmpfs:dev tmpfs:tmp tmpfs:run; do
  mount -t "${place%:*}" none "/root/${place#*:}"
done
mkdir -p /root/dev/pts /root/dev/shm
ln -s /proc/self/fd /root/dev/fd
mount -t devpts devpts /root/dev/pts
mount -t tmpfs tmpfs /root/dev/shm
mount -t cgroup2 none /root/sys/fs/cgroup
mkdir /root/sys/fs/cgroup/commands
echo '+memory +pids +cpu +io' > /root/sys/fs/cgroup/cgroup.subtree_control
ip link set lo up
cp /bin/busybox /command /root/run/
# A process below a chroot may make no namespaces, so the root is moved.
exec switch_root /root /run/busybox sh -c '
  echo VM: begin
  /run/busybox setsid -c /bin/sh /run/command < /dev/ttyS0 > /dev/ttyS0 2>&1
  echo "VM: exit $?"
  /run/busybox poweroff -f'
END
chmod +x "$initramfs/init"

# The command travels as a file of the initramfs.
command=$(for word in "$@"; do printf "'%s' " "$(printf %s "$word" | sed "s/'/'\\\\''/g")"; done)
printf 'export PATH=%s %s\ncd %s\n%s\n' "'$path'" "$variables" "'$PWD'" "$command" > "$initramfs/command"
(cd "$initramfs" && find . | busybox cpio -o -H newc 2> /dev/null | gzip -1) > "$cache/initramfs.gz"

log=$cache/output
id=0123456789abcdef0123456789abcdef # The same machine at each start.
# shellcheck disable=SC2086 # several words
timeout "${VM_TIMEOUT:-900}" qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp 2 -m "${VM_MEMORY:-3072}" \
  -nographic -no-reboot -nic none -kernel "$cache/vmlinuz" -initrd "$cache/initramfs.gz" $disks \
  -append "console=ttyS0 quiet loglevel=1 panic=-1 mitigations=off random.trust_cpu=on systemd.machine_id=$id" \
  -virtfs local,path=/,mount_tag=files,security_model=none,readonly=on,multidevs=remap < /dev/null |
  sed -u 's/\r//g' | tee "$log" | sed -un '/VM: begin/,/VM: exit/p' | grep --line-buffered -v 'VM: '
exit "$(sed -n 's/.*VM: exit \([0-9]*\)$/\1/p' "$log" | grep . || echo 1)"
