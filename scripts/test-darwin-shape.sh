#!/usr/bin/env bash
# Tests agent-bash in the shape of macOS, on Linux: the code that only macOS runs otherwise (no pidfds, tags,
# subreapers and waits in /proc; `posix_spawn`; the helper's role `exec`; reports of stopped children), over
# stand-ins for macOS's kernel (the feature `emulate-darwin`).
#
#   scripts/test-darwin-shape.sh          the tests of the ends of commands, of sessions and of terminals, and
#                                         the Rust tests of processes
#   scripts/test-darwin-shape.sh FILE...  other test files or folders, as vitest takes them
#   scripts/test-darwin-shape.sh --no-run compiles all that the first of these needs
#
# Needs `npm run build:js`, and `native.cjs` of any build. On a Mac, tests the addon of the last build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# On Linux: the crate over the stand-ins, and its tests of processes.
shape=(--no-default-features --features emulate-darwin)
shape_tests=("${shape[@]}" --lib --test helper)

if [[ $(uname) == Linux ]]; then
  built=${CARGO_TARGET_DIR:-target}
  placed=$PWD/target/darwin-shape
  mkdir -p "$placed"
  cargo rustc --lib --crate-type cdylib --features emulate-darwin
  cp "$built/debug/libagent_bash.so" "$placed/agent-bash.node"
  if (($# == 0)) || [[ $1 == --no-run ]]; then
    # For tests/helper, cargo builds the helper program too, at the same time as the tests beside the code.
    cargo nextest run "${shape_tests[@]}" --no-run
  else
    cargo build "${shape[@]}" --bin agent-bash-helper
  fi
  case $(uname -m) in x86_64) cpu=x64 ;; *) cpu=arm64 ;; esac
  cp "$built/debug/agent-bash-helper" "$placed/agent-bash-helper.linux-$cpu-gnu"
  [[ ${1-} != --no-run ]] || exit 0
  export AGENT_BASH_TEST_ADDON=$placed/agent-bash.node
fi

# The tests that can't hold here, by parts of their names.
cannot_hold=(
  # A process that has lost its parent is found by its creator, which Linux does not show.
  'all of its tree'
  'in a session of its own, all closed' 'born three times' 'of five together' 'a daemon with its output'
  'of a table the leftovers are gone too' 'is over when silent processes end'
  'its command leaves: setsid' 'its command must not leave: setsid'
  'answers with its children'
  'to the background at its timeout can be killed' 'ends background processes at its end'
  # Only Linux has CLONE_PARENT.
  'makes the child of Node'
  # macOS does not show what programs wait for.
  'reports that the shell itself waits' 'reports each wait' 'answers whether it waits' 'is ended when it waits'
  'the shell keeps its state: sleep 100 & wait' 'read x <> PIPE' 'zsh.*a stop of read line'
  'is the whole prompt of a program that waits'
)
if [[ $(uname) == Darwin ]]; then
  # A program of Linux, its /proc, and its real-time signals.
  cannot_hold+=('setsid' 'inherit no descriptor' 'leave no descriptor' 'ignores the signal that ends its list')
fi
if (($# == 0)); then
  if [[ $(uname) == Linux ]]; then
    cargo nextest run "${shape_tests[@]}" --filterset 'test(/^process::/) | test(was_being_started)'
  fi
  set -- __test__/life __test__/session __test__/terminal
fi
pattern=$(IFS='|' && echo "${cannot_hold[*]}")
npx vitest run --project forks --testNamePattern "^(?!.*($pattern))" "$@"
