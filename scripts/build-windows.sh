#!/usr/bin/env bash
# Builds the addon and the helper program for Windows.
#
#   scripts/build-windows.sh [--debug]          for the tests with wine, on Linux by GNU's tools:
#                                               target/wine/agent-bash.win32-x64-gnu.node, and
#                                               target/wine/agent-bash-helper.win32-x64-gnu.exe
#   scripts/build-windows.sh --target TARGET    for publication, on Windows (Git Bash) by Microsoft's tools:
#                                               agent-bash.win32-x64-msvc.node, and
#                                               agent-bash-helper.win32-x64-msvc.exe, and checks them
#
# Needs Rust's target, and mingw-w64 or Visual Studio's build tools.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=x86_64-pc-windows-gnu profile=local helper_profile=local-helper
while (($#)); do
  case $1 in
    --debug) profile=dev helper_profile=dev && shift ;;
    --target) target=${2:?--target wants a target} profile=release helper_profile=helper && shift 2 ;;
    *) echo "unknown argument: $1" >&2 && exit 2 ;;
  esac
done

check=()
case $target in
  x86_64-pc-windows-gnu)
    directory=target/wine platform=win32-x64-gnu
    # The build scripts of napi ask for a library of Node.js to link with. Nothing is taken from an empty one:
    # the addon finds the functions of Node-API in the program that loads it.
    export LIBNODE_PATH=$PWD/target/wine/libnode
    mkdir -p "$LIBNODE_PATH"
    [[ -e $LIBNODE_PATH/libnode.dll ]] ||
      x86_64-w64-mingw32-gcc -shared -o "$LIBNODE_PATH/libnode.dll" -x c /dev/null
    ;;
  x86_64-pc-windows-msvc | aarch64-pc-windows-msvc)
    processor=x64
    [[ $target != aarch64-* ]] || processor=arm64
    directory=. platform=win32-$processor-msvc
    crates=$(cygpath --windows "${CARGO_HOME:-$HOME/.cargo}/registry/src")
    here=$(cygpath --windows "$PWD")
    # Without the directories of whoever builds. The C library is linked in, since Windows itself has none of
    # Visual Studio's.
    flags=("--remap-path-prefix=$crates=crates" "--remap-path-prefix=$here=." -Ctarget-feature=+crt-static)
    CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f' && printf %s "${flags[*]}")
    export CARGO_ENCODED_RUSTFLAGS
    check=(--without "$crates\\" --without "$here\\")
    ;;
  *) echo "no build for $target" >&2 && exit 2 ;;
esac

place() { # FILE NAME: puts a new file in the place of the old one, which a program may have loaded
  cp "$built/$1" "$directory/$2.new"
  mv "$directory/$2.new" "$directory/$2"
}

addon=agent-bash.$platform.node helper=agent-bash-helper.$platform.exe
cargo rustc --lib --crate-type cdylib --target "$target" --profile "$profile"
cargo rustc --bin agent-bash-helper --no-default-features --features helper --target "$target" \
  --profile "$helper_profile"
built=${CARGO_TARGET_DIR:-target}/$target
place "${profile/#dev/debug}/agent_bash.dll" "$addon"
place "${helper_profile/#dev/debug}/agent-bash-helper.exe" "$helper"
((${#check[@]} == 0)) || node scripts/check-binary.mjs "${check[@]}" "$directory/$addon" "$directory/$helper"
