#!/bin/sh
# Runs a command in a virtual machine with cgroups of version 2 only: scripts/vm.sh COMMAND…
#
# The machine has the files of this one, read over 9p and writable in its memory, and the kernel of Debian,
# which apt downloads once (70 MB). It needs qemu-system-x86, busybox-static and apt, and no root. Commands
# run as root, with a directory of cgroups in AGENT_BASH_CGROUP; or, with VM_SYSTEMD=1, as a service of
# systemd without one. Emulated, so everything takes about 20 times as long.
set -eu
[ $# -gt 0 ] || { echo 'usage: scripts/vm.sh COMMAND…' >&2; exit 2; }
repository=$(cd "$(dirname "$0")/.." && pwd)
cache=$repository/target/vm
mkdir -p "$cache"

if [ ! -f "$cache/vmlinuz" ]; then
  package=$(apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: \(linux-image-.*-amd64\)$/\1/p' | head -n 1)
  (cd "$cache" && apt-get download "$package" && dpkg-deb -x "$package"_*.deb kernel && rm "$package"_*.deb)
  mkdir -p "$cache/initramfs/bin" "$cache/initramfs/modules"
  cp /bin/busybox "$cache/initramfs/bin/busybox"
  for module in virtio virtio_ring virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci fscache netfs 9pnet \
    9pnet_virtio 9p overlay; do
    find "$cache/kernel/lib/modules" -name "$module.ko" -exec cp {} "$cache/initramfs/modules/" \;
  done
  mv "$cache"/kernel/boot/vmlinuz-* "$cache/vmlinuz"
  rm -rf "$cache/kernel"
fi

cat > "$cache/initramfs/init" <<END
#!/bin/busybox sh
VM_SYSTEMD=${VM_SYSTEMD:-0}
END
cat >> "$cache/initramfs/init" <<'END'
/bin/busybox --install -s /bin
mkdir -p /dev /proc /lower /memory /root
mount -t devtmpfs devtmpfs /dev
mount -t proc proc /proc
cd /modules
# Some need others, so each is tried until all are in.
for round in 1 2 3 4; do
  for module in *.ko; do insmod "$module" 2> /dev/null; done
done
mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=512000,cache=loose files /lower
mount -t tmpfs memory /memory
mkdir /memory/upper /memory/work
mount -t overlay -o lowerdir=/lower,upperdir=/memory/upper,workdir=/memory/work overlay /root
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
[ "$VM_SYSTEMD" = 0 ] || {
  mkdir -p /root/run/systemd/system
  printf '%s\n' '[Unit]' 'DefaultDependencies=no' '[Service]' 'Type=oneshot' 'StandardOutput=tty' 'StandardError=tty' \
    'TTYPath=/dev/ttyS0' 'ExecStart=/run/busybox sh -c "echo VM: begin; /bin/sh /run/command; echo VM: exit $$?; /run/busybox poweroff -f"' \
    > /root/run/systemd/system/command.service
  exec switch_root /root /lib/systemd/systemd --unit=command.service --show-status=no
}
# A process below a chroot may make no namespaces, so the root is moved.
exec switch_root /root /run/busybox sh -c '
  echo VM: begin
  /run/busybox setsid -c /bin/sh /run/command < /dev/ttyS0 > /dev/ttyS0 2>&1
  echo "VM: exit $?"
  /run/busybox poweroff -f'
END
chmod +x "$cache/initramfs/init"

# The command travels as a file of the initramfs.
command=$(for word in "$@"; do printf "'%s' " "$(printf %s "$word" | sed "s/'/'\\\\''/g")"; done)
[ "${VM_SYSTEMD:-0}" = 1 ] || place='AGENT_BASH_CGROUP=/sys/fs/cgroup/commands'
printf 'export PATH=%s HOME=/tmp %s\ncd %s\n%s\n' "'$PATH'" "${place:-}" "'$PWD'" "$command" > "$cache/initramfs/command"
(cd "$cache/initramfs" && find . | busybox cpio -o -H newc 2> /dev/null | gzip -1) > "$cache/initramfs.gz"

log=$cache/output
timeout "${VM_TIMEOUT:-900}" qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp 2 -m "${VM_MEMORY:-3072}" \
  -nographic -no-reboot -nic none -kernel "$cache/vmlinuz" -initrd "$cache/initramfs.gz" \
  -append 'console=ttyS0 quiet panic=-1 mitigations=off random.trust_cpu=on' \
  -virtfs local,path=/,mount_tag=files,security_model=none,readonly=on,multidevs=remap < /dev/null |
  tr -d '\r' | tee "$log" | sed -n '/VM: begin/,/VM: exit/p' | grep -v 'VM: '
exit "$(sed -n 's/.*VM: exit \([0-9]*\)$/\1/p' "$log" | grep . || echo 1)"
