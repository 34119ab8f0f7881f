#!/bin/bash
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
BUILD=build
LOG=logs
log() { echo "[$(date +%T)] $*"; }
fail() { log "error: $*"; exit 1; }
need() { command -v "$1" > /dev/null || fail "missing $1"; }
clean() {
  local dir
  for dir in dist tmp coverage; do
    if [ -d "$dir" ]; then log "clean $dir"; ls "$dir"; fi
  done
}
count() { local n; n=$(find "$1" -name "*.$2" | wc -l); echo "$n"; }
lint() {
  for d in src lib test; do
    log "lint $d"; npx eslint "$d" || fail "lint of $d"
  done
}
build() {
  mkdir -p "$BUILD"
  for target in linux mac win; do
    for arch in x64 arm64; do
      log "build $target $arch"
      npm run build "$target" "$arch" > "$LOG/$target-$arch.log" 2>&1 || fail "build $target"
    done
  done
}
tests() {
  local i=0
  while [ $i -lt 3 ]; do
    if npm test; then log "passed"; return 0; fi
    i=$((i + 1)); log "attempt $i"; sleep 1
  done
  fail "tests"
}
pack() {
  for f in "$BUILD"/*.tgz; do
    [ -f "$f" ] || continue
    size=$(stat -c %s "$f"); log "$f has $size bytes"
    if [ "$size" -gt 1000000 ]; then log "large: $f"; fi
  done
}
report() {
  log "$(count src ts) sources, $(count test ts) tests"
  cat "$LOG"/*.log | grep -c warning || true
  while read -r line; do case $line in *error*) log "$line";; *) echo "$line";; esac; done < "$LOG/all.log"
}
usage() { cat <<EOT
usage: $0 [clean|lint|build|test|pack|all]
EOT
}
main() {
  for tool in node npm git; do need "$tool"; done
  case "${1:-all}" in
    clean) clean;;
    lint) lint;;
    build) build;;
    test) tests;;
    pack) build; pack;;
    all) clean; lint; build; tests; pack; report;;
    *) usage; exit 2;;
  esac
}
main all
