#!/usr/bin/env bash
# Runs the Rust tests of what is there for Windows, with wine: a build for GNU's tools. What wine shows is no
# proof for Windows.
#
#   scripts/test-windows.sh               all of them
#   scripts/test-windows.sh NAME...       those whose names have a NAME
#   scripts/test-windows.sh --install     installs what is missing first (Debian, as root; 1.1 GB)
#
# Needs mingw-w64 and wine 10 or newer: on PATH, or in a root of Debian trixie (target/wine), run by
# bubblewrap. Without them, it says so and skips the tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

root=${AGENT_BASH_WINE_ROOT:-$PWD/target/wine/root}
target=x86_64-pc-windows-gnu
linker=x86_64-w64-mingw32-gcc

skip() {
  echo "Skipped: the tests for Windows need $1 (scripts/test-windows.sh --install)"
  exit 0
}

has() { command -v "$1" >/dev/null; }

is_new_wine() {
  local version
  has wine && version=$(wine --version 2>/dev/null) && version=${version#wine-} && ((${version%%.*} >= 10))
}

install() {
  has "$linker" || apt-get install -qq -y --no-install-recommends gcc-mingw-w64-x86-64-win32 || return
  is_new_wine || [[ -d $root/usr ]] || {
    has mmdebstrap && has bwrap || apt-get install -qq -y --no-install-recommends mmdebstrap bubblewrap || return
    mkdir -p "$(dirname "$root")"
    mmdebstrap --quiet --variant=minbase --include=wine64,wine trixie "$root.new" && mv "$root.new" "$root"
  }
}

if [[ ${1-} == --install ]]; then
  shift
  install || echo 'Not everything could be installed' >&2
fi
has "$linker" || skip mingw-w64
rustup target list --installed | grep -qx "$target" || skip "the target $target of Rust"

runner=$PWD/target/wine/runner
mkdir -p "$runner" "$PWD/target/wine/prefix"
if is_new_wine; then
  start='exec wine "$@"'
elif [[ -d $root/usr ]] && has bwrap; then
  # Processes that a test leaves behind end with the namespace, and with them wine's server.
  start="exec bwrap --bind '$root' / --proc /proc --dev /dev --tmpfs /tmp --bind '$PWD' '$PWD' --chdir '$PWD' \\
  --unsetenv NODE_EXTRA_CA_CERTS --setenv HOME /root --unshare-pid --die-with-parent wine \"\$@\""
else
  skip 'wine 10'
fi
printf '#!/usr/bin/env bash\n%s\n' "$start" >"$runner/wine.sh"
chmod +x "$runner/wine.sh"

export RUST_BACKTRACE=0 WINEDEBUG=-all WINEPREFIX=$PWD/target/wine/prefix
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=$runner/wine.sh
# The one that is left out compares with a `sh` of the machine.
cargo test --no-default-features --lib --test windows --target "$target" -- --skip simple::tests::what_is_simple_parses "$@"
