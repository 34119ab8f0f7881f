#!/usr/bin/env bash
# Tests agent-bash with an older bash in place of this machine's: 3.2, the `/bin/bash` and `/bin/sh` of every
# Mac, or one of an older Linux. By hand only: their sources are not part of this repository.
#
#   scripts/test-old-bash.sh BASH [FILE…]   default: session, run, job, jobs and terminal
#
# Needs root, for a mount namespace with BASH over this machine's bash, and the addon of the last build.
#
# GNU's bash 4.2 to 5.1 builds with `configure --without-bash-malloc --disable-nls` and `-std=gnu89 -fcommon`.
# Apple's 3.2 is bash-3.2 of github.com/apple-oss-distributions/bash. On Linux, it builds with the same
# options of `configure` and byacc, and with `-std=gnu99 -fgnu89-inline -fcommon -fno-strict-aliasing
# -D__APPLE__ -DEBADEXEC=ENOEXEC`. It needs stand-ins for `get_compat.h`, `TargetConditionals.h`, `xlocale.h`,
# `System/sys/codesign.h` and `__collate_lookup`, and a declared `fmtcheck`: an undeclared one cuts its
# pointers, and such a bash dies of SIGSEGV.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

old=$(realpath "${1:?BASH is missing: the path of a bash}")
shift
version=$("$old" -c 'echo "${BASH_VERSION-}"')
[[ -n $version ]] || {
  echo "$old is no bash" >&2
  exit 2
}
echo "bash $version"
(($#)) || set -- __test__/{session,run,job,jobs,terminal}

# Not `bash -c`: the namespace has no other bash than the old one.
exec unshare --mount sh -c '
  mount --bind "$1" "$2" && shift 2 && exec node node_modules/vitest/vitest.mjs run --project forks "$@"
' sh "$old" "$(realpath "$(command -v bash)")" "$@"
