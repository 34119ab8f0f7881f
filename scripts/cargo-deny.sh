#!/usr/bin/env bash
# Checks licenses, bans and sources of the dependencies against .cargo/deny.toml.
# Advisories are not checked: they need a database from the network, so the same commit could pass one day and fail the next.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=0.20.2

if ! cargo deny --version >/dev/null 2>&1; then
  echo "cargo-deny is missing: building $version, which takes some minutes, once"
  # Without optimization it builds in half the time, and the check still takes about a second.
  CARGO_PROFILE_DEV_DEBUG=0 cargo install cargo-deny --version "$version" --locked --debug --quiet
fi

cargo deny --all-features check licenses bans sources
