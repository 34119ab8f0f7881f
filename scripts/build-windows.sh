#!/usr/bin/env bash
# Builds the addon for Windows x64 on Linux, with GNU's tools, for the tests with wine:
# target/wine/agent-bash.win32-x64-gnu.node. What is published is built on Windows.
#
#   scripts/build-windows.sh [--debug]
#
# Needs mingw-w64 and Rust's target x86_64-pc-windows-gnu.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=x86_64-pc-windows-gnu
profile=local
case ${1-} in
  '') ;;
  --debug) profile=dev ;;
  *) echo "unknown argument: $1" >&2 && exit 2 ;;
esac

# The build scripts of napi ask for a library of Node.js to link with. Nothing is taken from an empty one: the
# addon finds the functions of Node-API in the program that loads it.
LIBNODE_PATH=$PWD/target/wine/libnode
export LIBNODE_PATH
mkdir -p "$LIBNODE_PATH"
[[ -e $LIBNODE_PATH/libnode.dll ]] ||
  x86_64-w64-mingw32-gcc -shared -o "$LIBNODE_PATH/libnode.dll" -x c /dev/null

cargo rustc --lib --crate-type cdylib --target "$target" --profile "$profile"
[[ $profile != dev ]] || profile=debug
built=${CARGO_TARGET_DIR:-target}/$target/$profile/agent_bash.dll
placed=target/wine/agent-bash.win32-x64-gnu.node
# A new file in place of the old one, which a program may have loaded.
cp "$built" "$placed.new"
mv "$placed.new" "$placed"
