#!/usr/bin/env bash
# Builds the addon for Windows.
#
#   scripts/build-windows.sh [--debug]          for the tests with wine, on Linux by GNU's tools:
#                                               target/wine/agent-bash.win32-x64-gnu.node
#   scripts/build-windows.sh --target TARGET    for publication, on Windows (Git Bash) by Microsoft's tools:
#                                               agent-bash.win32-x64-msvc.node, and checks it
#
# Needs Rust's target, and mingw-w64 or Visual Studio's build tools.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=x86_64-pc-windows-gnu profile=local
while (($#)); do
  case $1 in
    --debug) profile=dev && shift ;;
    --target) target=${2:?--target wants a target} profile=release && shift 2 ;;
    *) echo "unknown argument: $1" >&2 && exit 2 ;;
  esac
done

check=()
case $target in
  x86_64-pc-windows-gnu)
    placed=target/wine/agent-bash.win32-x64-gnu.node
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
    placed=agent-bash.win32-$processor-msvc.node
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

cargo rustc --lib --crate-type cdylib --target "$target" --profile "$profile"
[[ $profile != dev ]] || profile=debug
built=${CARGO_TARGET_DIR:-target}/$target/$profile/agent_bash.dll
# A new file in place of the old one, which a program may have loaded.
cp "$built" "$placed.new"
mv "$placed.new" "$placed"
((${#check[@]} == 0)) || node scripts/check-binary.mjs "${check[@]}" "$placed"
