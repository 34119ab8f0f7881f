// The goals of agent-bash. With `over`, a goal is a ratio to that peer; without it, a value. `peer` is the
// peer that must reach the goal; by default `agent-bash-run`.
//
// Tried without success, with `perf`, `strace -c` and `--cpu-prof`:
// - 1 MiB instead of 256 KiB on its way to JavaScript before reading pauses: bulk-stream takes as long.
// - Inspecting all new pids instead of walking down from the leader, for up to 64 pids: sleeps takes 20 %
//   longer.
// - One-byte strings for ASCII (napi_create_string_latin1): V8's check for them is 5 % of bulk-stream.
// - sched_yield between two turns of fast output: shorter gaps on an idle machine, but output 20 times as
//   slow beside a busy program, because the thread gives up a whole time slice.
// - One wake-up of JavaScript per turn of output, SCHED_BATCH and short slices for the I/O thread: no
//   difference.
// - One spawner: gaps of 3 instead of 8 ms in at-once, but sleeps takes 5 % longer.
// - One bundle instead of two: 0.5 ms less for a first call, but agent-bash/bash would load all of the
//   package.
// - Minified names: 0.4 ms less for a first call, and stack traces that nobody can read.
// - The result of a killed command before its leader is reaped: 1 % less for kill-one.
// - Chunks of 128 KiB to 512 KiB: 12 to 24 % more processor time of the host in bulk-bytes.
// - `process.env` by `{ ...env }`, `Object.entries` or JSON: 1.4 to 2 times as long as name after name.

const CHILD = 'child-process';
const LIMIT = 'limit';
const OWN = 'agent-bash';
const RUN = 'agent-bash-run';
const SESSION = 'agent-bash-session';
const TERMINAL = 'agent-bash-pty';

export const GOALS = [
  { scenario: 'one-true', metric: 'ms', over: LIMIT, most: 1.05 },
  { scenario: 'one-true', metric: 'ms', over: CHILD, most: 0.75 },
  { scenario: 'one-true', metric: 'callUs', most: 100 },
  { scenario: 'one-true-1gib', metric: 'ms', over: CHILD, most: 0.08 },
  { scenario: 'at-once', metric: 'ms', over: LIMIT, most: 1.05 },
  { scenario: 'at-once', metric: 'gapMs', most: 7 },
  { scenario: 'at-once-1gib', metric: 'ms', over: CHILD, most: 0.05 },
  { scenario: 'at-once-1gib', metric: 'gapMs', most: 7 },
  { scenario: 'ascii', metric: 'ms', over: CHILD, most: 0.2 },
  { scenario: 'ascii', metric: 'rssMiB', most: 2 },
  { scenario: 'ascii', metric: 'gapMs', most: 3 },
  { scenario: 'ascii-8kib', metric: 'ms', over: CHILD, most: 0.32 },
  { scenario: 'wide', metric: 'ms', over: CHILD, most: 0.4 },
  { scenario: 'wide', metric: 'rssMiB', most: 2 },
  { scenario: 'lines', metric: 'ms', over: CHILD, most: 0.38 },
  { scenario: 'lines', metric: 'callbacks', most: 600 },
  { scenario: 'lines', metric: 'cpuMs', over: CHILD, most: 0.15 },
  { scenario: 'bulk-stream', metric: 'ms', over: CHILD, most: 0.85 },
  { scenario: 'bulk-bytes', metric: 'ms', over: 'bun-spawn', most: 1 },
  { scenario: 'view', peer: 'agent-bash-view', metric: 'ms', over: RUN, most: 1.05 },
  { scenario: 'tool', peer: 'agent-bash-policy', metric: 'ms', over: RUN, most: 1.03 },
  { scenario: 'tool', peer: 'agent-bash-tool', metric: 'ms', over: RUN, most: 1.05 },
  { scenario: 'mcp-start', peer: 'agent-bash-mcp', metric: 'ms', most: 120 },
  { scenario: 'mcp-start', peer: 'agent-bash-mcp', metric: 'rssMiB', most: 70 },
  { scenario: 'first-call', metric: 'ms', over: CHILD, most: 1 },
  { scenario: 'first-call-require', metric: 'ms', over: CHILD, most: 1 },
  { scenario: 'first-call-bash', peer: OWN, metric: 'ms', over: CHILD, most: 0.9 },
  { scenario: 'idle', metric: 'rssMiB', most: 1 },
  { scenario: 'idle', metric: 'threads', most: 3 },
  { scenario: 'kill-one', metric: 'ms', over: CHILD, most: 0.6 },
  { scenario: 'kill-one', metric: 'ms', over: LIMIT, most: 2.5 },
  { scenario: 'kill-tree', metric: 'ms', most: 0.6 },
  { scenario: 'kill-tree', metric: 'left', most: 0 },
  { scenario: 'sleeps', metric: 'ms', over: CHILD, most: 0.85 },
  { scenario: 'sleeps', metric: 'gapMs', most: 10 },
  { scenario: 'bash-true', peer: OWN, metric: 'cpuEachMs', over: RUN, most: 1.1 },
  { scenario: 'bash-true', peer: OWN, metric: 'ms', over: RUN, most: 1.1 },
  { scenario: 'growth', metric: 'ms', over: CHILD, most: 1 },
  { scenario: 'growth', metric: 'growth', most: 1.3 },
  { scenario: 'session-bash', peer: SESSION, metric: 'ms', most: 0.25 },
  { scenario: 'session-zsh', peer: SESSION, metric: 'ms', most: 0.35 },
  { scenario: 'session-dash', peer: SESSION, metric: 'ms', most: 0.2 },
  { scenario: 'terminal-true', peer: TERMINAL, metric: 'ms', most: 1.2 },
  { scenario: 'terminal-line', peer: TERMINAL, metric: 'ms', most: 0.1 },
  { scenario: 'waiting', peer: SESSION, metric: 'ms', most: 250 },
  { scenario: 'ready', peer: SESSION, metric: 'ms', most: 15 },
];
