#!/usr/bin/env bash
# Builds the addon and its programs for publication: on Linux for any glibc from 2.17 on, whatever glibc
# this machine has. zig links the addon against a glibc of that age. The helper is linked statically, with
# musl, and needs none. cargo-zigbuild and zig come from PyPI into target/, once. For macOS from 11.0 on.
#
#   scripts/build-portable.sh [--target x86_64-unknown-linux-gnu]
#
# Needs Linux on x64 or arm64, Python 3 with venv, and by `rustup target add` the target, if it is not this
# machine's, and that of the same processor with musl. A target with musl has no glibc to choose; it is built
# with the same zig. A target of macOS needs a Mac: zig links it too, but only Apple's `codesign` gives the
# helper program the same name in each signature, and the check at the end refuses another one. A target of
# Windows needs Windows, and Git Bash.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/python-tools.sh
source scripts/python-tools.sh

glibc=2.17
target="$(uname -m)-unknown-linux-gnu"
while (($#)); do
  case $1 in
    --target) target=${2:?--target wants a target} && shift 2 ;;
    *) echo "unknown argument: $1" >&2 && exit 2 ;;
  esac
done

case $target in
  x86_64-unknown-linux-gnu) platform=linux-x64-gnu ;;
  x86_64-unknown-linux-musl) platform=linux-x64-musl ;;
  aarch64-unknown-linux-gnu) platform=linux-arm64-gnu ;;
  aarch64-unknown-linux-musl) platform=linux-arm64-musl ;;
  x86_64-apple-darwin) platform=darwin-x64 ;;
  aarch64-apple-darwin) platform=darwin-arm64 ;;
  *-pc-windows-msvc) exec scripts/build-windows.sh --target "$target" ;;
  *) echo "no portable build for $target" >&2 && exit 2 ;;
esac

# The tools link published files, so their content is pinned by hashes: for each tool first x64, then arm64.
zigbuild='cargo-zigbuild==0.24.0
  --hash=sha256:484412e39e4c6039474535ce97ee75a22bab22d58233056f8ec8a8f9034bb957
  --hash=sha256:6942e4320f7b05d8fb29e0a8ce5670bcbb3d254275100b85b5b7c86552f9a744
ziglang==0.15.2
  --hash=sha256:806316453d1ede7174ed3fefb8e5348154629089c3bb5fe812dfd0e172fac130
  --hash=sha256:edc0aa60ec964a4cf462d40f68d7de242ddf37fd9a80f2afaee6397059463230
'

if [[ $target == *-linux-* ]]; then
  musl=${target/%-gnu/-musl}
  own=$(rustc --print host-tuple)
  if [[ ! -d "$(rustc --print target-libdir --target "$musl")" && $target != "$own" ]]; then
    echo "Rust can't build for $musl, which the helper program needs: rustup target add $musl" >&2
    exit 1
  fi
else
  export MACOSX_DEPLOYMENT_TARGET=11.0
fi

addon=(--platform --release --js native.cjs --dts native.d.ts)
helper=(--platform "$platform")
if [[ $(uname) == Linux ]]; then
  python_tools zigbuild "$zigbuild"
  # This zig, even if the machine has another one.
  CARGO_ZIGBUILD_ZIG_PATH=$(python -c 'import ziglang; print(ziglang.__path__[0] + "/zig")')
  export CARGO_ZIGBUILD_ZIG_PATH
  addon+=(--cross-compile)
  helper+=(--zig)
fi

# Panics name the files of the crates. Without the directories of whoever builds, the same source gives the
# same file anywhere.
crates=${CARGO_HOME:-$HOME/.cargo}/registry/src
export CARGO_ENCODED_RUSTFLAGS="--remap-path-prefix=$crates=crates"$'\x1f'"--remap-path-prefix=$PWD=."
addon_flags=$CARGO_ENCODED_RUSTFLAGS
# Rust makes no shared library for musl with a C library inside. napi says so by RUSTFLAGS, which cargo
# ignores beside the flags above.
[[ $target != *-musl ]] || addon_flags+=$'\x1f-Ctarget-feature=-crt-static'

check=(--without "$crates/" --without "$PWD/")
if [[ $target == *-gnu ]]; then
  check+=(--glibc "$glibc")
  target+=.$glibc
fi

CARGO_ENCODED_RUSTFLAGS=$addon_flags CARGO=scripts/cargo-addon.sh \
  npx --no-install napi build "${addon[@]}" --target "$target" -- --lib
node scripts/build-program.mjs "${helper[@]}"
programs=("agent-bash-helper.$platform")
# The interceptor is linked statically, so each processor needs one.
if [[ $platform == linux-*-gnu ]]; then
  node scripts/build-program.mjs --interceptor "${helper[@]}"
  programs+=("agent-bash-interceptor.${platform%-gnu}")
fi
node scripts/check-binary.mjs "${check[@]}" "agent-bash.$platform.node" "${programs[@]}"
