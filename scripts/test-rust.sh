#!/usr/bin/env bash
# The tests of the crate, without Node.js: by cargo-nextest (https://nexte.st) where it is installed, else by
# cargo test, which is slower, because it runs one test program at a time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo test --doc --no-default-features
if command -v cargo-nextest >/dev/null; then
  cargo nextest run --no-default-features "$@"
else
  cargo test --no-default-features --lib --bins --tests "$@"
fi
