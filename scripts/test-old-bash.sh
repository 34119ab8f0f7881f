#!/usr/bin/env bash
# Tests agent-bash with bash 3.2, the `/bin/bash` and `/bin/sh` of every Mac, in place of this machine's bash.
# By hand only: its source is not part of this repository.
#
#   scripts/test-bash-3.2.sh BASH [FILE…]   default: session, run, job, jobs and terminal
#
# Needs root, for a mount namespace with BASH over this machine's bash, and the addon of the last build.
#
# BASH is the program that Apple builds from bash-3.2 of github.com/apple-oss-distributions/bash. On Linux, it
# builds with `configure --without-bash-malloc --disable-nls` and byacc, and with
# `-std=gnu99 -fgnu89-inline -fcommon -fno-strict-aliasing -D__APPLE__ -DEBADEXEC=ENOEXEC`. It needs stand-ins for
# `get_compat.h`, `TargetConditionals.h`, `xlocale.h`, `System/sys/codesign.h` and `__collate_lookup`, and a
# declared `fmtcheck`: an undeclared one cuts its pointers, and such a bash dies of SIGSEGV.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

old=$(realpath "${1:?BASH is missing: the path of a bash 3.2}")
shift
[[ $("$old" -c 'echo "${BASH_VERSION}"') == 3.2.* ]] || {
  echo "$old is no bash 3.2" >&2
  exit 2
}
(($#)) || set -- __test__/{session,run,job,jobs,terminal}

# Not `bash -c`: the namespace has no other bash than the old one.
exec unshare --mount sh -c '
  mount --bind "$1" "$2" && shift 2 && exec node node_modules/vitest/vitest.mjs run --project forks "$@"
' sh "$old" "$(realpath "$(command -v bash)")" "$@"
