// Publishes the start and the end of each command by `node:diagnostics_channel`, for tracing.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Channel } from 'node:diagnostics_channel';
import type { CommandEndMessage } from '../../types/diagnostics.js';

/** The ids of the tool call that starts a command. */
export type Cause = Record<string, unknown>;

/** Publishes the end of a command with its result. */
export type PublishEnd = (result: Ended) => void;

type Ended = Pick<CommandEndMessage, 'cwd' | 'status' | 'durationMs'> & {
  exitCode?: number | null;
  signal?: string | null;
  pid?: number | null;
  error?: { code: string } | null | undefined;
};

/**
 * The channels of starts and of ends. The first command loads their module, which would slow down the import.
 */
let channels: Channel[] | undefined;

/**
 * The ids of the tool call that starts a command, or {@link HIDDEN}. Created for the first command, as it
 * costs time.
 */
let cause: AsyncLocalStorage<Cause | typeof HIDDEN> | undefined;

/** The cause of commands that this package starts for itself, which are not traced. */
const HIDDEN: unique symbol = Symbol('hidden');

function isTraced(): boolean {
  return theChannels().some(({ hasSubscribers }) => hasSubscribers);
}

function theChannels(): Channel[] {
  channels ??= ['start', 'end'].map((name) =>
    (require('node:diagnostics_channel') as typeof import('node:diagnostics_channel')).channel(
      `agent-bash:command:${name}`,
    ),
  );
  return channels;
}

/** Calls `act`. The events of the commands that it starts have `ids`. */
function withCause<Answer>(ids: Cause | typeof HIDDEN, act: () => Answer): Answer {
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
function commandStarted(
  ids: { id: string; sessionId?: string | undefined },
  command: string,
): PublishEnd | undefined {
  const from = cause?.getStore();
  if (from === HIDDEN || !isTraced()) return undefined;
  const [starts, ends] = theChannels();
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
