#!/usr/bin/env bash
# What napi runs instead of cargo: builds the library as an addon (cdylib) alone. Cargo.toml names it as an
# rlib too, for the helper program and the tests, and cargo drops `lto` without a word where one of the kinds
# can't have it.
set -euo pipefail
unset CARGO # names this script

subcommand=$1
shift
case $subcommand in
  build) exec cargo rustc "$@" --crate-type cdylib ;;
  zigbuild) exec cargo-zigbuild rustc "$@" --crate-type cdylib ;;
  *) echo "napi asked for an unknown build: $subcommand" >&2 && exit 2 ;;
esac
