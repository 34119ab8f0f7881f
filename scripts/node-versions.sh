#!/usr/bin/env bash
# Runs the fast part of the JavaScript tests on other versions of Node.js, with the addon of the last build.
# Each version comes from npm's package `node` into target/tools/node-VERSION, once.
#
#   scripts/node-versions.sh [VERSION…]    default: 22 24 26
#
# Prints the runner's summary for each version; exits with 1 if a test failed in one of them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

versions=("$@")
((${#versions[@]})) || versions=(22 24 26)
# The tests of what depends on Node.js' version: loading, the loop, streams, workers and the end of the host.
tests=(bash run job jobs life session terminal workers nothing-left tracing import native without-addon clone electron
  sandbox)

failed=()
for version in "${versions[@]}"; do
  tools=target/tools/node-$version
  [[ -x $tools/node_modules/node/bin/node ]] ||
    npm install --silent --no-save --no-audit --no-fund --prefix "$tools" "node@$version"
  node=$PWD/$tools/node_modules/node/bin
  printf '\n=== Node %s\n' "$("$node/node" --version)"
  # First in PATH too: the tests start hosts of their own.
  PATH=$node:$PATH node node_modules/vitest/vitest.mjs run --project forks --project threads \
    "${tests[@]/#/__test__/}" || failed+=("$version")
done

((${#failed[@]} == 0)) || {
  printf '\nTests failed on Node %s\n' "${failed[*]}" >&2
  exit 1
}
