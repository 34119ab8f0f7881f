// Publishes the start and the end of each command by `node:diagnostics_channel`, for tracing.

import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The channels of starts and of ends. The first command loads their module, which would slow down the import.
 */
let channels;

/**
 * The ids of the tool call that starts a command, or {@link HIDDEN}. Created for the first command, as it
 * costs time.
 */
let cause;

/** The cause of commands that this package starts for itself, which are not traced. */
const HIDDEN = Symbol('hidden');

function isTraced() {
  channels ??= ['start', 'end'].map((name) =>
    require('node:diagnostics_channel').channel(`agent-bash:command:${name}`),
  );
  return channels[0].hasSubscribers || channels[1].hasSubscribers;
}

/** Calls `act`. The events of the commands that it starts have `ids`. */
function withCause(ids, act) {
  if (!isTraced()) return act();
  cause ??= new AsyncLocalStorage();
  return cause.run(ids, act);
}

/**
 * Publishes that a command was started, in the asynchronous context of its caller.
 *
 * @param ids the `id` of the command, and the `sessionId` of a session's command
 * @returns a function that publishes the end with a result; `undefined` without subscribers
 */
function commandStarted(ids, command) {
  const from = cause?.getStore();
  if (from === HIDDEN || !isTraced()) return undefined;
  const [starts, ends] = channels;
  const start = { ...ids, ...from, command };
  starts.publish(start);
  return ({ cwd, status, exitCode, signal, pid, durationMs, error }) =>
    ends.publish({
      ...start,
      cwd,
      status,
      exitCode: exitCode ?? null,
      signal: signal ?? null,
      pid: pid ?? null,
      durationMs,
      errorCode: error?.code ?? null,
    });
}

export { commandStarted, HIDDEN, isTraced, withCause };
