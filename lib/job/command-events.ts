// Reports the start and the end of each command: by `node:diagnostics_channel` for tracing, and to its
// observers.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Channel } from 'node:diagnostics_channel';
import type { ObservedCommand } from '../observe/observed-command.ts';
import type { ObservedFacts, ObservedInspection, ObservedJob, Observers } from '../observe/observers.ts';
import type { Result } from '../result/result.ts';
import { features } from '../support/features.ts';

/** The tool call that starts a command: its ids for tracing, its number, and the observers of its toolset. */
export interface Cause {
  ids: Record<string, unknown>;
  call?: number | undefined;
  observers?: Observers | undefined;
}

/** Publishes the end of a command with its result. */
export type PublishEnd = (result: Result) => void;

/**
 * The channels of starts and of ends. The first command loads their module, which would slow down the import.
 */
let channels: Channel[] | undefined;

/**
 * The tool call that starts a command, or {@link HIDDEN}. Created for the first call that is traced or
 * observed, as it costs time.
 */
let cause: AsyncLocalStorage<Cause | typeof HIDDEN> | undefined;

/** The cause of commands that this package starts for itself, which are neither traced nor observed. */
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

/** Calls `act`, by which the commands are caused that it starts. */
function withCause<Answer>(by: Cause | typeof HIDDEN, act: () => Answer): Answer {
  if (cause === undefined) {
    const isObserved = by !== HIDDEN && by.observers !== undefined && by.observers.size > 0;
    if (!isObserved && !isTraced()) return act();
    cause = new AsyncLocalStorage();
  }
  return cause.run(by, act);
}

/** Returns whether a command has observers in these scopes, or in the toolset whose call starts it. */
function isObserved(scopes: readonly (Observers | undefined)[]): boolean {
  const from = cause?.getStore();
  return (
    from !== HIDDEN && [...scopes, from?.observers].some((scope) => scope !== undefined && scope.size > 0)
  );
}

/**
 * Returns a command for its observers: those of these scopes, and those of the toolset whose call starts it.
 * Returns `undefined` without any.
 */
function observed(
  scopes: readonly (Observers | undefined)[],
  facts: () => ObservedFacts,
): ObservedCommand | undefined {
  const watching = observersOf(scopes);
  return watching && new (features().ObservedCommand)(watching.observers, watching.call, facts());
}

/**
 * Returns the observers of these scopes, and the number of the tool call that is being made; `undefined`
 * without any.
 */
function observersOf(
  scopes: readonly (Observers | undefined)[],
): { observers: Observers; call: number | null } | undefined {
  if (!isObserved(scopes)) return undefined;
  const from = cause?.getStore() as Cause | undefined;
  return { observers: features().joinedObservers([...scopes, from?.observers]), call: from?.call ?? null };
}

/**
 * Reports that a command was started, in the asynchronous context of its caller.
 *
 * @param ids the `id` of the command, and the `sessionId` of a session's command
 * @param job the job of an observed command, and how its observers get it
 * @returns a function that reports the end with a result; `undefined` without subscribers and observers
 */
function commandStarted(
  ids: { id: string; sessionId?: string | undefined },
  command: string,
  job?: {
    number: number;
    job: ObservedJob;
    inspection: ObservedInspection;
    observed: ObservedCommand | undefined;
  },
): PublishEnd | undefined {
  const publishEnd = published(ids, command);
  const observed = job?.observed;
  if (observed === undefined) return publishEnd;
  if (job !== undefined) observed.begin(job.number, job.job, job.inspection);
  return (result) => {
    publishEnd?.(result);
    observed.end(result);
  };
}

/** Publishes the start for tracing. Returns a function that publishes the end. */
function published(
  ids: { id: string; sessionId?: string | undefined },
  command: string,
): PublishEnd | undefined {
  const from = cause?.getStore();
  if (from === HIDDEN || !isTraced()) return undefined;
  const [starts, ends] = theChannels();
  const start = { ...ids, ...from?.ids, command };
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

export { commandStarted, HIDDEN, isObserved, isTraced, observed, observersOf, withCause };
