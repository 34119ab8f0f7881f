#!/usr/bin/env bash
# The tests of the crate, without Node.js: by cargo-nextest (https://nexte.st) where it is installed, else by
# cargo test, which is slower, because it runs one test program at a time. Root also runs the tests that need
# root, which are ignored otherwise. A test program is left out where the machine has not what it needs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

features=(--no-default-features)
programs=()

# Prints the first row of scripts/machine.mjs that a test program needs and this machine has not.
missing() {
  local row rows=''
  case $1 in
    sandbox) rows='sandbox python3 lsattr make' ;;
    policy_differential) rows='sandbox' ;;
  esac
  for row in $rows; do
    node scripts/doctor.mjs --has "$row" || { echo "$row" && return; }
  done
}

for path in tests/*; do
  name=$(basename "$path" .rs)
  if [[ $name == support || ($name == intercept && $(uname) != Linux) ]]; then
    continue
  fi
  without=$(missing "$name")
  if [[ -n $without ]]; then
    echo "SKIPPED tests/$name: this machine has no $without (npm run doctor)"
    continue
  fi
  programs+=(--test "$name")
done

[[ $(uname) != Linux ]] || features+=(--features intercept)

# Two per processor, because most tests wait for processes.
threads=$((2 * $(getconf _NPROCESSORS_ONLN)))
export NEXTEST_TEST_THREADS=${NEXTEST_TEST_THREADS:-$threads} RUST_TEST_THREADS=${RUST_TEST_THREADS:-$threads}

[[ " $* " == *' --no-run '* ]] || cargo test --doc "${features[@]}"
if command -v cargo-nextest >/dev/null; then
  ((UID)) || set -- --run-ignored all "$@"
  cargo nextest run "${features[@]}" --lib --bins "${programs[@]}" "$@"
else
  ((UID)) || set -- "$@" -- --include-ignored
  cargo test "${features[@]}" --lib --bins "${programs[@]}" "$@"
fi
