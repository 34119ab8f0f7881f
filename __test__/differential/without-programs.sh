#!/bin/sh
# Usage: without-programs.sh SCRATCH "NAME..." PROGRAM [ARGUMENT...]
#
# Runs a program in a view of the system where /bin lacks the named programs. Wants a mount namespace of its
# own (unshare -m), so that nobody else sees the change; SCRATCH is an empty directory for the layers.
set -eu
scratch=$1
names=$2
shift 2

bin=$(readlink -f /bin)
mount -t tmpfs tmpfs "$scratch"
mkdir "$scratch/upper" "$scratch/work"
for name in $names; do
  # In an upper layer, a character device 0:0 says that the lower one's file is gone.
  mknod "$scratch/upper/$name" c 0 0
done
mount -t overlay overlay -o "lowerdir=$bin,upperdir=$scratch/upper,workdir=$scratch/work" "$bin"
exec "$@"
