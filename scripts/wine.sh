#!/usr/bin/env bash
# Runs a program for Windows with wine 10 or newer: that on PATH, or one in a root of Debian trixie
# (target/wine/root), run by bubblewrap.
#
#   scripts/wine.sh PROGRAM [ARGUMENT]...
#   scripts/wine.sh --install    installs it, if it is missing (Debian, as root; 1.1 GB)
#   scripts/wine.sh --check      exits with 1 if it is missing
#
# AGENT_BASH_WINE_ROOT is another root. AGENT_BASH_WINE_MODULES takes the place of node_modules, which has
# programs for this machine; this needs bubblewrap. Node.js can't write to a pipe of Linux: give it a file.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
root=${AGENT_BASH_WINE_ROOT:-$repository/target/wine/root}

has() { command -v "$1" >/dev/null; }

is_new_wine() {
  local version
  has wine && version=$(wine --version 2>/dev/null) && version=${version#wine-} && ((${version%%.*} >= 10))
}

is_there() { is_new_wine || { [[ -d $root/usr ]] && has bwrap; }; }

install() {
  has bwrap || apt-get install -qq -y --no-install-recommends bubblewrap
  is_new_wine || [[ -d $root/usr ]] || {
    has mmdebstrap || apt-get install -qq -y --no-install-recommends mmdebstrap
    mkdir -p "$(dirname "$root")"
    rm -rf --one-file-system "$root.new"
    mmdebstrap --quiet --variant=minbase --include=wine64,wine trixie "$root.new" && mv "$root.new" "$root"
  }
}

case ${1-} in
  --install) install && exit ;;
  --check) is_there && exit || exit 1 ;;
esac
is_there || { echo 'There is no wine 10 (scripts/wine.sh --install)' >&2 && exit 1; }

export WINEDEBUG=${WINEDEBUG:--all} WINEPREFIX=$repository/target/wine/prefix
mkdir -p "$WINEPREFIX"
# Processes that a program leaves behind end with the namespace, and with them wine's server.
start=()
if has bwrap; then
  start=(bwrap --bind / / --proc /proc --dev /dev --unshare-pid --die-with-parent)
  is_new_wine || start=(bwrap --bind "$root" / --proc /proc --dev /dev --unshare-pid --die-with-parent
    --tmpfs /tmp --bind "$repository" "$repository" --unsetenv NODE_EXTRA_CA_CERTS --setenv HOME /root)
  [[ -z ${AGENT_BASH_WINE_MODULES-} ]] ||
    start+=(--bind "$AGENT_BASH_WINE_MODULES" "$repository/node_modules")
  # Each has temporary files of its own: to a host here, the pid of one elsewhere belongs to nobody.
  for temporary in "$WINEPREFIX"/drive_c/users/*/AppData/Local/Temp; do
    [[ ! -d $temporary ]] || start+=(--tmpfs "$temporary")
  done
  start+=(--chdir "$PWD")
fi
# The server writes the registry at its own end: without it, a program has no PATH.
[[ -e $WINEPREFIX/system.reg ]] ||
  "${start[@]}" sh -c 'wine wineboot --init && wineserver -w' >/dev/null 2>&1 </dev/null
exec "${start[@]}" wine "$@"
